"""Changing one table of a TOML text that people write by hand, and keeping all the rest as it is.

The text is cut into statements, and statements go or come as a whole. No library that keeps comments is needed for
that; the standard library's reader proves the outcome.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from brainctl.cli.mcp.clients.jsonc import EditError

_BARE: Final = re.compile(r"[A-Za-z0-9_-]+")
_TOKEN: Final = re.compile(
    r'"""[\s\S]*?(?<!\\)(?:\\\\)*"{3,5}|\'\'\'[\s\S]*?\'{3,5}|"(?:[^"\\\r\n]|\\.)*"|\'[^\'\r\n]*\'|#[^\r\n]*|[\[\]{}]|\r?\n'
)


class Statement(NamedTuple):
    """A header, or a key with its value, or lines of white space and comments; all with their line ends.

    `path` is the table that it opens (a header), or sits in. `key` is the first part of a key's name.
    """

    kind: str
    text: str
    path: tuple[str, ...]
    key: str = ""


def value_of(text: str) -> dict[str, Any]:
    """What the document says. Raises `EditError`, which says where it cannot be read and nothing of its content."""
    import tomllib

    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        found = re.search(r"\(at (line \d+), column \d+\)", str(error))
        raise EditError(f"{found.group(1) if found else 'at its end'}: it is not TOML") from None


def with_fields(text: str, path: Sequence[str], entry: Mapping[str, Any], ours: Sequence[str]) -> str:
    """The text with a table's fields at `path`: of the fields there, those in `ours` are set or go, others stay.

    Raises `EditError` where the text cannot be read, or where the table is not written under a header of its own.
    """
    there = _table_at(value_of(text), path)
    if there is not None and all(there.get(name) == entry.get(name) for name in {*ours, *entry}):
        return text
    eol = "\r\n" if "\r\n" in text else "\n"
    fields = [f"{_key(name)} = {written(value)}{eol}" for name, value in entry.items()]
    header = f"[{'.'.join(_key(name) for name in path)}]{eol}"
    wanted = tuple(path)
    kept: list[str] = []
    placed = False
    for each in statements(text):
        if each.path[: len(wanted)] == wanted and _is_ours(each, wanted, ours):
            continue
        kept.append(each.text)
        if each.kind == "header" and each.path == wanted and not placed:
            kept.extend(fields)
            placed = True
    if not placed:
        written_so_far = "".join(kept)
        if written_so_far and not written_so_far.endswith("\n"):
            kept.append(eol)
        if written_so_far.strip():
            kept.append(eol)
        kept += [header, *fields]
    changed = "".join(kept)
    _prove(text, changed, path, {**{k: v for k, v in (there or {}).items() if k not in ours}, **entry})
    return changed


def without_table(text: str, path: Sequence[str]) -> str:
    """The text without the table at `path`, and without the tables in it. Comments stay. Raises `EditError`."""
    if _table_at(value_of(text), path) is None:
        return text
    wanted = tuple(path)
    kept = [
        each.text for each in statements(text) if each.kind == "other" or each.path[: len(wanted)] != wanted
    ]
    changed = "".join(kept)
    _prove(text, changed, path, None)
    return changed


def written(value: Any) -> str:
    """A value in TOML: a string, a boolean, a number, a list, or a table on one line."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, list):
        return "[" + ", ".join(written(each) for each in value) + "]"
    if isinstance(value, Mapping):
        pairs = ", ".join(f"{_key(name)} = {written(each)}" for name, each in value.items())
        return f"{{ {pairs} }}" if pairs else "{}"
    return json.dumps(value)


def statements(text: str) -> list[Statement]:
    """The text in pieces that are it again when joined. It must be TOML."""
    found: list[Statement] = []
    path: tuple[str, ...] = ()
    place = 0
    while place < len(text):
        end = _statement_end(text, place)
        piece = text[place:end]
        place = end
        bare = piece.lstrip()
        if not bare or bare.startswith("#"):
            found.append(Statement("other", piece, path))
        elif bare.startswith("["):
            path = _names(value_of(piece))
            found.append(Statement("header", piece, path))
        else:
            found.append(Statement("key", piece, path, _first_name(piece)))
    return found


def _statement_end(text: str, place: int) -> int:
    """Behind the line end that is in no string and in no bracket."""
    depth = 0
    while (found := _TOKEN.search(text, place)) is not None:
        place = found.end()
        token = found.group()
        if token in {"[", "{"}:
            depth += 1
        elif token in {"]", "}"}:
            depth -= 1
        elif token.endswith("\n") and token.strip() == "" and depth <= 0:
            return place
    return len(text)


def _names(tables: Any) -> tuple[str, ...]:
    """The path of the only table in a document of one header."""
    names: list[str] = []
    while isinstance(tables, list) or tables:
        if isinstance(tables, list):
            tables = tables[0]
            continue
        [(name, tables)] = tables.items()
        names.append(name)
    return tuple(names)


def _first_name(piece: str) -> str:
    [name] = value_of(piece)
    return name


def _is_ours(each: Statement, wanted: tuple[str, ...], ours: Sequence[str]) -> bool:
    """Whether a statement in the table at `wanted` says one of the fields that are ours."""
    if each.kind == "other":
        return False
    inner = each.path[len(wanted) :]
    if inner:
        return inner[0] in ours
    return each.kind == "key" and each.key in ours


def _table_at(document: Any, path: Sequence[str]) -> dict[str, Any] | None:
    for name in path:
        if not isinstance(document, dict) or name not in document:
            return None
        document = document[name]
    if not isinstance(document, dict):
        raise EditError(f"{'.'.join(path)} is not a table")
    return document


def _prove(before: str, after: str, path: Sequence[str], table: Mapping[str, Any] | None) -> None:
    """Raises `EditError` where anything but the table at `path` would change."""
    guessing = EditError(f"{'.'.join(path)} is written in a way that cannot be changed without touching more")
    try:
        expected, changed = value_of(before), value_of(after)
    except EditError:
        raise guessing from None
    found = _table_at(value_of(after), path)
    for document in (expected, changed):
        _set(document, path, table)
    if expected != changed or found != (None if table is None else dict(table)):
        raise guessing


def _set(document: dict[str, Any], path: Sequence[str], table: Mapping[str, Any] | None) -> None:
    # What only leads to the table may come and go with it.
    *above, last = path
    place = document
    for name in above:
        place = place.setdefault(name, {})
        if not isinstance(place, dict):
            raise EditError(f"{name} is not a table")
    if table is None:
        place.pop(last, None)
    else:
        place[last] = dict(table)


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else json.dumps(name)
