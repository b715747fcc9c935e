"""Editing a TOML file that somebody writes by hand changes one table, and nothing else."""

import tomllib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brainctl.cli.mcp.clients import toml_table
from brainctl.cli.mcp.clients.jsonc import EditError

PATH = ("mcp_servers", "alfera-brain")
quick = settings(max_examples=25, deadline=None)

ENTRY = {"command": "/bin/brainctl", "args": ["mcp", "serve"], "env": {"A": "b"}}
OURS = ("command", "args", "env", "url", "bearer_token_env_var")

keys = st.sampled_from(["model", "a", "b-c", '"x y"', "'q'", '"[t]"'])
values = st.sampled_from(
    [
        "1",
        "true",
        '"s # no comment"',
        "'lit [x]'",
        '"""many\nlines [mcp_servers.alfera-brain]\n"""',
        "'''more\n[mcp_servers.alfera-brain]\nurl = 1\n'''",
        "[1, 2]",
        '[\n  "a", # one ]\n  "b",\n]',
        "{ x = 1, y = [2] }",
        "1979-05-27T07:32:00Z",
        '"\\" [x]"',
    ]
)
comments = st.sampled_from(["", "# note [x]\n", "\n", "  # [mcp_servers.alfera-brain]\n", "\n\n"])
other_tables = st.sampled_from(
    [
        "[mcp_servers.other]",
        "[profiles.x]",
        "[[list]]",
        "[ mcp_servers . third ]",
        '[mcp_servers."a.b"]',
        "[mcp_servers.alfera-brain-2]",
    ]
)


@st.composite
def bodies(draw: st.DrawFn) -> str:
    text = ""
    for key in draw(st.lists(keys, max_size=3, unique=True)):
        text += draw(comments) + f"{key} = {draw(values)}" + draw(st.sampled_from(["\n", " # end\n"]))
    return text + draw(comments)


@st.composite
def documents(draw: st.DrawFn) -> str:
    text = draw(bodies())
    for header in draw(st.lists(other_tables, max_size=4, unique=True)):
        text += f"{header}\n{draw(bodies())}"
    text = text.replace("\n", draw(st.sampled_from(["\n", "\r\n"])))
    return text.rstrip("\r\n") if draw(st.booleans()) else text


def table(text: str) -> Any:
    return tomllib.loads(text).get(PATH[0], {}).get(PATH[1])


def rest(text: str) -> dict[str, Any]:
    document = tomllib.loads(text)
    servers = document.setdefault(PATH[0], {})
    servers.pop(PATH[1], None)
    return document


@quick
@given(documents())
def test_statements_are_the_text_in_pieces(text: str) -> None:
    assert "".join(each.text for each in toml_table.statements(text)) == text


@quick
@given(documents())
def test_adding_a_table_changes_nothing_else(text: str) -> None:
    changed = toml_table.with_fields(text, PATH, ENTRY, OURS)
    assert changed.startswith(text)
    assert table(changed) == ENTRY
    assert rest(changed) == rest(text)
    assert toml_table.with_fields(changed, PATH, ENTRY, OURS) == changed


@quick
@given(documents(), documents(), bodies())
def test_changing_a_table_keeps_what_is_not_ours(before: str, after: str, body: str) -> None:
    text = f"{before}\n[mcp_servers.alfera-brain]\ncommand = 'old' # mine\n{body}"
    tail = "\n[z]\n" if "[" in after else ""
    changed = toml_table.with_fields(text + tail, PATH, ENTRY, OURS)
    assert table(changed) == {**{k: v for k, v in table(text).items() if k not in OURS}, **ENTRY}
    assert rest(changed) == rest(text + tail)


@quick
@given(documents(), bodies())
def test_taking_a_table_out_changes_nothing_else(text: str, body: str) -> None:
    whole = (
        f"{text}\n[mcp_servers.alfera-brain]\n{body}[mcp_servers.alfera-brain.env]\nA = 'b'\n# kept\n[z]\n"
    )
    changed = toml_table.without_table(whole, PATH)
    assert table(changed) is None
    assert rest(changed) == rest(whole)
    assert "# kept\n" in changed
    assert toml_table.without_table(changed, PATH) == changed


def test_a_table_is_appended_after_a_blank_line() -> None:
    assert toml_table.with_fields('model = "x"', PATH, {"command": "c"}, OURS) == (
        'model = "x"\n\n[mcp_servers.alfera-brain]\ncommand = "c"\n'
    )
    assert (
        toml_table.with_fields("", PATH, {"command": "c"}, OURS)
        == '[mcp_servers.alfera-brain]\ncommand = "c"\n'
    )


def test_the_way_a_server_is_reached_is_changed_whole() -> None:
    text = '[mcp_servers.alfera-brain]\nurl = "u"\nbearer_token_env_var = "K"\nstartup_timeout_sec = 9\n'
    assert toml_table.with_fields(text, PATH, {"command": "c"}, OURS) == (
        '[mcp_servers.alfera-brain]\ncommand = "c"\nstartup_timeout_sec = 9\n'
    )


@pytest.mark.parametrize(
    "text",
    [
        'mcp_servers = { alfera-brain = { url = "u" } }\n',
        "mcp_servers = {}\n",
        'mcp_servers.alfera-brain.url = "u"\n',
        '[mcp_servers]\nalfera-brain.url = "u"\n',
        '[mcp_servers]\nalfera-brain = { url = "u" }\n',
        "mcp_servers = 5\n",
        "[mcp_servers]\nalfera-brain = 5\n",
        "a = \n",
        "[a\n",
        "a = 1\na = 2\n",
    ],
)
def test_what_cannot_be_changed_without_guessing_is_refused(text: str) -> None:
    with pytest.raises(EditError):
        toml_table.with_fields(text, PATH, {"command": "c"}, OURS)


@quick
@given(st.text())
def test_any_text_is_written_so_that_it_is_read_back(text: str) -> None:
    assert tomllib.loads(f"a = {toml_table.written(text)}")["a"] == text
