"""`brainctl __complete`: what a shell asks for as a person types."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from brainctl.cli.completing import ANSWERS_SHOWN

FORBIDDEN = {"httpx", "keyring", "platformdirs", "rich", "sqlite3", "typer", "typing"}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "config").mkdir()
    (tmp_path / "state").mkdir()
    return tmp_path


def configure(home: Path, **environments: list[str]) -> None:
    content = {
        "version": 1,
        "current": "production",
        "environments": {
            name: {"profiles": {each: {} for each in profiles}} for name, profiles in environments.items()
        },
    }
    (home / "config" / "config.json").write_text(json.dumps(content))


def journal(home: Path, *lines: str) -> None:
    (home / "state" / "answers.jsonl").write_text("".join(f"{line}\n" for line in lines))


def answered(answer_id: object) -> str:
    return json.dumps({"answer_id": answer_id})


def run(arguments: list[str], variables: dict[str, str]) -> subprocess.CompletedProcess[str]:
    # What the interpreter itself needs on Windows, and what measures coverage.
    kept = {
        name: os.environ[name] for name in ("SYSTEMROOT", "COVERAGE_PROCESS_CONFIG") if name in os.environ
    }
    return subprocess.run(
        [sys.executable, "-m", "brainctl", "__complete", *arguments],
        env={**kept, **variables},
        capture_output=True,
        text=True,
        check=False,
    )


def ask(home: Path, *arguments: str) -> list[str]:
    done = run(list(arguments), {"BRAINCTL_HOME": str(home)})
    assert done.returncode == 0
    assert done.stderr == ""
    return done.stdout.splitlines()


def test_profiles_of_the_current_environment_are_plain_names(home: Path) -> None:
    configure(home, production=["main", "support"], dev=["main", "sandbox"])
    assert ask(home, "profiles", "") == ["dev/main", "main", "sandbox", "support"]


def test_profiles_of_the_environment_on_the_line_are_its_own(home: Path) -> None:
    configure(home, production=["main", "support"], dev=["main", "sandbox"])
    assert ask(home, "profiles", "--env", "dev", "") == ["main", "sandbox"]
    assert ask(home, "profiles", "--env", "dev", "s") == ["sandbox"]
    assert ask(home, "profiles", "--env", "nosuch", "") == []


def test_environments_have_the_built_in_one(home: Path) -> None:
    configure(home, dev=[])
    assert ask(home, "environments", "") == ["dev", "production"]
    assert ask(home, "environments", "p") == ["production"]


def test_answers_come_newest_first_and_once(home: Path) -> None:
    journal(home, *map(answered, ["event_1", "run_2", "event_1", "event_3"]))
    assert ask(home, "answers", "") == ["event_3", "event_1", "run_2"]
    assert ask(home, "answers", "run_") == ["run_2"]


def test_only_the_newest_answers_of_a_long_journal_are_read(home: Path) -> None:
    journal(home, *(answered(f"event_{number:06}") for number in range(10_000)))
    newest = [f"event_{number:06}" for number in range(9_999, 9_999 - ANSWERS_SHOWN, -1)]
    assert ask(home, "answers", "") == newest
    assert ask(home, "answers", "event_000000") == []


def test_lines_that_are_no_answers_are_passed_over(home: Path) -> None:
    lines = [
        answered("event_1"),
        "",
        "{",
        "[]",
        "null",
        "1",
        '"text"',
        '{"request": {}}',
        answered(None),
        answered(7),
        answered(["event_2"]),
        answered("event 3"),
        answered("$(touch x)"),
        answered(""),
        answered("-p"),
        answered("event_\u0001"),
        answered("\u00e9vent_4"),
        "[" * 30_000,
    ]
    journal(home, *lines)
    assert ask(home, "answers", "") == ["event_1"]


def test_a_journal_of_bytes_that_are_no_text_offers_nothing(home: Path) -> None:
    (home / "state" / "answers.jsonl").write_bytes(bytes(range(256)) * 1000)
    assert ask(home, "answers", "") == []


def test_names_that_would_need_quoting_are_passed_over(home: Path) -> None:
    configure(home, production=["a b", "$(x)", "x:y", "x\ny", "-p", "", "*", "caf\u00e9", "plain_1-A"])
    assert ask(home, "profiles", "") == ["plain_1-A"]


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "[]",
        "null",
        '{"environments": 3}',
        '{"environments": {"dev": 3}}',
        '{"environments": {"dev": {"profiles": [1, {}, null]}}}',
        '{"environments": {"production": {"profiles": [1, {}, null]}}, "current": []}',
        "[" * 100_000,
        "\x00\x00",
    ],
)
@pytest.mark.parametrize("kind", ["profiles", "environments"])
def test_a_corrupt_configuration_offers_nothing_of_its_own_and_says_nothing(
    home: Path, content: str, kind: str
) -> None:
    (home / "config" / "config.json").write_text(content)
    assert set(ask(home, kind, "")) <= {"production", "dev"}
    assert (home / "config" / "config.json").read_text() == content


@pytest.mark.parametrize("kind", ["profiles", "environments", "answers"])
def test_a_machine_with_nothing_on_it_stays_so(tmp_path: Path, kind: str) -> None:
    home = tmp_path / "new"
    assert ask(home, kind, "x") == []
    assert not home.exists()


@pytest.mark.parametrize("kind", ["profiles", "environments", "answers"])
def test_no_home_is_no_trouble(kind: str) -> None:
    done = run([kind, ""], {})
    assert done.returncode == 0
    assert done.stderr == ""


@pytest.mark.parametrize(
    "arguments",
    [[], ["nosuch", ""], ["profiles"], ["profiles", "--env"], ["profiles", "--env", "x"], ["--env", "x"]],
)
def test_a_request_of_another_form_offers_nothing_and_says_nothing(home: Path, arguments: list[str]) -> None:
    assert ask(home, *arguments) == []


@pytest.mark.skipif(sys.platform == "win32", reason="descriptors are closed in the POSIX way")
def test_a_closed_output_is_no_trouble(home: Path) -> None:
    configure(home, production=["main"])
    done = subprocess.run(
        ["/bin/sh", "-c", '"$0" -m brainctl __complete profiles "" >&-', sys.executable],
        env={"BRAINCTL_HOME": str(home)},
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("place", ["BRAINCTL_HOME", "HOME"])
@pytest.mark.parametrize("kind", ["profiles", "environments", "answers"])
def test_a_request_loads_next_to_nothing(home: Path, place: str, kind: str) -> None:
    if place == "HOME" and sys.platform != "linux":
        pytest.skip("elsewhere the system is asked where files belong")
    configure(home, production=["main"])
    journal(home, answered("event_1"))
    script = (
        "import json, sys\n"
        "before = set(sys.modules)\n"
        "from brainctl.cli.main import main\n"
        f"assert main(['__complete', '{kind}', '']) == 0\n"
        "print(json.dumps(sorted(set(sys.modules) - before)))\n"
    )
    # -S: what an installed package puts into every start is not ours.
    done = subprocess.run(
        [sys.executable, "-S", "-c", script],
        env={place: str(home), "PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = set(json.loads(done.stdout.splitlines()[-1]))
    assert "brainctl.cli.completing" in loaded
    assert FORBIDDEN & loaded == set()
