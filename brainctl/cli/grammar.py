"""What may stand on a command line, read off the live command tree: the one source of the scripts and the manual."""

import re
from collections.abc import Iterator
from typing import Any, Final, Literal, NamedTuple

PROGRAM: Final = "brainctl"

Kind = Literal["text", "files", "folders", "choices", "profiles", "environments", "answers"]

_KINDS_BY_METAVAR: Final[dict[str, Kind]] = {
    "FILE": "files",
    "DIR": "folders",
    "PROFILE": "profiles",
    "ENV": "environments",
    "ANSWER_ID": "answers",
}
_KINDS_BY_OPTION: Final[dict[str, Kind]] = {"--profile": "profiles", "--env": "environments"}
# Where the metavar alone does not say it: an argument that is called a name, and names a profile there is.
_PROFILE_COMMANDS: Final = ("use", "show", "rename", "remove", "check")
_PROFILE_ARGUMENTS: Final = {(PROGRAM, "keys", command, "NAME") for command in _PROFILE_COMMANDS}
_CHOICES: Final = re.compile(r"[A-Za-z0-9_-]+(\|[A-Za-z0-9_-]+)+")


class Value(NamedTuple):
    """What an option or an argument stands for. `choices` are set for that kind alone; `name` is its metavar."""

    kind: Kind
    name: str
    choices: tuple[str, ...] = ()

    @property
    def asked(self) -> bool:
        """Whether the candidates are only known as the line is typed, by asking brainctl."""
        return self.kind in {"profiles", "environments", "answers"}

    @property
    def word(self) -> str:
        """The value as one word, for scripts that read their own tables: its kind, or `choices:one|two`."""
        return f"choices:{'|'.join(self.choices)}" if self.choices else self.kind


class Flag(NamedTuple):
    """An option: its spellings, what follows it (None: nothing), whether it may be repeated, and a line of help."""

    names: tuple[str, ...]
    value: Value | None
    repeated: bool
    help: str


class Place(NamedTuple):
    """An argument: what it is, and whether any number may follow."""

    value: Value
    repeated: bool

    @property
    def word(self) -> str:
        """The value's word, with a + where any number may follow."""
        return self.value.word + ("+" if self.repeated else "")


class Node(NamedTuple):
    """A command or a group. `path` holds its words from the program's name on; only a group has `children`."""

    path: tuple[str, ...]
    summary: str
    flags: tuple[Flag, ...]
    places: tuple[Place, ...]
    children: tuple["Node", ...]

    @property
    def name(self) -> str:
        return self.path[-1]

    def walk(self) -> Iterator["Node"]:
        """This node and all below it, each before its children."""
        yield self
        for child in self.children:
            yield from child.walk()


def live_tree() -> Node:
    """The tree of brainctl as it is; loads every command's module."""
    from typer.main import get_command

    from brainctl.cli.root import app

    return _node(get_command(app), (PROGRAM,), "", None)


def shared_flags(root: Node) -> tuple[Flag, ...]:
    """The options that every command takes, in the root's order."""
    return tuple(flag for flag in root.flags if all(flag in node.flags for node in root.walk()))


def _node(command: Any, path: tuple[str, ...], summary: str, parent: Any) -> Node:
    import typer

    context = typer.Context(command, info_name=path[-1], parent=parent, **command.context_settings)
    parameters = [each for each in command.get_params(context) if not getattr(each, "hidden", False)]
    arguments = [each for each in parameters if each.param_type_name == "argument"]
    entries = getattr(command, "entries", {})
    return Node(
        path,
        summary,
        tuple(_flag(each, path) for each in parameters if each not in arguments),
        tuple(Place(_value(each, path), each.nargs == -1) for each in arguments),
        tuple(
            _node(command.get_command(context, name), (*path, name), entry.summary, context)
            for name, entry in entries.items()
        ),
    )


def _flag(option: Any, path: tuple[str, ...]) -> Flag:
    value = None if option.is_flag or option.count else _value(option, path)
    return Flag(
        # The parser keeps the spellings of --help in no order.
        names=tuple(sorted((*option.opts, *option.secondary_opts), key=_is_short)),
        value=value,
        repeated=bool(option.multiple or option.count),
        help=" ".join((option.help or "").split()),
    )


def _is_short(name: str) -> bool:
    return not name.startswith("--")


def _value(parameter: Any, path: tuple[str, ...]) -> Value:
    """What a parameter takes, as its metavar says, or, where that says too little, its own name."""
    name = (parameter.metavar or parameter.name or "").strip("[].")
    if _CHOICES.fullmatch(name):
        return Value("choices", name, tuple(name.split("|")))
    if parameter.param_type_name == "argument" and (*path, name) in _PROFILE_ARGUMENTS:
        return Value("profiles", name)
    kind = next((_KINDS_BY_OPTION[each] for each in parameter.opts if each in _KINDS_BY_OPTION), None)
    return Value(kind or _KINDS_BY_METAVAR.get(name, "text"), name)
