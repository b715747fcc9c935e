"""Waiting for an answer: bounded, never lost, never asked twice."""

import json
import time
import urllib.request
from collections.abc import Iterator
from email.message import Message
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from brainctl.contract.gate import Admission
from brainctl.engine.serving import ServedGate
from brainctl.server.mcp.face import Face, Pending
from brainctl.server.mcp.http import mcp_endpoint
from brainctl.server.mcp.messages import Call
from brainctl.server.threads import Threads
from tests.mcp.conftest import House, request, running
from tests.mcp.test_tools import data_of, error_of

BOTH = "application/json, text/event-stream"


def ask(**arguments: Any) -> dict[str, Any]:
    return request(7, "tools/call", {"name": "ask_worker", "arguments": {"input": "slow one", **arguments}})


def test_a_finished_answer_comes_whole_with_its_sources(house: House) -> None:
    answer = data_of(house.call("ask_worker", {"input": "a refund", "conversation_id": "c"}))
    assert set(answer) == {"answer_id", "status", "output_text", "conversation_id", "usage", "sources"}
    assert (answer["status"], answer["output_text"]) == ("completed", "about a refund")
    assert answer["sources"]
    assert data_of(house.call("wait_for_answer", {"answer_id": answer["answer_id"]})) == answer


def test_time_that_runs_out_is_a_result_and_the_answer_goes_on(house: House) -> None:
    out = data_of(house.call("ask_worker", {"input": "slow", "timeout_seconds": 1}))
    assert out == {"wait_timed_out": True, "answer_id": out["answer_id"]}
    again = data_of(house.call("wait_for_answer", {"answer_id": out["answer_id"], "timeout_seconds": 0}))
    assert again == out
    house.worker.released.set()
    answer = data_of(house.call("wait_for_answer", {"answer_id": out["answer_id"]}))
    assert answer["output_text"] == "about slow"


def test_a_timeout_of_zero_returns_the_id_at_once_and_a_replay_the_answer(house: House) -> None:
    arguments = {"input": "slow", "timeout_seconds": 0, "idempotency_key": "k"}
    first = data_of(house.call("ask_worker", arguments))
    assert first["wait_timed_out"] is True
    assert data_of(house.call("ask_worker", arguments)) == first
    house.worker.released.set()
    finished = data_of(house.call("wait_for_answer", {"answer_id": first["answer_id"]}))
    assert data_of(house.call("ask_worker", arguments)) == finished


def test_a_key_of_another_question_is_refused(house: House) -> None:
    house.call("ask_worker", {"input": "one", "idempotency_key": "k"})
    said = error_of(house.call("ask_worker", {"input": "two", "idempotency_key": "k"}))
    assert (said["error"], said["http_status"]) == ("idempotency_key_reused", 409)


@pytest.mark.parametrize(("asked", "waited"), [(1, 1), (4, 4), (5, 3), (60, 58), (120, 118), (None, 58)])
def test_a_wait_ends_before_its_client_gives_up(house: House, asked: int | None, waited: int) -> None:
    arguments: dict[str, Any] = (
        {"input": "slow"} if asked is None else {"input": "slow", "timeout_seconds": asked}
    )
    gate = ServedGate(house.workspace.path, clock=house.workspace.clock)
    try:
        pending = Face(gate.admit(house.key)).begin(
            Call(1, "tools/call", {"name": "ask_worker", "arguments": arguments})
        )
    finally:
        gate.close()
    assert isinstance(pending, Pending)
    assert pending.waiting.seconds == waited


def test_an_answer_that_failed_is_a_result(house: House) -> None:
    house.workspace.clock.advance(0)
    out = data_of(house.call("ask_worker", {"input": "slow", "timeout_seconds": 0}))
    # Its run is taken for dead once nobody has renewed its lease.
    deadline = time.monotonic() + 60
    while (
        data_of(house.call("wait_for_answer", {"answer_id": out["answer_id"], "timeout_seconds": 1})).get(
            "status"
        )
        != "failed"
    ):
        house.workspace.clock.advance(3600)
        house.call("ask_worker", {"input": "other"})
        assert time.monotonic() < deadline
    failed = data_of(house.call("wait_for_answer", {"answer_id": out["answer_id"]}))
    assert failed["error"]["code"] == "run_failed"
    assert failed["output_text"] == ""


def test_two_questions_of_one_conversation_are_answered_in_order(house: House) -> None:
    first = data_of(house.call("ask_worker", {"input": "slow", "conversation_id": "c", "timeout_seconds": 0}))
    second = data_of(
        house.call("ask_worker", {"input": "next", "conversation_id": "c", "timeout_seconds": 1})
    )
    assert second["wait_timed_out"] is True
    house.worker.released.set()
    for each, text in ((first, "about slow"), (second, "about next")):
        assert data_of(house.call("wait_for_answer", {"answer_id": each["answer_id"]}))["output_text"] == text


def test_a_conversation_that_streams_is_busy(house: House) -> None:
    body = json.dumps({"input": "slow", "conversation_id": "c"}).encode()
    headers = {"Authorization": f"Bearer {house.key}"}
    asked = urllib.request.Request(f"{house.server.base_url}/v1/answers", body, headers)
    with urllib.request.urlopen(asked, timeout=60) as stream:
        assert stream.readline() == b"event: answer.created\n"
        said = error_of(house.call("ask_worker", {"input": "next", "conversation_id": "c"}))
        house.worker.released.set()
        assert stream.read().endswith(b'event: done\ndata: {"ok":true}\n\n')
    assert (said["error"], said["http_status"]) == ("conversation_busy", 409)


# Over a stream


def streamed(house: House, body: Any) -> tuple[Message, list[str]]:
    """The headers and the parts of a stream; its worker goes on once the first comment is here."""
    headers = {"Authorization": f"Bearer {house.key}", "Accept": BOTH}
    asked = urllib.request.Request(house.url, json.dumps(body).encode(), headers)
    with urllib.request.urlopen(asked, timeout=60) as stream:
        begun = stream.readline()
        house.worker.released.set()
        return stream.headers, (begun + stream.read()).decode().removesuffix("\n\n").split("\n\n")


def test_a_wait_is_streamed_to_a_client_that_takes_events(house: House) -> None:
    headers, parts = streamed(house, ask())
    assert headers["content-type"].startswith("text/event-stream")
    assert headers["cache-control"] == "no-cache, no-transform"
    assert headers["x-accel-buffering"] == "no"
    *comments, last = parts
    assert comments
    assert all(comment.startswith(":") for comment in comments)
    name, data = last.split("\n")
    assert name == "event: message"
    assert data_of(json.loads(data.removeprefix("data: "))["result"])["output_text"] == "about slow one"


@pytest.mark.parametrize("accept", ["*/*", "application/json", ""])
def test_a_wait_is_plain_json_to_any_other_client(house: House, accept: str) -> None:
    house.worker.released.set()
    reply = house.post(ask(), Accept=accept)
    assert reply.headers["content-type"] == "application/json"
    assert data_of(reply.json["result"])["status"] == "completed"


def test_what_waits_for_nothing_is_never_streamed(house: House) -> None:
    reply = house.post(request(1, "tools/call", {"name": "whoami"}), Accept=BOTH)
    assert reply.headers["content-type"] == "application/json"


def test_a_batch_that_waits_is_one_event(house: House) -> None:
    _, parts = streamed(house, [request(1, "ping"), ask()])
    assert [each["id"] for each in json.loads(parts[-1].partition("data: ")[2])] == [1, 7]


@pytest.fixture
def impatient(house: House) -> Iterator[str]:
    """The same endpoint with comments as often as it looks."""
    gate = ServedGate(house.workspace.path, clock=house.workspace.clock)
    threads = Threads()

    def admitted() -> Admission:
        return gate.admit(house.key)

    async def endpoint(asked: Request) -> Response:
        return await mcp_endpoint(asked, admitted(), threads, comment_seconds=1)

    app = Starlette(routes=[Route("/v1/mcp", endpoint, methods=["POST"])])
    try:
        with running(app) as address:
            yield f"{address}/v1/mcp"
    finally:
        threads.close()
        gate.close()


def test_a_silent_stream_is_kept_alive_by_comments(house: House, impatient: str) -> None:
    with urllib.request.urlopen(
        urllib.request.Request(impatient, json.dumps(ask()).encode(), {"Accept": BOTH}), timeout=60
    ) as stream:
        for _ in range(3):
            assert stream.readline().startswith(b":")
            assert stream.readline() == b"\n"
        house.worker.released.set()
        rest = stream.read()
    assert b'"isError":false' in rest


def test_a_client_that_leaves_loses_nothing(house: House) -> None:
    body = json.dumps(ask(idempotency_key="k")).encode()
    headers = {"Authorization": f"Bearer {house.key}", "Accept": BOTH}
    with urllib.request.urlopen(urllib.request.Request(house.url, body, headers), timeout=60) as stream:
        assert stream.readline().startswith(b":")
    house.worker.released.set()
    again = data_of(house.call("ask_worker", {"input": "slow one", "idempotency_key": "k"}))
    assert again["output_text"] == "about slow one"


def test_a_key_revoked_meanwhile_does_not_end_a_wait(house: House) -> None:
    key = house.workspace.key()
    body = json.dumps(ask()).encode()
    headers = {"Authorization": f"Bearer {key}", "Accept": BOTH}
    with urllib.request.urlopen(urllib.request.Request(house.url, body, headers), timeout=60) as stream:
        assert stream.readline().startswith(b":")
        house.workspace.revoke(key)
        house.worker.released.set()
        assert b"about slow one" in stream.read()
    refused = house.post(request(1, "ping"), key=key)
    assert (refused.status, refused.json["error"]["code"]) == (401, "api_key_revoked")
