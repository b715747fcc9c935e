"""The scripts in the repository, and how they are made."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from brainctl.cli.completion.shells import SHELLS
from brainctl.cli.grammar import Flag, Node, Place, Value, live_tree
from tests.completion.shells import SCRIPTS

HOSTILE = (
    "It's \"so\" \\ `touch pwned` $(touch pwned) $HOME [all]: 100% ; <x> | \\' \u2018touch\u2019 * ~ {a,b} \\"
)


def brainctl(*arguments: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([sys.executable, "-m", "brainctl", *arguments], capture_output=True, check=False)


def made_up_tree() -> Node:
    """A tree whose every text is hostile; its names are not, since they are ours."""
    texts = Value("text", "A[B]:C'D")
    flags = (
        Flag(("--help", "-h"), None, repeated=False, help=HOSTILE),
        Flag(("--output", "-o"), Value("choices", "a|b", ("a", "b")), repeated=False, help=HOSTILE),
    )
    own = Flag(("--many", "-m"), texts, repeated=True, help=HOSTILE)
    folder = Flag(("--into",), Value("folders", "DIR"), repeated=False, help=HOSTILE)
    leaf = Node(("brainctl", "leaf"), HOSTILE, (own, folder, *flags), (Place(texts, repeated=True),), ())
    return Node(("brainctl",), "", flags, (), (leaf,))


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_in_the_repository_is_current(shell: str) -> None:
    file = SCRIPTS / SHELLS[shell].file
    current = SHELLS[shell].script(live_tree()).encode()
    assert file.read_bytes() == current, f"run: brainctl completion {shell} > completions/{file.name}"


def test_the_folder_holds_nothing_else() -> None:
    assert {each.name for each in SCRIPTS.iterdir()} == {shell.file for shell in SHELLS.values()}


@pytest.mark.parametrize("form", ["json", "jsonl", "human"])
def test_a_form_that_is_exported_leaves_what_a_shell_evaluates_as_it_is(
    monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    monkeypatch.setenv("BRAINCTL_OUTPUT", form)
    assert brainctl("completion", "bash").stdout == (SCRIPTS / "brainctl.bash").read_bytes()


def test_the_command_prints_the_script_and_nothing_else() -> None:
    done = brainctl("completion", "zsh")
    assert done.stdout == (SCRIPTS / "_brainctl").read_bytes()
    assert done.stderr == b""


def test_the_command_prints_json_where_asked() -> None:
    reply = json.loads(brainctl("completion", "bash", "--json").stdout)
    assert reply == {"shell": "bash", "script": (SCRIPTS / "brainctl.bash").read_text()}


def test_a_shell_without_a_script_is_a_usage_error() -> None:
    done = brainctl("completion", "tcsh")
    assert done.returncode == 2
    assert done.stdout == b""
    assert b"bash, zsh, fish, powershell" in done.stderr


def test_help_says_how_to_install_for_each_shell() -> None:
    text = brainctl("completion", "--help").stdout.decode()
    assert all(f"brainctl completion {shell}" in text for shell in SHELLS)


PARSE = {"bash": ["-n"], "zsh": ["-n"], "fish": ["-n"]}


@pytest.mark.parametrize("shell", PARSE)
def test_hostile_help_leaves_a_script_that_parses(shell: str, tmp_path: Path) -> None:
    program = shutil.which(shell) or pytest.skip(f"{shell} is not installed here")
    file = tmp_path / "script"
    file.write_text(SHELLS[shell].script(made_up_tree()))
    done = subprocess.run([program, *PARSE[shell], str(file)], capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_powershell_parses_the_scripts(tmp_path: Path) -> None:
    program = (
        shutil.which("pwsh") or shutil.which("powershell") or pytest.skip("PowerShell is not installed here")
    )
    for tree in (live_tree(), made_up_tree()):
        file = tmp_path / "script.ps1"
        file.write_text(SHELLS["powershell"].script(tree), encoding="utf-8-sig")
        parse = f"$e = $null; [void][System.Management.Automation.Language.Parser]::ParseFile('{file}', [ref]$null, [ref]$e); $e"
        done = subprocess.run([program, "-NoProfile", "-Command", parse], capture_output=True, check=False)
        assert done.stdout.strip() == b""


def test_powershell_strings_end_where_they_should() -> None:
    script = SHELLS["powershell"].script(made_up_tree())
    quoted = HOSTILE.replace("'", "''").replace("\u2018", "\u2018\u2018").replace("\u2019", "\u2019\u2019")
    assert script.count(f", '{quoted}')") == 8


def test_fish_shows_help_as_it_was_written(tmp_path: Path) -> None:
    program = shutil.which("fish") or pytest.skip("fish is not installed here")
    file = tmp_path / "script.fish"
    file.write_text(SHELLS["fish"].script(made_up_tree()))
    done = subprocess.run(
        [
            program,
            "--no-config",
            "-c",
            f"source {file}; complete -C 'brainctl lea'; complete -C 'brainctl leaf --man'",
        ],
        env={"PATH": "/nonexistent", "HOME": str(tmp_path), "LC_ALL": "C.UTF-8"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == f"leaf\t{HOSTILE}\n--many\t{HOSTILE}\n"
    assert done.stderr == ""
    assert not (tmp_path / "pwned").exists()
