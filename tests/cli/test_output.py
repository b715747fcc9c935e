import json
from typing import Any

import pytest

from tests.cli.hosted import Hosted, Hosting, data, fact, facts, identity, inside, refused
from tests.cli.shell import Shell

ODD_FACT = fact("naïve — 漢字 \U0001f9d1\u200d\U0001f33e", tomorrow=[{"a": None}, 1e-7, 12345678901234567890])
ODD = {
    "facts": [ODD_FACT],
    "tomorrow": {"": ""},
}


@pytest.fixture
def one(hosting: Hosting) -> Hosted:
    """A brain that always finds the same fact."""
    return hosting.endless(iter(lambda: facts("the fact"), None))


def form_of(out: str) -> str:
    """Which of the three forms this is."""
    if out.startswith('{"facts"'):
        return "json"
    return "jsonl" if out.startswith("{") else "human"


@pytest.mark.parametrize(
    ("arguments", "variable", "form"),
    [
        (("search", "x"), None, "human"),
        (("search", "x"), "", "human"),
        (("search", "x"), "json", "json"),
        (("search", "x"), "jsonl", "jsonl"),
        (("search", "x", "--json"), "jsonl", "json"),
        (("--json", "search", "x"), None, "json"),
        (("search", "--json", "x"), None, "json"),
        (("search", "x", "--output=jsonl"), None, "jsonl"),
        (("search", "x", "-ojsonl"), None, "jsonl"),
        (("-o", "jsonl", "search", "x"), "json", "jsonl"),
        (("-o", "json", "search", "x", "-o", "jsonl"), None, "jsonl"),
        (("--json", "search", "x", "-o", "human"), None, "human"),
        (("search", "x", "-o", "json", "--json"), None, "json"),
    ],
)
def test_the_form_asked_for_last_and_nearest_wins(
    one: Hosted, arguments: tuple[str, ...], variable: str | None, form: str
) -> None:
    shell = one.shell if variable is None else one.shell.with_(BRAINCTL_OUTPUT=variable)
    done = inside(shell, *arguments)
    assert (done.code, form_of(done.out), done.err) == (0, form, "")


def test_a_variable_that_names_no_form_is_told_of(one: Hosted) -> None:
    failed = inside(one.shell.with_(BRAINCTL_OUTPUT="xml"), "search", "x")
    assert (failed.code, failed.out) == (2, "")
    assert "BRAINCTL_OUTPUT is one of human, json, jsonl" in failed.err


def test_json_takes_no_value(one: Hosted) -> None:
    assert inside(one.shell, "search", "--json=x", "y").code == 2
    assert json.loads(inside(one.shell, "search", "--json", "y").out)


def test_json_is_the_data_field_by_field(hosting: Hosting) -> None:
    done = inside(hosting(data(ODD)).shell, "search", "x", "--json")
    assert json.loads(done.out) == ODD
    assert "naïve — 漢字 \U0001f9d1\u200d\U0001f33e" in done.out
    assert list(json.loads(done.out)["facts"][0]) == list(ODD_FACT)


def test_json_in_a_pipe_is_utf_8_whatever_the_locale(hosting: Hosting) -> None:
    hosted = hosting(data(ODD), data(ODD), PYTHONIOENCODING="cp1252", LC_ALL="C", PYTHONUTF8="0")
    for form in ("json", "human"):
        done = hosted.shell.run("search", "x", "-o", form)
        assert (done.code, done.err) == (0, "")
        assert "naïve — 漢字" in done.out


@pytest.mark.parametrize(
    "arguments",
    [
        ("search", "x"),
        ("context", "x"),
        ("whoami",),
        ("keys", "list"),
        ("keys", "show"),
        ("keys", "check"),
        ("keys", "use", "owner"),
        ("brain", "keys", "list"),
        ("brain", "people", "list"),
        ("brain", "members", "list"),
        ("completion", "bash"),
        ("teach", "x", "--dry-run"),
    ],
)
def test_json_is_one_document_on_one_line_and_jsonl_whole_lines(
    company: Shell, arguments: tuple[str, ...]
) -> None:
    whole = inside(company, *arguments, "--json")
    assert whole.code == 0, whole.err
    assert isinstance(json.loads(whole.out), dict)
    assert whole.out.index("\n") == len(whole.out) - 1
    lines = inside(company, *arguments, "-o", "jsonl")
    assert lines.code == 0
    assert all(isinstance(json.loads(line), dict) for line in lines.out.splitlines())


def test_json_at_a_terminal_is_laid_out(one: Hosted) -> None:
    screen = one.shell.terminal("search", "x", "--json", columns=200)
    assert json.loads(screen.text) == {"facts": [fact("the fact")]}
    assert '  "facts": [' in screen.lines
    assert b"\x1b" not in screen.raw


def test_cells_keep_their_line(hosting: Hosting) -> None:
    hosted = hosting(data({"facts": [fact("a\tb\nc\r\nd\\e", subject="two\nlines")]}))
    done = inside(hosted.shell, "search", "x")
    assert done.out.count("\n") == 1
    assert done.out.rstrip("\n").split("\t")[3] == "two\\nlines"
    assert done.out.rstrip("\n").split("\t")[6] == "a\\tb\\nc\\r\\nd\\\\e"


def test_a_pipe_is_neither_wrapped_nor_cut(hosting: Hosting) -> None:
    text = "word " * 2000
    done = inside(hosting(facts(text), COLUMNS="20").shell, "search", "x")
    assert done.out.rstrip("\n").endswith(text)


# Colour


@pytest.mark.parametrize(
    ("arguments", "variables", "coloured"),
    [
        ((), {}, True),
        ((), {"NO_COLOR": "1"}, False),
        ((), {"NO_COLOR": ""}, True),
        ((), {"NO_COLOR": "1", "FORCE_COLOR": "1"}, False),
        ((), {"NO_COLOR": "1", "CLICOLOR_FORCE": "1"}, False),
        ((), {"FORCE_COLOR": "0"}, False),
        ((), {"CLICOLOR_FORCE": "0"}, False),
        ((), {"TERM": "dumb"}, False),
        ((), {"TERM": "dumb", "FORCE_COLOR": "1"}, True),
        (("--color", "always"), {"NO_COLOR": "1"}, True),
        (("--color", "always"), {"TERM": "dumb"}, True),
        (("--color", "never"), {"FORCE_COLOR": "1"}, False),
        (("--color", "auto"), {"FORCE_COLOR": "0"}, False),
    ],
)
def test_colour_at_a_terminal(
    one: Hosted, arguments: tuple[str, ...], variables: dict[str, str], coloured: bool
) -> None:
    shell = one.shell.with_(**{"TERM": "xterm-256color", **variables})
    done = inside(shell, "search", "x", *arguments, at_terminal=True)
    assert (done.code, "\x1b[" in done.out) == (0, coloured)
    assert "the fact" in done.out


@pytest.mark.parametrize(
    ("arguments", "variables", "coloured"),
    [
        ((), {}, False),
        ((), {"FORCE_COLOR": "1"}, True),
        ((), {"CLICOLOR_FORCE": "1"}, True),
        ((), {"FORCE_COLOR": "0"}, False),
        ((), {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        (("--color=always",), {"NO_COLOR": "1"}, True),
        (("--color=never",), {"FORCE_COLOR": "1"}, False),
        ((), {"GITHUB_ACTIONS": "true", "CI": "1"}, False),
    ],
)
def test_colour_of_an_error_in_a_pipe(
    shell: Shell, arguments: tuple[str, ...], variables: dict[str, str], coloured: bool
) -> None:
    failed = inside(shell.with_(**variables), "search", "", *arguments)
    assert ("\x1b[" in failed.err) == coloured


@pytest.mark.parametrize("form", ["json", "jsonl"])
def test_json_is_never_coloured(hosting: Hosting, form: str) -> None:
    hosted = hosting(facts("a"), refused("not_found", 404), FORCE_COLOR="1", CLICOLOR_FORCE="1")
    for _ in range(2):
        done = inside(hosted.shell, "search", "x", "-o", form, "--color", "always")
        assert "\x1b" not in done.out + done.err


@pytest.mark.parametrize(
    "variables", [{}, {"GITHUB_ACTIONS": "1"}, {"FORCE_COLOR": "1"}, {"CI": "true", "TERM": "xterm"}]
)
def test_help_is_the_same_everywhere(shell: Shell, variables: dict[str, str]) -> None:
    shown = inside(shell.with_(**variables), "search", "--help")
    assert (shown.code, shown.err) == (0, "")
    assert "\x1b" not in shown.out
    assert shown.out.startswith("Usage: brainctl search [OPTIONS] [QUERY]")
    assert inside(shell, "search", "-h").out == inside(shell, "search", "--help").out


# The two streams


def test_only_results_go_to_standard_output(hosting: Hosting) -> None:
    whole = hosting(identity())
    done = inside(
        whole.shell,
        *("keys", "add", "x", "--env", "dev", "--base-url", whole.road.base_url, "--key-stdin", "--json"),
        *("--verbose",),
        stdin=whole.shell.environ["ALFERA_API_KEY"],
    )
    parsed: Any = json.loads(done.out)
    assert parsed["name"] == "x"
    assert "> POST" in done.err


@pytest.mark.parametrize("columns", ["1", "2", "5", "0", "-3", "abc", "2000"])
def test_any_width_is_survived(one: Hosted, columns: str) -> None:
    done = inside(one.shell.with_(COLUMNS=columns), "search", "x", at_terminal=True)
    assert (done.code, done.err) == (0, "")


def test_columns_are_obeyed(hosting: Hosting) -> None:
    hosted = hosting(facts("word " * 40))
    screen = hosted.shell.with_(COLUMNS="60").terminal("search", "x", columns=200)
    assert max(len(line) for line in screen.lines) <= 60


def test_version(shell: Shell) -> None:
    from brainctl import __version__

    assert shell.run("--version") == (0, f"brainctl {__version__}\n", "")
    assert shell.run("-V").out == f"brainctl {__version__}\n"
    for arguments in (("--json", "--version"), ("--version", "--json"), ("-q", "-V"), ("-V", "keys", "list")):
        assert inside(shell, *arguments) == (0, f"brainctl {__version__}\n", ""), arguments
    assert "--version" in inside(shell, "--help").out
