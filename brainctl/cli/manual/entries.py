"""The commands as the manual tells of them: what the tree holds, with each command's whole help."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from brainctl.cli.grammar import PROGRAM, Node, live_tree


class Argument(NamedTuple):
    """`shown` is how it stands in a synopsis: in brackets where it may be left out."""

    shown: str
    help: str


class Entry(NamedTuple):
    """A command or a group: its place in the tree, the text of its help, and its arguments."""

    node: Node
    help: str
    arguments: tuple[Argument, ...]


def entries() -> list[Entry]:
    """The program itself, then every command, each before those below it. Loads every command's module."""
    from typer.main import get_command

    from brainctl.cli.root import app

    commands = dict(_below(get_command(app), (PROGRAM,)))
    return [_entry(node, commands[node.path]) for node in live_tree().walk()]


def _below(command: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    yield path, command
    for name in getattr(command, "entries", {}):
        yield from _below(command.get_command(None, name), (*path, name))


def _entry(node: Node, command: Any) -> Entry:
    arguments = [each for each in command.params if each.param_type_name == "argument"]
    return Entry(node, command.help or "", tuple(_argument(each) for each in arguments))


def _argument(argument: Any) -> Argument:
    return Argument(argument.metavar or argument.name.upper(), argument.help or "")
