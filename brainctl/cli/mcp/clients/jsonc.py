"""Changing one member of a JSON text that people write by hand: with comments and trailing commas, and all of it
kept but for what is changed.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

_TRIVIA: Final = re.compile(r"(?:[ \t\r\n]+|//[^\r\n]*|/\*[\s\S]*?\*/)*")
_SAME_LINE: Final = re.compile(r"(?:[ \t]+|//[^\r\n]*|/\*[^\r\n]*?\*/)*")
_STRING: Final = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_SCALAR: Final = re.compile(r"-?[0-9][0-9.eE+-]*|true|false|null")
_BLANKS: Final = re.compile(r"[ \t]*")
UNIT_DEFAULT: Final = "  "


class EditError(ValueError):
    """The text cannot be read, or not be changed without guessing. Says where, and nothing of its content."""


class Slot(NamedTuple):
    """A member of an object or an item of an array, from its name or value to its end; `comma` is where its comma
    stands, if it has one.
    """

    name: str | None
    start: int
    node: "Node"
    comma: int | None

    @property
    def end(self) -> int:
        return self.node.end


class Node(NamedTuple):
    """A value and where it stands. `slots` are an object's members or an array's items."""

    start: int
    end: int
    value: Any
    slots: tuple[Slot, ...] = ()


def parsed(text: str) -> Node:
    """The document. Raises `EditError`."""
    reader = _Reader(text)
    try:
        root = reader.value(reader.trivia(0))
    except RecursionError:
        raise EditError("it is nested too deeply") from None
    end = reader.trivia(root.end)
    if end != len(text):
        raise reader.error(end, "there is text after the end of the document")
    return root


def value_of(text: str) -> Any:
    """What the document says; an empty one is an empty object. Raises `EditError`."""
    if not text.strip():
        return {}
    try:
        # Most files are plain JSON, and some are large.
        return json.loads(text)
    except (ValueError, RecursionError):
        return parsed(text).value


def with_member(text: str, path: Sequence[str], value: Any) -> str:
    """The text with the member at `path` set to `value`; objects on the way are made, and stand in for a null.

    Raises `EditError` where the text cannot be read, or where something other than an object is in the way.
    """
    if not text.strip():
        return _laid_out(_nested(path, value), "", UNIT_DEFAULT, _eol(text)) + _eol(text)
    node = parsed(text)
    for depth, name in enumerate(path):
        if not isinstance(node.value, dict):
            raise EditError(f"{'.'.join(path[:depth]) or 'the document'} is not an object")
        found = _member(node, name)
        inner = _nested(path[depth + 1 :], value)
        if found is None:
            return _appended(text, node, f"{_dumped(name)}: ", inner)
        node = found.node
        if depth == len(path) - 1 or node.value is None:
            return text if _same(node.value, inner) else _replaced(text, found, inner)
    return text


def without_member(text: str, path: Sequence[str]) -> str:
    """The text without the member at `path`; as it is where there is none. Raises `EditError`."""
    node = _at(text, path[:-1])
    found = _member(node, path[-1]) if node is not None and isinstance(node.value, dict) else None
    return text if node is None or found is None else _without(text, node, found)


def with_fields(text: str, path: Sequence[str], entry: Mapping[str, Any], ours: Sequence[str]) -> str:
    """The text with an entry's fields at `path`: of the fields there, those in `ours` are set or go, others stay."""
    there = _at(text, path)
    if there is None or not isinstance(there.value, dict):
        return with_member(text, path, dict(entry))
    for name in there.value:
        if name in ours and name not in entry:
            text = without_member(text, (*path, name))
    for name, value in entry.items():
        text = with_member(text, (*path, name), value)
    return text


def with_item(text: str, path: Sequence[str], item: Any) -> str:
    """The text with an item at the end of the array at `path`; the array is made. Raises `EditError`."""
    node = _at(text, path)
    if node is None or node.value is None:
        return with_member(text, path, [item])
    if not isinstance(node.value, list):
        raise EditError(f"{'.'.join(path)} is not an array")
    return text if any(_same(each, item) for each in node.value) else _appended(text, node, "", item)


def without_item(text: str, path: Sequence[str], item: Any) -> str:
    """The text without the item equal to `item` in the array at `path`. Raises `EditError`."""
    node = _at(text, path)
    if node is None or not isinstance(node.value, list):
        return text
    found = [slot for slot in node.slots if _same(slot.node.value, item)]
    return _without(text, node, found[0]) if found else text


def _at(text: str, path: Sequence[str]) -> Node | None:
    """What stands at `path`; None where nothing does."""
    if not text.strip():
        return None
    node = parsed(text)
    for name in path:
        found = _member(node, name) if isinstance(node.value, dict) else None
        if found is None:
            return None
        node = found.node
    return node


def _member(node: Node, name: str) -> Slot | None:
    found = [slot for slot in node.slots if slot.name == name]
    if len(found) > 1:
        raise EditError(f"it has {name} twice")
    return found[0] if found else None


def _same(one: Any, other: Any) -> bool:
    # As JSON, since to Python true is 1.
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def _nested(path: Sequence[str], value: Any) -> Any:
    for name in reversed(path):
        value = {name: value}
    return value


def _replaced(text: str, slot: Slot, value: Any) -> str:
    start, end = slot.node.start, slot.node.end
    on_one_line = isinstance(slot.node.value, list | dict) and not _has_lines(text, start, end)
    laid = (
        _dumped(value)
        if on_one_line
        else _laid_out(value, _indent_at(text, slot.start), _unit(text), _eol(text))
    )
    return text[:start] + laid + text[end:]


def _appended(text: str, node: Node, name: str, value: Any) -> str:
    """The text with a further member or item at the end of a node; `name` comes before the value."""
    unit, eol, base = _unit(text), _eol(text), _indent_at(text, node.start)
    if not node.slots:
        # Comments may stand inside; they go on doing so, before what is new.
        inside = node.start + 1 + len(text[node.start + 1 : node.end - 1].rstrip())
        laid = f"{eol}{base}{unit}{name}{_laid_out(value, base + unit, unit, eol)}{eol}{base}"
        return text[:inside] + laid + text[node.end - 1 :]
    last = node.slots[-1]
    after = last.end if last.comma is None else last.comma + 1
    comma = "," if last.comma is None else ""
    if not _has_lines(text, node.start, node.end):
        return f"{text[: last.end]}{comma}{text[last.end : after]} {name}{_dumped(value)}{text[after:]}"
    indent = _indent_at(text, last.start) if _begins_line(text, last.start) else base + unit
    laid = eol + indent + name + _laid_out(value, indent, unit, eol)
    if last.comma is not None:
        laid += ","
    # What is said on the last one's line is said of that one.
    place = _end(_SAME_LINE, text, after)
    if not _ends_line(text, place):
        place = after
        laid += eol + base
    return text[: last.end] + comma + text[last.end : place] + laid + text[place:]


def _without(text: str, node: Node, slot: Slot) -> str:
    """The text without a member or item, and without its comma, or the one before it where it was the last."""
    start, end = slot.start, slot.end
    if slot.comma is not None:
        # A comment between the value and its comma stays.
        text = text[: slot.comma] + text[slot.comma + 1 :]
    rest = _end(_BLANKS, text, end)
    if _begins_line(text, start) and _ends_line(text, rest):
        # The whole line goes, with the line end before it.
        start = _line_start(text, start)
        if start:
            start -= 2 if text[start - 2 : start] == "\r\n" else 1
        end = rest
    elif slot.comma is not None:
        end = rest
    text = text[:start] + text[end:]
    place = node.slots.index(slot)
    before = node.slots[place - 1].comma if place and slot.comma is None else None
    if before is None:
        return text
    after = start if not text[before + 1 : start].strip(" \t") else before + 1
    return text[:before] + text[after:]


def _end(pattern: re.Pattern[str], text: str, place: int) -> int:
    found = pattern.match(text, place)
    assert found is not None  # these patterns match the empty text too
    return found.end()


def _has_lines(text: str, start: int, end: int) -> bool:
    return any(mark in text[start:end] for mark in "\r\n")


def _line_start(text: str, place: int) -> int:
    return max(text.rfind("\n", 0, place), text.rfind("\r", 0, place)) + 1


def _indent_at(text: str, place: int) -> str:
    """The white space with which the line at this place begins."""
    start = _line_start(text, place)
    return text[start : _end(_BLANKS, text, start)]


def _begins_line(text: str, place: int) -> bool:
    return not text[_line_start(text, place) : place].strip(" \t")


def _ends_line(text: str, place: int) -> bool:
    return place == len(text) or text[place] in "\r\n"


def _unit(text: str) -> str:
    """One step of indentation, as the first indented line has it."""
    found = re.search(r'[\r\n]([ \t]+)"', text)
    return found.group(1) if found else UNIT_DEFAULT


def _eol(text: str) -> str:
    found = re.search(r"\r\n|\n|\r", text)
    return found.group() if found else "\n"


def _dumped(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _laid_out(value: Any, indent: str, unit: str, eol: str) -> str:
    return (eol + indent).join(json.dumps(value, ensure_ascii=False, indent=unit).split("\n"))


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text

    def error(self, place: int, what: str) -> EditError:
        line = self._text.count("\n", 0, place) + 1
        return EditError(f"line {line}: {what}")

    def trivia(self, place: int) -> int:
        return _end(_TRIVIA, self._text, place)

    def value(self, place: int) -> Node:
        character = self._text[place : place + 1]
        if character == "{":
            return self._object(place)
        if character == "[":
            return self._array(place)
        found = (_STRING if character == '"' else _SCALAR).match(self._text, place)
        if found is None:
            raise self.error(place, "a value is missing or misspelt")
        return Node(place, found.end(), self._scalar(found))

    def _scalar(self, found: re.Match[str]) -> Any:
        try:
            return json.loads(found.group())
        except ValueError:
            raise self.error(found.start(), "a value is misspelt") from None

    def _object(self, start: int) -> Node:
        slots: list[Slot] = []
        place = self.trivia(start + 1)
        while self._text[place : place + 1] != "}":
            key = _STRING.match(self._text, place)
            if key is None:
                raise self.error(place, "a name in double quotes, or } is missing")
            colon = self.trivia(key.end())
            if self._text[colon : colon + 1] != ":":
                raise self.error(colon, "a colon is missing")
            node = self.value(self.trivia(colon + 1))
            comma, place = self._comma(node.end, "}")
            slots.append(Slot(self._scalar(key), key.start(), node, comma))
        return Node(start, place + 1, {slot.name: slot.node.value for slot in slots}, tuple(slots))

    def _array(self, start: int) -> Node:
        slots: list[Slot] = []
        place = self.trivia(start + 1)
        while self._text[place : place + 1] != "]":
            node = self.value(place)
            comma, place = self._comma(node.end, "]")
            slots.append(Slot(None, node.start, node, comma))
        return Node(start, place + 1, [slot.node.value for slot in slots], tuple(slots))

    def _comma(self, end: int, closing: str) -> tuple[int | None, int]:
        """Where the comma after a value stands, and where what follows begins."""
        place = self.trivia(end)
        if self._text[place : place + 1] == ",":
            return place, self.trivia(place + 1)
        if self._text[place : place + 1] != closing:
            raise self.error(place, f"a comma or {closing} is missing")
        return None, place
