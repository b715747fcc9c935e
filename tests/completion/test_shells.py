"""What bash, zsh and fish offer as a line is typed."""

import json
from pathlib import Path

import pytest

from tests.completion.shells import NOT_THERE, Bash, Shell


@pytest.fixture
def configured(shell: Shell, programs: Path) -> Shell:
    """A shell that finds brainctl, and a machine with profiles, environments and answers."""
    brain = shell.folder / "brain"
    shell.path = str(programs)
    shell.variables["BRAINCTL_HOME"] = str(brain)
    (brain / "config").mkdir(parents=True)
    (brain / "state").mkdir()
    environments = {
        "production": {"current": "main", "profiles": {"main": {}, "support": {}}},
        "dev": {"current": "main", "profiles": {"main": {}, "sandbox": {}}},
    }
    content = {"version": 1, "current": "production", "environments": environments}
    (brain / "config" / "config.json").write_text(json.dumps(content))
    rows = [json.dumps({"answer_id": f"event_{letter}"}) for letter in "bca"]
    (brain / "state" / "answers.jsonl").write_text("\n".join(rows) + "\n")
    return shell


def starts(programs: Path) -> list[str]:
    log = programs / "started"
    return log.read_text().splitlines() if log.exists() else []


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("brainctl sea", {"search"}),
        ("brainctl brain keys ", {"create", "list", "revoke"}),
        ("brainctl -o json brain ke", {"keys"}),
        ("brainctl --output=json --quiet brain ke", {"keys"}),
        ("brainctl -qo json brain ke", {"keys"}),
        ("brainctl -p search bra", {"brain"}),
        ("brainctl -- sea", {"search"}),
    ],
)
def test_commands_complete_without_a_process(shell: Shell, line: str, offered: set[str]) -> None:
    assert set(shell.candidates(line)) == offered


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("brainctl search --lim", "--limit"),
        ("brainctl --verb", "--verbose"),
        ("brainctl --vers", "--version"),
        ("brainctl teach --no-res", "--no-resume"),
        ("brainctl brain keys create --aud", "--audience"),
        ("brainctl -p search brain keys create --audience external --sav", "--save-as"),
        ("brainctl search 'two words' --lim", "--limit"),
        ("brainctl search --json query --end-user-n", "--end-user-name"),
    ],
)
def test_options_complete_without_a_process(shell: Shell, line: str, offered: str) -> None:
    # zsh may keep the = that a value can follow.
    assert {each.rstrip("=") for each in shell.candidates(line)} == {offered}


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("brainctl -o ", {"human", "json", "jsonl"}),
        ("brainctl search --output js", {"json", "jsonl"}),
        ("brainctl search --output=js", {"json", "jsonl"}),
        ("brainctl search -qo js", {"json", "jsonl"}),
        ("brainctl teach --format ", {"text", "jsonl", "csv"}),
        ("brainctl completion ", {"bash", "zsh", "fish", "powershell"}),
        ("brainctl completion -q z", {"zsh"}),
        ("brainctl brain keys create bot --audience e", {"external"}),
    ],
)
def test_choices_complete_without_a_process(shell: Shell, line: str, offered: set[str]) -> None:
    assert set(shell.candidates(line)) == offered


@pytest.mark.parametrize(
    "line",
    [
        "brainctl search -- --lim",
        "brainctl search ",
        "brainctl nosuch ",
        "brainctl nosuch sea",
        "brainctl completion bash z",
        "brainctl search --limit ",
    ],
)
def test_nothing_is_offered_where_only_a_person_knows(shell: Shell, line: str) -> None:
    assert shell.candidates(line) == []


def test_options_of_another_command_are_not_offered(shell: Shell) -> None:
    assert shell.candidates("brainctl whoami --lim") == []


def test_files_complete_where_a_file_is_meant(shell: Shell) -> None:
    (shell.folder / "handbook one.txt").touch()
    assert any("handbook" in each for each in shell.candidates("brainctl teach --file hand"))
    assert any("handbook" in each for each in shell.candidates("brainctl teach -f hand"))


@pytest.mark.parametrize(
    ("line", "offered", "request_"),
    [
        ("brainctl -p ma", ["main"], "profiles ma"),
        ("brainctl search --profile=sup", ["support"], "profiles sup"),
        ("brainctl --env dev search -p ", ["main", "sandbox"], "profiles --env dev "),
        ("brainctl --env=dev -p sand", ["sandbox"], "profiles --env dev sand"),
        ("brainctl -e 'dev' -p sand", ["sandbox"], "profiles --env dev sand"),
        ("brainctl -edev -p sand", ["sandbox"], "profiles --env dev sand"),
        ("brainctl search -e d", ["dev"], "environments d"),
        ("brainctl search --env ", ["dev", "production"], "environments "),
        ("brainctl keys use sup", ["support"], "profiles sup"),
        ("brainctl wait ", ["event_a", "event_c", "event_b"], "answers "),
    ],
)
def test_values_come_from_one_request(
    configured: Shell, programs: Path, line: str, offered: list[str], request_: str
) -> None:
    assert configured.candidates(line) == offered
    assert starts(programs) == [f"__complete {request_}"]


def test_a_brainctl_named_by_its_path_is_the_one_asked(configured: Shell, programs: Path) -> None:
    configured.path = NOT_THERE
    assert configured.candidates(f"{programs}/brainctl -p sup") == ["support"]


def test_values_that_would_need_quoting_are_passed_over(shell: Shell, liar: Path) -> None:
    shell.path = str(liar)
    assert shell.candidates("brainctl --profile ") == ["plain"]
    assert not list(shell.folder.rglob("pwned"))


def test_what_was_typed_is_never_run(shell: Shell, liar: Path) -> None:
    shell.path = str(liar)
    for typed in ("'$(touch pwned)'", "'`touch pwned`'", "'*'"):
        shell.candidates(f"brainctl --env {typed} --profile ")
    assert not list(shell.folder.rglob("pwned"))


def test_a_missing_brainctl_offers_nothing_and_says_nothing(shell: Shell) -> None:
    assert shell.candidates("brainctl --profile ") == []


def test_bash_repeats_the_option_where_an_equals_sign_does_not_part_words(bash: Bash) -> None:
    bash.breaks = "\"'><;|&("
    assert bash.candidates("brainctl --output=js") == ["--output=json", "--output=jsonl"]
    assert bash.candidates("brainctl --output=json sea") == ["search"]


def test_bash_is_not_confused_by_words_that_a_colon_cuts(bash: Bash) -> None:
    assert bash.candidates("brainctl api POST /v1/x -f limit:=3 --inp") == ["--input"]


def test_bash_offers_options_where_no_argument_is_missing(bash: Bash) -> None:
    assert "--json" in bash.candidates("brainctl whoami ")


@pytest.mark.parametrize(
    ("typed", "completed"),
    [
        ("brainctl sea", "brainctl search "),
        ("FOO=1 brainctl sea", "FOO=1 brainctl search "),
        ("brainctl search --output=hu", "brainctl search --output=human "),
        ('brainctl search --output="hu', 'brainctl search --output="human" '),
        ("brainctl teach --file=hand", "brainctl teach --file=handbook\\ one.txt "),
        ('brainctl teach -f "hand', 'brainctl teach -f "handbook one.txt" '),
        ("brainctl search hand", "brainctl search hand"),
    ],
)
def test_bash_completes_a_line_at_a_terminal(bash: Bash, typed: str, completed: str) -> None:
    (bash.folder / "handbook one.txt").touch()
    assert bash.completed(typed) == completed
