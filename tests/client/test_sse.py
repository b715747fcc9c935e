"""Events out of bytes, however the bytes arrive."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brainctl.client import sse
from brainctl.client.failures import ExchangeError
from brainctl.client.sse import ServerSent, answer_events, server_sent
from brainctl.contract.events import COMPLETED, CREATED, DELTA, DONE, Event

STREAM = (
    '\ufeffevent: answer.created\ndata: {"answer_id":"run_1"}\n\n: ping\n\nid: 7\n\n'
    'event: answer.delta\r\ndata: {"text":"caf\u00e9 \U0001f600 \u2028\u2029\x85\x0b\x0c\x1c"}\r\n\r\n'
    'event: answer.completed\rdata: {"output_text":\rdata: "x"}\r\r'
    'retry: 5\n\nevent: answer.tomorrow\ndata: not json\n\nevent:done\ndata:{"ok":true}\n\n'
).encode()


def decoded(*chunks: bytes) -> list[ServerSent]:
    return list(server_sent(chunks))


def asked(*chunks: bytes) -> list[Event]:
    return list(answer_events(chunks, eventless_seconds=10))


def test_a_stream_of_every_oddity_gives_the_events_and_nothing_else() -> None:
    assert asked(STREAM) == [
        Event(CREATED, {"answer_id": "run_1"}),
        Event(DELTA, {"text": "caf\u00e9 \U0001f600 \u2028\u2029\x85\x0b\x0c\x1c"}),
        Event(COMPLETED, {"output_text": "x"}),
        Event(DONE, {"ok": True}),
    ]


def test_a_byte_at_a_time_is_the_same_stream() -> None:
    assert asked(*[STREAM[place : place + 1] for place in range(len(STREAM))]) == asked(STREAM)


PIECES = st.sampled_from(
    [
        "event: answer.delta",
        "data: {}",
        "data:x",
        "data",
        ":",
        ": ping",
        "id: 1",
        "retry: 9",
        "event",
        "\ufeff",
    ]
)
LINES = st.lists(
    st.tuples(PIECES | st.text(max_size=5), st.sampled_from(["\n", "\r", "\r\n", "\n\n"])), max_size=20
)


@settings(deadline=None, max_examples=200)
@given(LINES, st.lists(st.integers(0, 400), max_size=8))
def test_where_the_bytes_are_split_never_matters(lines: list[tuple[str, str]], cuts: list[int]) -> None:
    whole = "".join(text + end for text, end in lines).encode("utf-8", "replace")
    places = sorted({0, len(whole), *(cut for cut in cuts if cut < len(whole))})
    chunks = [whole[start:end] for start, end in pairwise(places)]
    assert decoded(*chunks) == decoded(whole)


@pytest.mark.parametrize("split", [1, 2, 3])
def test_a_byte_order_mark_is_passed_over_even_in_parts(split: int) -> None:
    text = b"\xef\xbb\xbfevent: done\ndata: {}\n\n"
    assert decoded(text[:split], text[split:]) == [ServerSent("done", "{}")]


def test_keep_alives_after_an_id_are_no_events() -> None:
    assert decoded(b"id: 1\ndata: a\n\n: ping\n\n: ping\n\nretry: 3\n\n") == [ServerSent("message", "a")]


def test_a_name_is_forgotten_with_its_event() -> None:
    assert decoded(b"event: done\n\ndata: x\n\n") == [ServerSent("done", ""), ServerSent("message", "x")]


def test_lines_of_data_are_joined_and_lose_one_blank_only() -> None:
    assert decoded(b"data: a\ndata:  b\ndata\n\n") == [ServerSent("message", "a\n b\n")]


def test_an_event_comes_out_with_a_lone_carriage_return_and_not_later() -> None:
    assert decoded(b"data: a\r\r") == [ServerSent("message", "a")]


def test_an_event_that_the_end_cuts_off_is_dropped() -> None:
    assert decoded(b'event: answer.completed\ndata: {"output_text":"x"}\n') == []


def test_a_large_event_in_small_chunks_is_whole() -> None:
    event = b'event: answer.delta\ndata: {"text":"' + b"y" * (8 * 1024 * 1024) + b'"}\n\n'
    chunks = [event[start : start + 1024] for start in range(0, len(event), 1024)]
    (sent,) = decoded(*chunks)
    assert len(sent.text) == 8 * 1024 * 1024 + 11


@pytest.mark.parametrize("piece", [b"x" * 1000, b"data: " + b"x" * 1000 + b"\n"])
def test_an_event_larger_than_the_limit_is_refused(piece: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sse, "EVENT_BYTES_MAX", 10_000)
    with pytest.raises(ExchangeError) as caught:
        decoded(*[piece] * 11)
    assert caught.value.code == "bad_response"


def test_the_end_before_done_is_a_lost_connection() -> None:
    with pytest.raises(ExchangeError) as caught:
        asked(b'event: answer.completed\ndata: {"output_text":"x"}\n\n')
    assert caught.value.code == "unreachable"


@pytest.mark.parametrize(
    "data", [b"{", b"[1]", b"null", b"", b"[" * 200_000, b'{"a":NaN}', b'{"a":1e400}', b'{"a":1,"a":2}']
)
def test_an_event_that_carries_no_object_is_a_bad_response(data: bytes) -> None:
    with pytest.raises(ExchangeError) as caught:
        asked(b"event: answer.delta\ndata: " + data + b"\n\n")
    assert caught.value.code == "bad_response"


@pytest.mark.parametrize("data", [b"", b"true", b"[DONE]", b'{"ok":true}'])
def test_done_is_done_whatever_it_carries(data: bytes) -> None:
    assert asked(b"event: done\ndata: " + data + b"\n\n") == [Event(DONE, {"ok": True})]


def test_half_a_character_in_a_delta_does_not_lose_the_rest() -> None:
    (delta, _) = asked(
        b'event: answer.delta\ndata: {"text":"a\\ud83d","\\udc00":["\\ud800"]}\n\nevent: done\ndata: {}\n\n'
    )
    assert delta.data == {"text": "a\ufffd", "\ufffd": ["\ufffd"]}
    assert asked(b'event: answer.delta\ndata: {"text":"\\ud83d\\ude00"}\n\nevent: done\ndata: {}\n\n')[
        0
    ].data == {"text": "\U0001f600"}


def test_nothing_after_done_is_read() -> None:
    def chunks() -> list[bytes]:
        return [b"event: done\ndata: {}\n\nevent: answer.delta\ndata: {}\n\n"]

    assert [event.event for event in asked(*chunks())] == [DONE]


def test_keep_alives_for_ever_end_the_stream() -> None:
    now = iter(range(0, 10_000, 15))
    pings = (b": ping\n\n" for _ in range(1000))
    with pytest.raises(ExchangeError) as caught:
        list(answer_events(pings, eventless_seconds=1200, clock=lambda: float(next(now))))
    assert caught.value.code == "unreachable"
    assert "1200 s" in caught.value.message
    assert len(list(pings)) > 900


def test_an_event_resets_the_limit_on_keep_alives() -> None:
    now = iter(range(0, 100_000, 500))
    delta = b'event: answer.delta\ndata: {"text":"x"}\n\n'
    chunks = [delta, b": ping\n\n", b": ping\n\n"] * 3 + [b"event: done\ndata: {}\n\n"]
    events = list(answer_events(chunks, eventless_seconds=1600, clock=lambda: float(next(now))))
    assert [json.dumps(event.data) for event in events[:-1]] == ['{"text": "x"}'] * 3
