"""A man page for each command. The same tree gives the same bytes, wherever and whenever they are made."""

from collections.abc import Iterable, Sequence
from typing import Final

from brainctl import __version__
from brainctl.cli.grammar import Flag, Node, shared_flags
from brainctl.cli.manual.entries import Entry, entries
from brainctl.cli.manual.roff import bold, escaped, italic, prose, quoted, verbatim
from brainctl.cli.manual.topics import EXIT_STATUS, FILES, VARIABLES

SECTION: Final = "1"
_KEPT: Final = "\b\n"
"""What a paragraph of a help text starts with whose lines are to be kept."""


def man_pages() -> dict[str, str]:
    """The text of every page, by file name."""
    found = entries()
    shared = shared_flags(found[0].node)
    return {f"{_name(entry.node.path)}.{SECTION}": "\n".join(_page(entry, shared)) + "\n" for entry in found}


def _page(entry: Entry, shared: Sequence[Flag]) -> Iterable[str]:
    name = _name(entry.node.path)
    is_root = len(entry.node.path) == 1
    # No date: the same pages would differ from day to day.
    yield f'.TH {quoted(name.upper())} {SECTION} "" {quoted(f"brainctl {__version__}")} {quoted("brainctl manual")}'
    yield ".SH NAME"
    yield f"{escaped(name)} \\- {escaped(_as_phrase(_sentence(entry)))}"
    yield ".SH SYNOPSIS"
    yield _synopsis(entry)
    yield from _description(entry)
    yield from _section("COMMANDS", [(bold(child.name), _pointed(child)) for child in entry.node.children])
    yield from _section(
        "ARGUMENTS", [(italic(each.shown.strip("[].")), each.help) for each in entry.arguments]
    )
    own = [flag for flag in entry.node.flags if is_root or flag not in shared]
    yield from _section("OPTIONS", [(_spelled(flag), flag.help) for flag in own])
    if not is_root:
        yield ".PP" if own else ".SH OPTIONS"
        yield f"The options that every command takes are told in {_reference(entry.node.path[:1])}."
    yield from _examples(entry)
    if is_root:
        yield from _section("EXIT STATUS", [(bold(code), when) for code, when in EXIT_STATUS])
        yield from _section("ENVIRONMENT", [(bold(variable), use) for variable, use in VARIABLES])
        yield from _section("FILES", [(italic(file), use) for file, use in FILES])
    yield ".SH SEE ALSO"
    above = [] if is_root else [entry.node.path[:-1]]
    yield ",\n".join(_reference(path) for path in (*above, *(child.path for child in entry.node.children)))


def _description(entry: Entry) -> Iterable[str]:
    first, *rest = _paragraphs(entry)
    yield ".SH DESCRIPTION"
    yield prose(first)
    for part in rest:
        if not _is_examples(part):
            yield from _paragraph(part)


def _examples(entry: Entry) -> Iterable[str]:
    for part in _paragraphs(entry):
        if _is_examples(part):
            yield ".SH EXAMPLES"
            yield from verbatim(line.strip() for line in part.split("\n")[2:])


def _paragraphs(entry: Entry) -> list[str]:
    return entry.help.split("\n\n")


def _sentence(entry: Entry) -> str:
    """The first sentence of the help."""
    return " ".join(_paragraphs(entry)[0].split()).partition(". ")[0]


def _is_examples(part: str) -> bool:
    return part.startswith(f"{_KEPT}Examples:")


def _section(head: str, rows: Sequence[tuple[str, str]]) -> Iterable[str]:
    """A section of terms and what is told of each; nothing where there are none."""
    if rows:
        yield f".SH {head}"
    for term, text in rows:
        yield ".TP"
        yield term
        yield prose(text[:1].upper() + text[1:])


def _pointed(child: Node) -> str:
    return f"{child.summary} See `{_name(child.path)}`({SECTION})."


def _synopsis(entry: Entry) -> str:
    words = [bold(" ".join(entry.node.path)), f"[{italic('OPTION')}]..."]
    if entry.node.children:
        words += [italic("COMMAND"), f"[{italic('ARGUMENT')}]..."]
    words += [italic(argument.shown) for argument in entry.arguments]
    return " ".join(words)


def _spelled(flag: Flag) -> str:
    names = ", ".join(bold(name) for name in flag.names)
    value = f" {italic(flag.value.name)}" if flag.value else ""
    return f"{names}{value}"


def _paragraph(part: str) -> Iterable[str]:
    """Running text; or, of lines that are to be kept, the indented ones as they are and the others as text."""
    if not part.startswith(_KEPT):
        yield ".PP"
        yield prose(part)
        return
    block: list[str] = []
    for line in part.removeprefix(_KEPT).split("\n"):
        if line.startswith(" "):
            block.append(line.strip())
            continue
        if block:
            yield from verbatim(block)
            block = []
        yield ".PP"
        yield prose(line)
    if block:
        yield from verbatim(block)


def _reference(path: tuple[str, ...]) -> str:
    return f"{bold(_name(path))}({SECTION})"


def _name(path: tuple[str, ...]) -> str:
    return "-".join(path)


def _as_phrase(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:].rstrip(".")
