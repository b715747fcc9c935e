"""The command tree says the same in a group's list as in a command's own help, and loads nothing it need not."""

import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.main import get_command

from brainctl.cli.grammar import Node, live_tree, shared_flags
from brainctl.cli.root import app
from brainctl.cli.tree import Entry

COMMANDS = Path(__file__).parents[2] / "brainctl" / "cli" / "commands"
MODULES = sorted(COMMANDS.rglob("*.py"))

AT_THE_TOP = ("typer", "typing", "collections.abc", "os", "re", "brainctl.cli", "brainctl.contract")
INSIDE_A_FUNCTION = (
    *AT_THE_TOP,
    "brainctl.profiles",
    "brainctl.engine",
    *(sys.stdlib_module_names - {"sqlite3"}),
)

HEAVY = {
    "asyncio",
    "brainctl.client",
    "brainctl.engine",
    "email",
    "httpx",
    "keyring",
    "logging",
    "platformdirs",
    "rich",
    "sqlite3",
    "ssl",
    "urllib.request",
}


def entries() -> Iterator[tuple[str, Entry, str]]:
    """Every command's words, its entry in its group, and its own help."""

    def below(group: object, path: tuple[str, ...]) -> Iterator[tuple[str, Entry, str]]:
        for name, entry in getattr(group, "entries", {}).items():
            command = group.get_command(None, name)  # type: ignore[attr-defined]  # what has entries is a group
            yield " ".join((*path, name)), entry, command.help
            yield from below(command, (*path, name))

    return below(get_command(app), ())


ENTRIES = list(entries())


@pytest.mark.parametrize(("entry", "text"), [each[1:] for each in ENTRIES], ids=[each[0] for each in ENTRIES])
def test_a_command_is_summed_up_by_the_first_sentence_of_its_help(entry: Entry, text: str) -> None:
    first_paragraph = " ".join(text.partition("\n\n")[0].split())
    assert re.split(r"(?<=\.) ", first_paragraph)[0] == entry.summary


def imports(tree: ast.AST, *, inside: bool) -> Iterator[str]:
    """The modules that are imported as a file is read, and with `inside` as its functions run."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield str(node.module)
        elif isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        elif inside or not isinstance(node, ast.FunctionDef):
            yield from imports(node, inside=inside)


def among(module: str, allowed: tuple[str, ...]) -> bool:
    return any(module == each or module.startswith(f"{each}.") for each in allowed)


@pytest.mark.parametrize("file", MODULES, ids=[str(each.relative_to(COMMANDS)) for each in MODULES])
def test_a_command_imports_brains_and_keys_only_as_it_runs(file: Path) -> None:
    tree = ast.parse(file.read_text())
    assert [each for each in imports(tree, inside=False) if not among(each, AT_THE_TOP)] == []
    assert [each for each in imports(tree, inside=True) if not among(each, INSIDE_A_FUNCTION)] == []


def test_the_whole_tree_loads_nothing_heavy() -> None:
    script = (
        "import json, sys, typer, typer.main\n"
        "before = set(sys.modules)\n"
        "from brainctl.cli.grammar import live_tree\n"
        "live_tree()\n"
        "print(json.dumps(sorted(set(sys.modules) - before)))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert HEAVY.intersection(json.loads(done.stdout)) == set()


TREE = live_tree()


def test_every_command_takes_the_shared_options() -> None:
    names = {name for flag in shared_flags(TREE) for name in flag.names}
    assert names >= {"--output", "-o", "--json", "--profile", "-p", "--env", "-e", "--help"}


@pytest.mark.parametrize("node", list(TREE.walk()), ids=[" ".join(each.path) for each in TREE.walk()])
def test_every_name_stands_in_a_script_without_quotes(node: Node) -> None:
    assert re.fullmatch(r"[a-z0-9-]+", node.name)
    for flag in node.flags:
        assert all(re.fullmatch(r"-[A-Za-z0-9]|--[a-z0-9][a-z0-9-]*", name) for name in flag.names)


@pytest.mark.parametrize("node", list(TREE.walk()), ids=[" ".join(each.path) for each in TREE.walk()])
def test_no_spelling_of_an_option_has_two_meanings(node: Node) -> None:
    names = [name for flag in node.flags for name in flag.names]
    assert sorted(names) == sorted(set(names))


@pytest.mark.parametrize("command", ["use", "show", "rename", "remove", "check"])
def test_commands_on_profiles_complete_their_names(command: str) -> None:
    [node] = [each for each in TREE.walk() if each.path == ("brainctl", "keys", command)]
    assert node.places[0].value.kind == "profiles"
