"""Text from a brain is data: it is shown as written, and acts on nothing."""

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brainctl.cli.sanitise import StreamSanitiser, cell, json_text, one_line, terminal_text
from tests.cli.hosted import Hosting, data, fact, identity, inside, refused

AS_WRITTEN = [
    "see [refund] and list[str]",
    "[/items] [slug].tsx [/x]",
    "[red]not red[/red] [link=https://evil.example]x[/link] \\[a]",
    "01:cd:ab :key: :smile:",
    "**bold** <b>x</b> {braces} %s \\n $HOME `id`",
    "naïve — 漢字 \U0001f9d1\u200d\U0001f33e \u26a0\ufe0f",
]
ACTING = {
    "\x1b[31mred\x1b[0m": "red",
    "a\x1b[2J\x1b[Hb": "ab",
    "a\x1b]0;title\x07b": "ab",
    "a\x1b]8;;https://evil.example\x1b\\link\x1b]8;;\x1b\\b": "alinkb",
    "a\x1b]52;c;aGk=\x9cb": "ab",
    "a\x9b2Jb": "ab",
    "a\x9d0;t\x9cb": "ab",
    "a\x1bPq\x1b\\b": "ab",
    "a\x1b_x\x1b\\\x1b^y\x1b\\\x1bXz\x1b\\b": "ab",
    "a\x1b(0b": "ab",
    "a\x1bcb": "ab",
    "a\x1b7\x1b8b": "ab",
    "a\x1b[38;2;1;2;3mb": "ab",
    "a\x1b[?1049hb": "ab",
    "a\x00b\x07c\x08d\x7fe": "a\ufffdb\ufffdc\ufffdd\ufffde",
    "a\u202eb\u2066c\u200fd": "a\ufffdb\ufffdc\ufffdd",
    "a\u2028b\u2029c\ufeffd": "a\ufffdb\ufffdc\ufffdd",
    "a\rb": "a\ufffdb",
    "a\r\nb": "a\nb",
    "a\tb\nc": "a\tb\nc",
    "a\ud800b": "a\ufffdb",
    "a\x1b": "a",
    "a\x1b]0;never ended": "a",
    "a\x1b[": "a",
}
FORBIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u200e\u200f\u2028\u2029\ud800-\udfff]"
)


@pytest.mark.parametrize("text", AS_WRITTEN)
def test_markup_and_emoji_codes_are_shown_as_written(hosting: Hosting, text: str) -> None:
    hosted = hosting(data({"facts": [fact(text, subject="[/x]", kind=":key:")]}))
    done = inside(hosted.shell.with_(COLUMNS="200"), "search", "x", at_terminal=True)
    assert done.code == 0
    for written in (text, "[/x]", ":key:"):
        assert written in done.out


@pytest.mark.parametrize("columns", [40, 100])
def test_nothing_in_a_fact_acts_on_a_terminal(hosting: Hosting, columns: int) -> None:
    texts = [text for text in ACTING if "\ud800" not in text]
    found = [fact(text, subject=text, kind=text, recorded_time=text) for text in texts]
    packet = {"packet_version": 1, "rendered": "\n".join(texts), "facts": []}
    hosted = hosting(data({"facts": found}), data(packet))
    for command in ("search", "context"):
        screen = hosted.shell.terminal(command, "x", "--color", "never", columns=columns)
        assert screen.code == 0, screen.text
        assert not FORBIDDEN.search(screen.raw.decode().replace("\r\n", "\n"))
        assert "red" in screen.text


def test_nothing_in_a_keys_name_acts_on_a_terminal(hosting: Hosting) -> None:
    name = "[red]bot\x1b[2J\u202e:key:"
    hosted = hosting(identity(key_name=name, key_prefix=f"ak_live_{name}"), identity(key_name=name))
    screen = hosted.shell.terminal("whoami", "--color", "never", columns=120)
    assert "[red]bot\ufffd:key:" in screen.text
    assert not FORBIDDEN.search(screen.raw.decode().replace("\r\n", "\n"))
    assert json.loads(inside(hosted.shell, "whoami", "--json").out)["key_name"] == name


def test_nothing_in_an_error_acts_on_a_terminal(hosting: Hosting) -> None:
    for text in ACTING:
        if "\ud800" in text:
            continue
        reply = refused("not_found", 404, text, {text: text})
        hosted = hosting(reply, reply)
        failed = inside(hosted.shell, "search", "x")
        assert failed.code == 5
        assert not FORBIDDEN.search(failed.err), (text, failed.err)
        error = json.loads(inside(hosted.shell, "search", "x", "--json").err)["error"]
        assert (error["message"], error["details"]) == (text, {text: text})


def test_nothing_of_a_trace_acts_on_a_terminal(hosting: Hosting) -> None:
    hosted = hosting(data({"facts": [fact("\x1b[2J\x9b31m\u202ex")]}))
    done = inside(hosted.shell, "search", "x", "--verbose", "-o", "json")
    assert not FORBIDDEN.search(done.err)


@pytest.mark.parametrize("text", [text for text in ACTING if "\ud800" not in text])
def test_json_holds_the_text_itself_in_escapes(hosting: Hosting, text: str) -> None:
    hosted = hosting(data({"facts": [fact(text)]}), data({"facts": [fact(text)]}))
    for form in ("json", "jsonl"):
        done = inside(hosted.shell, "search", "x", "-o", form)
        document = json.loads(done.out)
        found = document["facts"][0] if form == "json" else document
        assert found["fact_text"] == text
        assert not FORBIDDEN.search(done.out)


def test_a_pipe_gets_the_text_itself(hosting: Hosting) -> None:
    text = "\x1b[31mred\x1b[0m \u202e [x] :key:"
    packet = {"packet_version": 1, "rendered": text, "facts": []}
    hosted = hosting(data({"facts": [fact(text)]}), data(packet))
    assert inside(hosted.shell, "search", "x").out.endswith(f"\t{text}\n")
    assert inside(hosted.shell, "context", "x").out == text + "\n"


@pytest.mark.parametrize(("text", "shown"), ACTING.items())
def test_what_acts_is_dropped_or_made_visible(text: str, shown: str) -> None:
    assert terminal_text(text) == shown


# Any text at all

UNTIMED = settings(deadline=None)

PIECES = st.sampled_from("\x1b[]\\\x07\x9b\x9d\x9c\x90P?;0m(^X \r\n\ta漢\u202e\ud800")
TEXTS = st.lists(PIECES | st.characters(), max_size=25).map("".join)


@UNTIMED
@given(TEXTS)
def test_no_text_leaves_anything_that_acts(text: str) -> None:
    for shown in (terminal_text(text), one_line(text)):
        assert not FORBIDDEN.search(shown)
    assert "\n" not in one_line(text)


@UNTIMED
@given(st.text(st.characters(exclude_categories=["Cc", "Cf", "Cs", "Zl", "Zp"])))
def test_plain_text_is_shown_as_it_is(text: str) -> None:
    assert terminal_text(text) == text


@UNTIMED
@given(TEXTS)
def test_shown_twice_is_shown_once(text: str) -> None:
    assert terminal_text(terminal_text(text)) == terminal_text(text)


@UNTIMED
@given(st.lists(TEXTS, max_size=8))
def test_a_stream_shows_what_the_whole_would_wherever_it_is_cut(pieces: list[str]) -> None:
    stream = StreamSanitiser()
    shown = "".join([*(stream.feed(piece) for piece in pieces), stream.close()])
    assert shown == terminal_text("".join(pieces))


@UNTIMED
@given(TEXTS)
def test_a_stream_shows_what_the_whole_would_letter_by_letter(text: str) -> None:
    stream = StreamSanitiser()
    assert "".join([*map(stream.feed, text), stream.close()]) == terminal_text(text)


@UNTIMED
@given(TEXTS)
def test_a_cell_is_one_and_can_be_read_back(text: str) -> None:
    written = cell(text)
    assert not set("\t\n\r") & set(written)
    back = re.sub(r"\\(.)", lambda found: {"t": "\t", "n": "\n", "r": "\r"}.get(found[1], found[1]), written)
    assert back == text


@UNTIMED
@given(TEXTS)
def test_json_can_be_read_back_and_holds_nothing_that_acts(text: str) -> None:
    written = json_text(json.dumps({text: text}, ensure_ascii=False))
    assert json.loads(written) == {text: text}
    assert not FORBIDDEN.search(written)
