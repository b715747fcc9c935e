"""What each path may load: start-up time is part of the product, and modules are what it is made of."""

import json
import sys
from itertools import repeat
from pathlib import Path

import pytest

from tests.cli.hosted import Hosting, data, facts, identity
from tests.cli.shell import Shell

RUN = """
import atexit, json, os, sys
before = set(sys.modules)
def tell():
    with open(os.environ["LOADED"], "w") as file:
        json.dump(sorted(set(sys.modules) - before), file)
atexit.register(tell)
from brainctl.cli.main import main
code = main(sys.argv[1:])
raise SystemExit(code)
"""
HEAVY = {
    "asyncio",
    "anyio",
    "certifi",
    "click",
    "concurrent.futures",
    "dataclasses",
    "email",
    "httpcore",
    "httpx",
    "httpx_sse",
    "keyring",
    "logging",
    "markdown_it",
    "platformdirs",
    "pydantic",
    "pygments",
    "random",
    "rich",
    "secrets",
    "sqlite3",
    "subprocess",
    "tempfile",
    "typer",
}


def loaded(shell: Shell, *arguments: str) -> set[str]:
    """The heavy modules that a command line loads, in a fresh interpreter."""
    report = shell.home / "loaded.json"
    environ = {**shell.environ, "LOADED": str(report)}
    # Coverage of subprocesses would load modules of its own.
    quiet = {name: value for name, value in environ.items() if not name.startswith("COVERAGE")}
    import subprocess

    done = subprocess.run(
        [sys.executable, "-c", RUN, *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env=quiet,
        cwd=Path(__file__).parents[2],
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    modules = json.loads(report.read_text())
    return {name for name in HEAVY if any(each == name or each.startswith(f"{name}.") for each in modules)}


@pytest.fixture
def endless(hosting: Hosting) -> Shell:
    """A shell whose brain always finds the same fact."""
    return hosting.endless(repeat(facts("x"))).shell


def test_the_version_loads_nothing(shell: Shell) -> None:
    assert loaded(shell, "--version") == set()


def test_completion_of_values_loads_nothing_heavy(company: Shell) -> None:
    for kind in ("profiles", "environments", "answers"):
        assert loaded(company, "__complete", kind) == set()


@pytest.mark.parametrize(
    "arguments", [("--help",), ("search", "--help"), ("keys", "--help"), ("ask", "--help")]
)
def test_help_loads_no_library_but_the_one_that_prints_it(shell: Shell, arguments: tuple[str, ...]) -> None:
    extra = loaded(shell, *arguments) - TYPER_BRINGS
    assert (
        extra & {"httpx", "sqlite3", "rich", "keyring", "platformdirs", "pydantic", "asyncio", "click"}
        == set()
    )


TYPER_BRINGS = {"typer", "dataclasses", "logging", "tempfile", "random", "subprocess"}
"""What importing Typer loads, whatever we do."""


def test_search_on_this_machine_loads_a_database_and_no_network(company: Shell) -> None:
    for form in (("--json",), ("-o", "jsonl"), ()):
        found = loaded(company, "search", "deposits", *form)
        assert found - TYPER_BRINGS == {"sqlite3"}


def test_search_over_http_loads_no_database_and_no_terminal(endless: Shell) -> None:
    for form in (("--json",), ("-o", "jsonl"), ()):
        found = loaded(endless, "search", "x", *form)
        assert "httpx" in found
        assert found & UNNEEDED == set()


UNNEEDED = {
    "rich",
    "sqlite3",
    "keyring",
    "click",
    "pygments",
    "asyncio",
    "pydantic",
    "markdown_it",
    "platformdirs",
    "httpx_sse",
    "concurrent.futures",
}


def test_the_other_commands_over_http_load_as_little(hosting: Hosting) -> None:
    packet = data({"packet_version": 1, "rendered": "x", "facts": []})
    counters = data({"accepted_fact_count": 1, "created": 1, "superseded": 0, "skipped": 0})
    hosted = hosting(packet, counters, identity())
    for arguments in (("context", "x"), ("teach", "x"), ("whoami", "--json")):
        assert loaded(hosted.shell, *arguments) & UNNEEDED == set()


def test_keys_are_listed_without_a_brain(company: Shell) -> None:
    for arguments in (("keys", "list"), ("keys", "show", "--json"), ("keys", "use", "owner")):
        assert loaded(company, *arguments) - TYPER_BRINGS == set()
