"""The brain far away, against a real socket."""

from __future__ import annotations

import gzip
import json
import re
import socket
import tracemalloc
from itertools import count
from typing import TYPE_CHECKING, Any

import pytest

from brainctl import __version__
from brainctl.client.transport import REPLY_BYTES_MAX
from brainctl.contract.errors import BrainError
from brainctl.contract.events import Event
from tests.cli.shell import eventually

if TYPE_CHECKING:
    from pathlib import Path

    from tests.client.conftest import Desk, Server

FACTS: Any = {"facts": [{"fact_id": "fact_1", "fact_text": "x", "tomorrow": [1]}]}
PACKET: Any = {"packet_version": 2, "rendered": "", "facts": []}
COUNTS: Any = {"accepted_fact_count": 1, "created": 0, "superseded": 0, "skipped": 1, "tomorrow": None}
QUEUED: Any = {"answer_id": "event_1", "status": "queued"}
NAMED: Any = {"key_name": "k"}
WHOAMI: Any = {"key_name": "k", "key_prefix": "ak_live_x7f4", "scopes": ["memory.read"], "new": 1}
CREATED = b'event: answer.created\ndata: {"answer_id":"run_1","conversation_id":null}\n\n'
DELTA = b'event: answer.delta\ndata: {"text":"Yes"}\n\n'
COMPLETED = (
    b'event: answer.completed\ndata: {"answer_id":"run_1","status":"completed","output_text":"Yes"}\n\n'
)
DONE = b'event: done\ndata: {"ok":true}\n\n'


def refused(call: Any) -> BrainError:
    """The error of a call, or of the events it returns."""

    def complete() -> None:
        result = call()
        if hasattr(result, "__next__"):
            list(result)

    with pytest.raises(BrainError) as caught:
        complete()
    return caught.value


def test_the_reading_verbs_post_their_body_and_return_the_data_untouched(server: Server, desk: Desk) -> None:
    server.then(server.data(FACTS), server.data(PACKET), server.data(COUNTS, 202))
    brain = desk.brain(server.url + "/")
    assert brain.search({"query": "caf\u00e9", "limit": 3, "end_user": {"id": "c"}}) == FACTS
    assert brain.context({"query": "q", "token_budget": 100}) == PACKET
    assert brain.teach({"facts": [{"text": "t"}]}) == COUNTS
    assert [(seen.method, seen.path) for seen in server.requests] == [
        ("POST", "/v1/memory/search"),
        ("POST", "/v1/memory/context"),
        ("POST", "/v1/memory/facts"),
    ]
    first = server.requests[0]
    assert first.json() == {"query": "caf\u00e9", "limit": 3, "end_user": {"id": "c"}}
    assert first.headers["authorization"] == f"Bearer {desk.secret}"
    assert first.headers["user-agent"] == f"brainctl/{__version__}"
    assert first.headers["content-type"] == first.headers["accept"] == "application/json"


def test_a_body_that_any_brain_refuses_is_not_sent(server: Server, desk: Desk) -> None:
    brain = desk.brain(server.url)
    request: Any = {"query": "x", "limit": 0, "colour": 1}
    error = refused(lambda: brain.search(request))
    assert (error.code, error.http_status) == ("validation_error", None)
    assert "colour" in error.message
    assert refused(lambda: brain.ask({"input": "\ud800"})).code == "validation_error"
    assert server.requests == []


def test_the_length_of_a_text_is_left_to_the_brain(server: Server, desk: Desk) -> None:
    server.then(server.error(422, "validation_error"))
    assert refused(lambda: desk.brain(server.url).search({"query": "x" * 2001})).http_status == 422


def test_a_queued_question_is_accepted_with_any_success(server: Server, desk: Desk) -> None:
    server.then(server.data(QUEUED, 202), server.data(QUEUED, 200), server.data(QUEUED, 201))
    brain = desk.brain(server.url)
    for _ in range(3):
        assert brain.enqueue({"input": "q"}, "key one") == QUEUED
    assert server.requests[0].json() == {"input": "q", "stream": False}
    assert server.requests[0].headers["idempotency-key"] == "key one"


def test_a_lost_queued_create_is_repeated_with_the_same_key_and_body(server: Server, desk: Desk) -> None:
    page = server.reply(502, b"<title>502</title>", kind="text/html")
    server.then(page, server.data({}, 200)._replace(pieces=[], ending="reset"), server.data(QUEUED, 202))
    assert desk.brain(server.url).enqueue({"input": "q"}, "k1") == QUEUED
    assert {seen.headers["idempotency-key"] for seen in server.requests} == {"k1"}
    assert len({seen.body for seen in server.requests}) == 1
    assert len(server.requests) == 3
    assert desk.slept == [0.5, 1.0]


def test_a_queued_create_without_a_key_is_never_repeated(server: Server, desk: Desk) -> None:
    server.then(server.error(500, "internal_error"))
    assert refused(lambda: desk.brain(server.url).enqueue({"input": "q"})).code == "internal_error"
    assert len(server.requests) == 1


@pytest.mark.parametrize("key", ["", " k", "k\n", "caf\u00e9", "\u200b"])
def test_an_idempotency_key_that_no_header_holds_is_refused(server: Server, desk: Desk, key: str) -> None:
    assert refused(lambda: desk.brain(server.url).enqueue({"input": "q"}, key)).code == "validation_error"
    assert server.requests == []


def test_an_answer_is_read_by_its_quoted_id(server: Server, desk: Desk) -> None:
    server.then(server.data(QUEUED), server.data(QUEUED))
    brain = desk.brain(server.url)
    brain.answer("event_1", sources=True)
    brain.answer("a/../b?c#d\u00e9\udcff")
    paths = [(seen.method, seen.path) for seen in server.requests]
    assert paths == [
        ("GET", "/v1/answers/event_1?include=sources"),
        ("GET", "/v1/answers/a%2F..%2Fb%3Fc%23d%C3%A9%FF"),
    ]


@pytest.mark.parametrize("answer_id", ["", ".", ".."])
def test_what_would_change_the_path_is_no_answer_id(server: Server, desk: Desk, answer_id: str) -> None:
    assert refused(lambda: desk.brain(server.url).answer(answer_id)).code == "not_found"
    assert server.requests == []


def rpc(result: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "result": result}


def test_whoami_is_a_tool_call_and_takes_the_structured_content(server: Server, desk: Desk) -> None:
    text = [{"type": "text", "text": "{}"}]
    server.then(server.reply(200, rpc({"content": text, "structuredContent": WHOAMI, "isError": False})))
    assert desk.brain(server.url).whoami() == WHOAMI
    (seen,) = server.requests
    assert (seen.method, seen.path) == ("POST", "/v1/mcp")
    assert seen.headers["accept"] == "application/json, text/event-stream"
    assert seen.json()["params"] == {"name": "whoami", "arguments": {}}


def test_whoami_takes_the_text_where_there_is_no_structured_content(server: Server, desk: Desk) -> None:
    content = [
        {"type": "image"},
        {"type": "text", "text": "hello"},
        {"type": "text", "text": '{"key_name": "k"}'},
    ]
    server.then(server.reply(200, rpc({"content": content})))
    assert desk.brain(server.url).whoami() == NAMED


def test_whoami_in_a_stream_does_not_wait_for_its_end(server: Server, desk: Desk) -> None:
    log = b'event: message\ndata: {"jsonrpc":"2.0","method":"notifications/message"}\n\n'
    message = (
        b'event: message\ndata: {"jsonrpc":"2.0","id":1,"result":{"structuredContent":{"key_name":"k"}}}\n\n'
    )
    server.then(server.stream(log, message, ending="stall", kind="text/event-stream; charset=utf-8"))
    assert desk.brain(server.url).whoami() == NAMED


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (
            rpc(
                {
                    "isError": True,
                    "content": [{"type": "text", "text": '{"error":"scope_missing","message":"m"}'}],
                }
            ),
            "scope_missing",
        ),
        (rpc({"isError": True, "structuredContent": WHOAMI, "content": []}), "bad_response"),
        (rpc({"content": [{"type": "text", "text": "[]"}]}), "bad_response"),
        (rpc("x"), "bad_response"),
        ({"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": "No such method"}}, "bad_response"),
        ({"data": WHOAMI}, "bad_response"),
        ([], "bad_response"),
    ],
)
def test_a_whoami_that_fails_says_so(server: Server, desk: Desk, body: Any, code: str) -> None:
    server.then(server.reply(200, body))
    assert refused(desk.brain(server.url).whoami).code == code


def test_whoami_passes_the_tools_status_on(server: Server, desk: Desk) -> None:
    text = '{"error":"rate_limited","message":"slow","http_status":429}'
    server.then(server.reply(200, rpc({"isError": True, "content": [{"type": "text", "text": text}]})))
    error = refused(desk.brain(server.url).whoami)
    assert (error.code, error.message, error.http_status) == ("rate_limited", "slow", 429)


def test_whoami_with_a_bad_key_is_the_plain_error(server: Server, desk: Desk) -> None:
    server.then(server.error(401, "api_key_revoked"))
    assert refused(desk.brain(server.url).whoami).code == "api_key_revoked"


def test_a_rate_limit_is_waited_for_aloud_and_by_all_calls(server: Server, desk: Desk) -> None:
    limit = server.error(429, "rate_limited", details={"retry_after_seconds": 60})
    dated = server.reply(
        429,
        {"error": {"code": "rate_limited", "message": "m"}},
        headers={"Retry-After": "Mon, 30 Nov 2026 10:00:30 GMT", "Date": "Mon, 30 Nov 2026 10:00:00 GMT"},
    )
    server.then(limit, dated, server.data(FACTS), limit, server.data(QUEUED), limit, server.stream(DONE))
    brain = desk.brain(server.url, jitter=lambda: 0.5)
    assert brain.search({"query": "q"}) == FACTS
    assert brain.enqueue({"input": "q"}) == QUEUED
    assert [event.event for event in brain.ask({"input": "q"})] == ["done"]
    assert desk.slept == pytest.approx([66.0, 33.0, 66.0, 66.0])
    assert desk.said[0] == "Rate limited: trying again in 66 s (1 of 3)."


def test_tries_are_bounded_and_the_last_error_is_raised(server: Server, desk: Desk) -> None:
    server.then(*[server.error(429, "rate_limited", details={"retry_after_seconds": 60})] * 4)
    error = refused(lambda: desk.brain(server.url).search({"query": "q"}))
    assert error.details == {"retry_after_seconds": 60}
    assert desk.slept == [60.0] * 3
    assert len(server.requests) == 4


def test_no_retries_means_one_try(server: Server, desk: Desk) -> None:
    server.then(server.error(503, "internal_error"), server.error(503, "internal_error"))
    brain = desk.brain(server.url, retries=0)
    assert refused(lambda: brain.search({"query": "q"})).http_status == 503
    twin = desk.brain(server.url).without_retries()
    assert refused(lambda: twin.search({"query": "q"})).http_status == 503
    assert desk.slept == []


@pytest.mark.parametrize(
    ("status", "code"),
    [
        (401, "api_key_invalid"),
        (402, "out_of_credits"),
        (403, "scope_missing"),
        (404, "not_found"),
        (409, "idempotency_key_reused"),
        (409, "conversation_busy"),
        (422, "validation_error"),
    ],
)
def test_a_refusal_is_never_repeated(server: Server, desk: Desk, status: int, code: str) -> None:
    server.then(server.error(status, code))
    error = refused(lambda: desk.brain(server.url).enqueue({"input": "q"}, "k"))
    assert (error.code, error.http_status, len(server.requests)) == (code, status, 1)


def test_broken_connections_and_gateways_are_tried_again(server: Server, desk: Desk) -> None:
    whole = server.data(FACTS)
    cut = whole._replace(pieces=[whole.pieces[0][:-5]])
    server.then(
        whole._replace(pieces=[], ending="reset"),
        cut,
        server.reply(503, b"<title>busy</title>", kind="text/html"),
        whole,
    )
    assert desk.brain(server.url).search({"query": "q"}) == FACTS
    assert len(desk.said) == 3
    assert "HTTP 503" in desk.said[2]


def test_a_brain_that_is_not_there_is_said_in_words(desk: Desk) -> None:
    # Taken, so that nobody else comes to listen there, and not listened on.
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        error = refused(lambda: desk.brain(f"http://127.0.0.1:{port}").search({"query": "q"}))
    assert error.code == "unreachable"
    assert f"http://127.0.0.1:{port} could not be reached: the connection was refused" in error.message
    assert desk.slept == [0.5, 1.0, 2.0]


def test_silence_is_a_time_out(server: Server, desk: Desk) -> None:
    server.then(server.data(FACTS)._replace(pieces=[], ending="stall"))
    error = refused(lambda: desk.brain(server.url, timeout=0.1, retries=0).search({"query": "q"}))
    assert error.code == "unreachable"
    assert "0.1 s" in error.message


def test_a_reply_that_trickles_does_not_outlast_the_time_out(server: Server, desk: Desk) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n"
    server.then(server.data(FACTS)._replace(pieces=[head], repeat=b" "))
    # Ten seconds pass with each piece, and none of them keeps us waiting.
    brain = desk.brain(server.url, timeout=60, retries=0, clock=count(0, 10).__next__)
    assert "not complete after 60 s" in refused(lambda: brain.search({"query": "q"})).message


def test_a_reply_larger_than_the_limit_is_refused(server: Server, desk: Desk) -> None:
    server.then(server.stream(b" " * (REPLY_BYTES_MAX + 1)))
    assert refused(lambda: desk.brain(server.url).search({"query": "q"})).code == "bad_response"


def test_a_body_that_is_not_compressed_as_it_says_is_a_bad_response(server: Server, desk: Desk) -> None:
    server.then(server.reply(200, b"plain", headers={"Content-Encoding": "gzip"}))
    assert refused(lambda: desk.brain(server.url).search({"query": "q"})).code == "bad_response"


def test_a_body_that_something_on_the_way_has_packed_is_read(server: Server, desk: Desk) -> None:
    packed = gzip.compress(json.dumps({"data": {"facts": []}}).encode())
    server.then(server.reply(200, packed, headers={"Content-Encoding": "gzip"}))
    assert desk.brain(server.url).search({"query": "q"}) == {"facts": []}
    assert server.requests[0].headers["accept-encoding"] == "identity"


@pytest.mark.parametrize("encoding", ["gzip", "gzip, gzip", "deflate", "br", "zstd"])
def test_a_small_reply_cannot_fill_the_memory(server: Server, desk: Desk, encoding: str) -> None:
    packed = gzip.compress(bytes(200 * 1024 * 1024), 9)
    server.then(server.reply(200, packed, headers={"Content-Encoding": encoding}))
    tracemalloc.start()
    try:
        error = refused(lambda: desk.brain(server.url).search({"query": "q"}))
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert error.code == "bad_response"
    assert most < 2 * REPLY_BYTES_MAX


def test_a_packed_body_that_breaks_off_is_no_reply(server: Server, desk: Desk) -> None:
    packed = gzip.compress(json.dumps({"data": {"facts": []}}).encode())
    server.then(server.reply(200, packed[:-9], headers={"Content-Encoding": "gzip"}))
    assert refused(lambda: desk.brain(server.url, retries=0).search({"query": "q"})).code == "unreachable"


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_never_followed(server: Server, other_server: Server, desk: Desk, status: int) -> None:
    server.then(server.reply(status, headers={"Location": f"{other_server.url}/v1/memory/search"}))
    error = refused(lambda: desk.brain(server.url).search({"query": "q"}))
    assert error.code == "bad_response"
    assert other_server.url in error.message
    assert other_server.requests == []
    assert len(server.requests) == 1


BAD_SECRETS = [
    "ak_live_x7f4Qm2Zr9\n",
    "ak_live_x7f4Qm2Zr9\r\n",
    "ak_live_\u00a0x7f4Qm2Zr9",
    "\u201cak_live_x7f4Qm2Zr9\u201d",
    "ak_live_\u200bx7f4Qm2Zr9",
    "Bearer ak_live_x7f4Qm2Zr9",
    "'ak_live_x7f4Qm2Zr9'",
    "${ALFERA_API_KEY}",
    "",
]


@pytest.mark.parametrize("secret", BAD_SECRETS)
def test_what_cannot_be_a_key_is_never_put_into_a_header(server: Server, desk: Desk, secret: str) -> None:
    error = refused(lambda: desk.brain(server.url, secret=secret))
    assert error.code == "no_key"
    assert "x7f4Qm2Zr9" not in str(error)
    assert server.requests == []


def test_the_trace_shows_each_exchange_and_no_secret(server: Server, desk: Desk) -> None:
    echo = {"error": {"code": "validation_error", "message": f"you sent {desk.secret}"}}
    cookie = {"Set-Cookie": "session=hunter2"}
    server.then(server.reply(422, echo, headers=cookie), server.reply(200, b"y" * 9000), server.data(QUEUED))
    brain = desk.brain(server.url)
    refused(lambda: brain.search({"query": f"my key is {desk.secret}"}))
    refused(lambda: brain.search({"query": "q"}))
    brain.enqueue({"input": "q"}, "key-1")
    trace = "\n".join(desk.traced)
    assert f"> POST {server.url}/v1/memory/search" in trace
    assert "> Authorization: Bearer ak_live_x7f4…" in trace
    assert "> Idempotency-Key: key-1" in trace
    assert re.search(r"^< 422 Said \d+ ms$", trace, re.MULTILINE)
    assert "y" * 2000 + "…" in trace
    assert desk.secret not in trace
    assert "hunter2" not in trace


def test_what_holds_the_key_shows_its_prefix_only(desk: Desk) -> None:
    brain = desk.brain("https://brain.example")
    assert repr(brain) == "HttpBrain(https://brain.example, Mask(ak_live_x7f4…))"
    assert desk.secret not in "".join(repr(part) for part in vars(brain).values())


def test_events_come_one_by_one_and_done_is_the_last(server: Server, desk: Desk) -> None:
    server.then(server.stream(CREATED, DELTA, COMPLETED, DONE, DELTA, ending="stall"))
    events = list(desk.brain(server.url).ask({"input": "q", "include": ["sources"]}))
    assert [event.event for event in events] == ["answer.created", "answer.delta", "answer.completed", "done"]
    assert events[1] == Event("answer.delta", {"text": "Yes"})
    (seen,) = server.requests
    assert seen.json() == {"input": "q", "include": ["sources"], "stream": True}
    assert seen.headers["accept"].startswith("text/event-stream")


def test_an_event_is_passed_on_while_the_stream_is_still_open(server: Server, desk: Desk) -> None:
    server.then(server.stream(CREATED, ending="stall"))
    events = desk.brain(server.url).ask({"input": "q"})
    assert next(events).data["answer_id"] == "run_1"


@pytest.mark.parametrize(
    "kind",
    [
        "text/event-stream",
        "Text/Event-Stream",
        "text/event-stream; charset=utf-8",
        "text/event-stream;charset=iso-8859-1",
    ],
)
@pytest.mark.parametrize("chunked", [True, False])
def test_a_stream_is_utf8_whatever_its_type_adds(
    server: Server, desk: Desk, kind: str, *, chunked: bool
) -> None:
    delta = 'event: answer.delta\ndata: {"text":"\u00e9\U0001f600"}\n\n'.encode()
    cut = len(delta) - 6
    server.then(server.stream(delta[:cut], delta[cut:], DONE, kind=kind, chunked=chunked))
    assert next(desk.brain(server.url).ask({"input": "q"})).data == {"text": "\u00e9\U0001f600"}


def test_a_refusal_comes_before_the_first_event_and_is_shown_as_it_is(server: Server, desk: Desk) -> None:
    server.then(server.error(409, "conversation_busy", "Still answering"))
    error = refused(lambda: desk.brain(server.url).ask({"input": "q"}))
    assert (error.code, error.message, error.http_status) == ("conversation_busy", "Still answering", 409)


def test_a_page_in_place_of_a_stream_is_described(server: Server, desk: Desk) -> None:
    server.then(server.reply(200, b"hello " * 200, kind="text/plain"))
    error = refused(lambda: desk.brain(server.url).ask({"input": "q"}))
    assert error.code == "bad_response"
    assert "HTTP 200, text/plain, beginning" in error.message
    assert "hello " * 49 in error.message
    assert len(error.message) < 500


def test_an_error_of_the_api_in_place_of_a_stream_is_that_error(server: Server, desk: Desk) -> None:
    server.then(server.error(200, "out_of_credits"))
    assert refused(lambda: desk.brain(server.url).ask({"input": "q"})).code == "out_of_credits"


@pytest.mark.parametrize("status", [500, 502, 503, 504])
def test_a_streaming_create_is_never_repeated(server: Server, desk: Desk, status: int) -> None:
    server.then(server.reply(status, b"<title>bad</title>", kind="text/html"))
    assert refused(lambda: desk.brain(server.url).ask({"input": "q"})).http_status == status
    assert len(server.requests) == 1


@pytest.mark.parametrize("ending", ["close", "reset", "stall"])
@pytest.mark.parametrize("pieces", [[], [CREATED], [CREATED, DELTA], [CREATED, DELTA, COMPLETED]])
def test_a_stream_without_done_is_a_lost_connection(
    server: Server, desk: Desk, ending: str, pieces: list[bytes]
) -> None:
    server.then(server.stream(*pieces, ending=ending))
    idle = 0.1 if ending == "stall" else 60
    assert refused(lambda: desk.brain(server.url, idle=idle).ask({"input": "q"})).code == "unreachable"
    # A silence may be over before the server has read what it was sent.
    eventually(lambda: len(server.requests) == 1)
    assert desk.said == []


def test_keep_alives_alone_do_not_keep_a_stream_for_ever(server: Server, desk: Desk) -> None:
    server.then(server.stream(CREATED, repeat=b": ping\n\n"))
    # By this clock each look at it is a minute later.
    events = desk.brain(server.url, eventless=600, clock=count(0, 60).__next__).ask({"input": "q"})
    assert next(events).event == "answer.created"
    assert "brought no event" in refused(lambda: events).message


def test_keep_alives_reset_the_limit_on_silence(server: Server, desk: Desk) -> None:
    server.then(server.stream(*[b": ping\n\n"] * 3, DONE))
    # By this clock each look at it is half a minute later, so that the whole stream takes longer than the limit.
    brain = desk.brain(server.url, idle=60, clock=count(0, 30).__next__)
    assert [event.event for event in brain.ask({"input": "q"})] == ["done"]


def test_a_raw_request_goes_out_and_comes_back_as_it_is(server: Server, desk: Desk) -> None:
    server.then(server.reply(200, b"[1, 2]"))
    reply = desk.brain(server.url).raw("patch", "/v1/anything?x=1", b'{"a": 1}')
    assert (reply.status, reply.body) == (200, b"[1, 2]")
    (seen,) = server.requests
    assert (seen.method, seen.path, seen.body) == ("PATCH", "/v1/anything?x=1", b'{"a": 1}')


@pytest.mark.parametrize(
    ("method", "path"), [("GET", "/a\nb"), ("GET", "/\ud800"), ("G T", "/"), ("G\u00c9T", "/")]
)
def test_what_is_no_request_is_a_usage_error(server: Server, desk: Desk, method: str, path: str) -> None:
    assert refused(lambda: desk.brain(server.url).raw(method, path)).code == "usage"
    assert server.requests == []


def test_a_reply_of_another_route_is_a_bad_response(server: Server, desk: Desk) -> None:
    server.then(*[server.data({"hello": 1})] * 5)
    brain = desk.brain(server.url)
    for call in (
        lambda: brain.search({"query": "q"}),
        lambda: brain.context({"query": "q"}),
        lambda: brain.teach({"facts": [{"text": "t"}]}),
        lambda: brain.enqueue({"input": "q"}),
        lambda: brain.answer("event_1"),
    ):
        error = refused(call)
        assert error.code == "bad_response"
        assert "its data holds no" in error.message


def test_a_certificate_that_is_trusted_by_name_is_used(
    secure_server: Server, desk: Desk, certificate: Path
) -> None:
    secure_server.then(secure_server.data(FACTS))
    brain = desk.brain(secure_server.url, environ={"SSL_CERT_FILE": str(certificate)})
    assert brain.search({"query": "q"}) == FACTS


def test_a_certificate_nobody_trusts_is_said_in_words_and_not_tried_again(
    secure_server: Server, desk: Desk
) -> None:
    error = refused(lambda: desk.brain(secure_server.url).search({"query": "q"}))
    assert error.code == "unreachable"
    assert "its certificate is not trusted" in error.message
    assert desk.slept == []
    assert secure_server.requests == []


def test_whoami_in_a_stream_without_a_reply_is_a_bad_response(server: Server, desk: Desk) -> None:
    server.then(server.stream(b"data: hello\n\n", b"data: 1\n\n", b"event: x\ndata: {}\n\n"))
    assert refused(desk.brain(server.url).whoami).code == "bad_response"


def test_a_port_that_speaks_no_tls_is_said_in_words(server: Server, desk: Desk) -> None:
    error = refused(lambda: desk.brain(f"https://127.0.0.1:{server.port}", retries=0).search({"query": "q"}))
    assert error.code == "unreachable"
    assert "could not be reached: no secure connection could be agreed on" in error.message
    assert server.requests == []


@pytest.mark.parametrize("path", ["v1/answers", "@evil.example/v1", "", "https://evil.example/"])
def test_a_raw_path_cannot_change_the_host(server: Server, desk: Desk, path: str) -> None:
    assert refused(lambda: desk.brain(server.url).raw("GET", path)).code == "usage"
    assert server.requests == []


@pytest.mark.parametrize(
    ("method", "path", "body", "tries"),
    [
        ("GET", "/v1/answers/x", None, 4),
        ("POST", "/v1/memory/search", b"{}", 4),
        ("POST", "/v1/answers", b'{"stream": false}', 1),
        ("POST", "/v1/mcp", b"{}", 1),
        ("DELETE", "/v1/mcp", None, 1),
    ],
)
def test_a_raw_request_is_repeated_only_where_that_is_harmless(
    server: Server, desk: Desk, method: str, path: str, body: bytes | None, tries: int
) -> None:
    server.then(*[server.error(500, "internal_error")] * 4)
    brain = desk.brain(server.url)
    assert refused(lambda: brain.raw(method, path, body)).code == "internal_error"
    assert len(server.requests) == tries
