"""Editing a settings file that somebody writes by hand changes one key, and nothing else."""

import json
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brainctl.cli.mcp.clients import jsonc
from brainctl.cli.mcp.clients.jsonc import EditError

quick = settings(max_examples=25, deadline=None)

ENTRY = {"command": "/bin/brainctl", "args": ["mcp", "serve"]}
PATH = ("mcpServers", "alfera-brain")

# Documents


scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8)
)
names = st.text(max_size=6).filter(lambda name: name not in {"mcpServers", "alfera-brain"})
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=8,
)
COMMENTS = ["", "", "", " ", "/* c */", "/**/"]
LINES = ["\n", "\n  ", "\n\t", ' // note "x": {\n', "\n/* two\nlines */\n", "\n  // more, [\n    "]


class Writer:
    """Writes a value as somebody might: with comments, trailing commas, and white space of all kinds."""

    def __init__(self, draw: st.DrawFn, eol: str) -> None:
        self._draw = draw
        self._eol = eol
        self.comments: list[str] = []

    def gap(self) -> str:
        gap = self._draw(st.sampled_from(COMMENTS + LINES))
        self.comments += re.findall(r"//[^\n]*|/\*[\s\S]*?\*/", gap)
        return gap.replace("\n", self._eol)

    def value(self, value: Any) -> str:
        if isinstance(value, dict):
            return self._many(
                "{",
                "}",
                [
                    f"{json.dumps(name)}{self.gap()}:{self.gap()}{self.value(each)}"
                    for name, each in value.items()
                ],
            )
        if isinstance(value, list):
            return self._many("[", "]", [self.value(each) for each in value])
        return json.dumps(value, ensure_ascii=self._draw(st.booleans()))

    def _many(self, opening: str, closing: str, parts: list[str]) -> str:
        text = opening + self.gap()
        for place, part in enumerate(parts):
            text += part + self.gap()
            if place < len(parts) - 1 or self._draw(st.booleans()):
                text += "," + self.gap()
        return text + closing


@st.composite
def documents(draw: st.DrawFn, ours: bool = False) -> tuple[str, dict[str, Any], list[str]]:
    """A text, what it says, and the comments in it; with `ours`, our entry may stand among other servers."""
    value = draw(st.dictionaries(names, values, max_size=3))
    if draw(st.booleans()) or ours:
        servers = draw(st.dictionaries(names, values, max_size=3))
        if ours:
            items = [*servers.items(), (PATH[1], draw(values))]
            servers = dict(draw(st.permutations(items)))
        value = dict(draw(st.permutations([*value.items(), (PATH[0], servers)])))
    writer = Writer(draw, draw(st.sampled_from(["\n", "\r\n"])))
    text = writer.gap() + writer.value(value) + writer.gap()
    return (
        text,
        value,
        [comment.replace("\n", "\r\n") if "\r\n" in text else comment for comment in writer.comments],
    )


def with_ours(value: dict[str, Any], entry: Any) -> dict[str, Any]:
    return {**value, PATH[0]: {**value.get(PATH[0], {}), PATH[1]: entry}}


def without_ours(value: dict[str, Any]) -> dict[str, Any]:
    return {**value, PATH[0]: {name: each for name, each in value[PATH[0]].items() if name != PATH[1]}}


def same(one: Any, other: Any) -> bool:
    """Equal, in the same order, and with true told from 1."""
    return json.dumps(one) == json.dumps(other)


@quick
@given(documents())
def test_any_document_is_read_as_it_is_meant(document: tuple[str, Any, list[str]]) -> None:
    text, value, _ = document
    assert same(jsonc.value_of(text), value)


@quick
@given(documents())
def test_adding_an_entry_changes_nothing_else(document: tuple[str, Any, list[str]]) -> None:
    text, value, comments = document
    changed = jsonc.with_member(text, PATH, ENTRY)
    assert same(jsonc.value_of(changed), with_ours(value, ENTRY))
    assert all(changed.count(comment) >= text.count(comment) for comment in comments)
    assert jsonc.with_member(changed, PATH, ENTRY) == changed
    if "\r\n" in text:
        assert changed.replace("\r\n", "").count("\n") == text.replace("\r\n", "").count("\n")


@quick
@given(documents())
def test_what_was_there_is_there_still_character_by_character(document: tuple[str, Any, list[str]]) -> None:
    text, _, _ = document
    changed = jsonc.with_member(text, PATH, ENTRY)
    kept = iter(changed)
    # Only white space before the end of an object that was empty may have gone.
    assert all(any(each == other for other in kept) for each in "".join(text.split()))


@quick
@given(documents(ours=True), values)
def test_setting_an_entry_that_is_there_keeps_its_place(
    document: tuple[str, Any, list[str]], entry: Any
) -> None:
    text, value, _ = document
    changed = jsonc.with_member(text, PATH, entry)
    expected = {**value, PATH[0]: {**value[PATH[0]], PATH[1]: entry}}
    assert same(jsonc.value_of(changed), expected)


@quick
@given(documents(ours=True))
def test_taking_an_entry_out_changes_nothing_else(document: tuple[str, Any, list[str]]) -> None:
    text, value, _ = document
    changed = jsonc.without_member(text, PATH)
    assert same(jsonc.value_of(changed), without_ours(value))
    assert jsonc.without_member(changed, PATH) == changed


@quick
@given(documents())
def test_adding_and_taking_out_keeps_every_comment(document: tuple[str, Any, list[str]]) -> None:
    text, value, comments = document
    back = jsonc.without_member(jsonc.with_member(text, PATH, ENTRY), PATH)
    assert same(jsonc.value_of(back), {**value, PATH[0]: value.get(PATH[0], {})})
    assert all(back.count(comment) >= text.count(comment) for comment in comments)


@quick
@given(
    documents(ours=True), st.dictionaries(st.sampled_from(["url", "command", "timeout"]), values, max_size=3)
)
def test_fields_that_are_not_ours_stay(document: tuple[str, Any, list[str]], there: dict[str, Any]) -> None:
    text, value, _ = document
    text = jsonc.with_member(text, PATH, there)
    changed = jsonc.value_of(jsonc.with_fields(text, PATH, ENTRY, ["url", "command", "args"]))
    kept = {"timeout": there["timeout"]} if "timeout" in there else {}
    assert changed[PATH[0]][PATH[1]] == {**kept, **ENTRY}
    assert same(without_ours(changed), without_ours({**value, PATH[0]: {**value[PATH[0]], PATH[1]: 0}}))


@quick
@given(documents(), st.lists(values, max_size=3))
def test_an_item_is_added_to_an_array_and_taken_out(
    document: tuple[str, Any, list[str]], items: list[Any]
) -> None:
    text, _, _ = document
    item = {"id": "ours"}
    text = jsonc.with_member(text, ("inputs",), items)
    changed = jsonc.with_item(text, ("inputs",), item)
    assert same(jsonc.value_of(changed)["inputs"], [*items, item])
    assert jsonc.with_item(changed, ("inputs",), item) == changed
    assert same(jsonc.value_of(jsonc.without_item(changed, ("inputs",), item))["inputs"], items)


# By example


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", '{\n  "s": {\n    "n": {\n      "a": 1\n    }\n  }\n}\n'),
        ("{}", '{\n  "s": {\n    "n": {\n      "a": 1\n    }\n  }\n}'),
        ('{"x":1}\n', '{"x":1, "s": {"n": {"a": 1}}}\n'),
        (
            '{\n\t"x": 1, // one\n}\n',
            '{\n\t"x": 1, // one\n\t"s": {\n\t\t"n": {\n\t\t\t"a": 1\n\t\t}\n\t},\n}\n',
        ),
        (
            '{\r\n    "x": 1 // one\r\n}\r\n',
            '{\r\n    "x": 1, // one\r\n    "s": {\r\n        "n": {\r\n            "a": 1\r\n        }\r\n    }\r\n}\r\n',
        ),
        ('{\n  "s": null\n}\n', '{\n  "s": {\n    "n": {\n      "a": 1\n    }\n  }\n}\n'),
        (
            '{\n  "s": {\n    // none yet\n  }\n}\n',
            '{\n  "s": {\n    // none yet\n    "n": {\n      "a": 1\n    }\n  }\n}\n',
        ),
    ],
)
def test_a_new_entry_is_laid_out_as_its_neighbours_are(before: str, after: str) -> None:
    assert jsonc.with_member(before, ("s", "n"), {"a": 1}) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('{\n  "n": 1,\n  "m": 2\n}\n', '{\n  "m": 2\n}\n'),
        ('{\n  "m": 2,\n  "n": 1\n}\n', '{\n  "m": 2\n}\n'),
        ('{\n  "m": 2, // two\n  "n": 1,\n}\n', '{\n  "m": 2, // two\n}\n'),
        (
            '{\n  "m": 2, // two\n  // ours\n  "n": 1 // one\n}\n',
            '{\n  "m": 2 // two\n  // ours\n   // one\n}\n',
        ),
        ('{"n": 1, "m": 2}', '{"m": 2}'),
        ('{"m": 2, "n": 1}', '{"m": 2}'),
        ('{"n": 1}', "{}"),
    ],
)
def test_an_entry_goes_with_its_line_and_its_comma(before: str, after: str) -> None:
    assert jsonc.without_member(before, ("n",)) == after


@pytest.mark.parametrize(
    "text",
    [
        "{",
        '{"a": 1',
        '{"a" 1}',
        "{a: 1}",
        "{'a': 1}",
        '{"a": 1 "b": 2}',
        '{"a": 01}',
        '{"a": 1}}',
        '{"a": nul}',
        '{"a": "\n"}',
        '{"a": 1} /* open',
        "[1",
        "[" * 100_000,
        '{"a": "\\x"}',
    ],
)
def test_what_cannot_be_read_is_refused(text: str) -> None:
    with pytest.raises(EditError):
        jsonc.with_member(text, PATH, ENTRY)


@pytest.mark.parametrize(
    "text",
    ["[]", "5", '{"mcpServers": []}', '{"mcpServers": "x"}', '{"mcpServers": {}, "mcpServers": {}}'],
)
def test_what_is_in_the_way_is_refused(text: str) -> None:
    with pytest.raises(EditError):
        jsonc.with_member(text, PATH, ENTRY)


def test_an_error_tells_the_line_and_nothing_of_what_stands_there() -> None:
    with pytest.raises(EditError) as refused:
        jsonc.value_of('{\n  "key": "ak_live_secret"\n  "more": 1\n}')
    assert "line 3" in str(refused.value)
    assert "secret" not in str(refused.value)
