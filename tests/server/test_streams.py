"""Streamed answers over real sockets: how they open, are kept open, break, are left, and end."""

import http.client
import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from brainctl.contract.errors import BrainError
from brainctl.contract.events import CREATED, DELTA, DONE, Event
from brainctl.engine.answers.runs import Pace
from brainctl.engine.serving import ServedGate
from brainctl.server import sse
from tests.answers.house import Gate, Scripted, Speech, fails, says
from tests.cli.shell import eventually
from tests.doors.plain_http import Reply, send
from tests.doors.served import Served
from tests.doors.workspace import Workspace

DEFAULT = Pace()
ID = "run_01k9p41r2d6ryb8x3nq7t5v0ce"


@contextmanager
def speaking(
    workspace: Workspace, speech: Speech, stop_after: float = 60, pace: Pace = DEFAULT
) -> Iterator[Served]:
    """A served brain whose worker says this."""
    gate = ServedGate(
        workspace.path,
        clock=workspace.clock,
        hire=lambda *_: Scripted(speech),
        pace=pace,
    )
    gate.start()
    try:
        with Served(gate, figures=gate.figures, stopping=lambda _: gate.stop(stop_after)) as server:
            yield server
        assert '"fault"' not in server.log, server.log
    finally:
        gate.close()


def ask(server: Served, secret: str, **fields: Any) -> Reply:
    body = json.dumps({"input": "what?", **fields}).encode()
    return send(server.address, "POST", "/v1/answers", body, {"X-Api-Key": secret})


def read(server: Served, secret: str, answer_id: str) -> Any:
    return send(server.address, "GET", f"/v1/answers/{answer_id}", b"", {"X-Api-Key": secret}).json()["data"]


class Open:
    """A stream that its client reads as it likes."""

    def __init__(self, server: Served, secret: str, **fields: Any) -> None:
        self._socket = socket.create_connection(server.address, timeout=60)
        body = json.dumps({"input": "what?", **fields})
        head = f"POST /v1/answers HTTP/1.1\r\nHost: localhost\r\nX-Api-Key: {secret}\r\n"
        self._socket.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n{body}".encode())
        self.seen = b""

    def until(self, text: bytes) -> bytes:
        while text not in self.seen:
            part = self._socket.recv(65536)
            assert part, self.seen
            self.seen += part
        return self.seen

    def to_the_end(self) -> bytes:
        while part := self._socket.recv(65536):
            self.seen += part
        self.leave()
        return self.seen

    @property
    def answer_id(self) -> str:
        self.until(b"\n\n")
        found = self.seen.partition(b'"answer_id":"')[2].partition(b'"')[0]
        return found.decode()

    def leave(self) -> None:
        self._socket.close()


def test_a_stream_opens_with_the_headers_that_proxies_leave_alone(workspace: Workspace) -> None:
    with speaking(workspace, says("a", "b")) as server:
        reply = ask(server, workspace.key())
    assert reply.status == 200
    assert reply.headers["Content-Type"] == "text/event-stream"
    assert reply.headers["Cache-Control"] == "no-cache, no-transform"
    assert reply.headers["X-Accel-Buffering"] == "no"
    assert reply.body.endswith(b'event: done\ndata: {"ok":true}\n\n')


def test_sources_come_where_they_are_asked_for_and_nowhere_else(workspace: Workspace) -> None:
    with speaking(workspace, says("a")) as server:
        secret = workspace.key()
        assert b'"sources"' not in ask(server, secret).body
        assert b'"sources":[]' in ask(server, secret, include=["sources"]).body


def test_a_failed_run_ends_with_failed_and_done_and_is_no_http_error(workspace: Workspace) -> None:
    with speaking(workspace, fails) as server:
        reply = ask(server, workspace.key())
    failed = '{"error":{"code":"run_failed","message":"The run couldn\'t be completed. Please try again."}}'
    end = f'event: answer.failed\ndata: {failed}\n\nevent: done\ndata: {{"ok":true}}\n\n'
    assert reply.status == 200
    assert reply.body.endswith(end.encode())
    assert b"on purpose" not in reply.body


def test_a_silent_stream_is_kept_open_by_comments(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sse.Stream.send, "__defaults__", (0.02,))
    speech = Gate()
    with speaking(workspace, speech) as server:
        stream = Open(server, workspace.key())
        stream.until(b": ping\n\n")
        stream.seen = b""
        stream.until(b": ping\n\n")
        speech.open.set()
        stream.until(b'{"ok":true}')
        stream.leave()


def test_a_busy_conversation_is_a_409_before_any_byte_of_a_stream(workspace: Workspace) -> None:
    speech = Gate()
    secret, other, outside = workspace.key(), workspace.key(), workspace.key("external")
    with speaking(workspace, speech) as server:
        stream = Open(server, secret, conversation_id="c")
        stream.until(b'"before"')
        for key, fields in ((secret, {}), (other, {}), (secret, {"stream": False})):
            refused = ask(server, key, conversation_id="c", **fields)
            assert (refused.status, refused.code()) == (409, "conversation_busy")
            assert refused.headers["Content-Type"] == "application/json"
        # Whether an internal conversation of this name goes on is nothing that an external key can learn.
        theirs = Open(server, outside, conversation_id="c")
        theirs.until(b'"before"')
        speech.open.set()
        for each in (stream, theirs):
            each.until(b'{"ok":true}')
            each.leave()
        assert ask(server, secret, conversation_id="c").status == 200


def test_a_client_that_leaves_stops_nothing(workspace: Workspace) -> None:
    speech = Gate()
    secret = workspace.key()
    with speaking(workspace, speech) as server:
        stream = Open(server, secret, conversation_id="c")
        answer_id = stream.answer_id
        stream.leave()
        eventually(lambda: '"cut": true' in server.log)
        assert read(server, secret, answer_id)["status"] == "in_progress"
        speech.open.set()
        eventually(lambda: read(server, secret, answer_id)["status"] == "completed")
        assert read(server, secret, answer_id)["output_text"] == "before after"
        assert ask(server, secret, conversation_id="c").status == 200


def test_200_streams_that_were_left_leave_no_thread_behind(workspace: Workspace) -> None:
    speech = Gate()
    keys = [workspace.key() for _ in range(2)]
    with speaking(workspace, speech) as server:
        ask(server, keys[0], stream=False)
        before = threading.active_count()
        streams = [Open(server, keys[place % 2]) for place in range(200)]
        for stream in streams:
            stream.until(b"answer.created")
        assert b"brainctl_active_streams 200\n" in metrics(server)
        for stream in streams:
            stream.leave()
        eventually(lambda: b"brainctl_active_streams 0\n" in metrics(server))
        speech.open.set()
        # The pools may have grown to their size meanwhile, and the queue's worker be at its run.
        eventually(lambda: threading.active_count() <= before + 16)


def metrics(server: Served) -> bytes:
    return send(server.address, "GET", "/metrics", b"").body


def test_a_key_revoked_meanwhile_lets_the_open_stream_finish(workspace: Workspace) -> None:
    speech = Gate()
    secret = workspace.key()
    with speaking(workspace, speech) as server:
        stream = Open(server, secret)
        stream.until(b'"before"')
        workspace.revoke(secret)
        assert ask(server, secret).code() == "api_key_revoked"
        speech.open.set()
        stream.until(b'{"ok":true}')
        stream.leave()


def test_streams_that_end_in_time_end_well_when_the_server_stops(workspace: Workspace) -> None:
    speech = Gate()
    with speaking(workspace, speech) as server:
        stream = Open(server, workspace.key())
        stream.until(b'"before"')
        threading.Timer(0.2, speech.open.set).start()
    assert stream.to_the_end().endswith(b'data: {"ok":true}\n\n\r\n0\r\n\r\n')
    assert b"answer.completed" in stream.seen


def test_runs_that_outlast_the_stop_have_failed_and_their_streams_say_so(workspace: Workspace) -> None:
    speech = Gate()
    secret = workspace.key()
    with speaking(workspace, speech, stop_after=0.1, pace=Pace(beat=0.02)) as server:
        stream = Open(server, secret, conversation_id="c")
        answer_id = stream.answer_id
    assert stream.to_the_end().endswith(b'data: {"ok":true}\n\n\r\n0\r\n\r\n')
    assert b"answer.failed" in stream.seen
    speech.open.set()
    with speaking(workspace, says("again")) as server:
        assert read(server, secret, answer_id)["status"] == "failed"
        assert ask(server, secret, conversation_id="c").status == 200


class Scripting:
    """A gate to a brain that streams what it is told to."""

    key_prefix = "ak_test_xxxx"
    scopes = ("answers.write",)

    def __init__(self, events: list[Event | Exception]) -> None:
        self.events = events

    @property
    def brain(self) -> Any:
        return self

    def admit(self, secret: str) -> Any:
        return self

    def count(self, requests: int) -> None: ...

    def is_ready(self) -> bool:
        return False

    def ask(self, request: Any) -> Iterator[Event]:
        for event in self.events:
            if isinstance(event, Exception):
                raise event
            yield event


OPENED = Event(CREATED, {"answer_id": ID, "conversation_id": "support-ticket-9931"})


def test_a_stream_has_the_bytes_of_the_documents() -> None:
    events = [OPENED, Event(DELTA, {"text": "Sí — \u2028 she can"}), Event(DONE, {"ok": True})]
    with Served(Scripting(list(events))) as server:
        reply = ask(server, "x")
    assert reply.body.decode() == (
        "event: answer.created\n"
        f'data: {{"answer_id":"{ID}","conversation_id":"support-ticket-9931"}}\n'
        "\n"
        "event: answer.delta\n"
        'data: {"text":"Sí — \u2028 she can"}\n'
        "\n"
        "event: done\n"
        'data: {"ok":true}\n'
        "\n"
    )


def test_half_a_character_travels_as_its_escape() -> None:
    events = [OPENED, Event(DELTA, {"text": "half \ud83d é"}), Event(DONE, {"ok": True})]
    with Served(Scripting(list(events))) as server:
        reply = ask(server, "x")
    assert b'{"text":"half \\ud83d \\u00e9"}' in reply.body


@pytest.mark.parametrize(
    "breaking", [[], [RuntimeError("a secret of the house")], [BrainError("unreachable")]]
)
def test_a_stream_that_breaks_in_the_brain_breaks_on_the_wire(breaking: list[Event | Exception]) -> None:
    with Served(Scripting([OPENED, *breaking])) as server:
        with pytest.raises(http.client.IncompleteRead) as broken:
            ask(server, "x")
        assert b"answer.created" in broken.value.partial
        eventually(lambda: '"cut": true' in server.log)
    assert "a secret of the house" not in server.log


@pytest.mark.parametrize(
    ("breaking", "status", "code"),
    [
        (BrainError("conversation_busy"), 409, "conversation_busy"),
        (BrainError("unreachable", "the model at 10.0.0.7"), 500, "internal_error"),
        (RuntimeError("a secret of the house"), 500, "internal_error"),
    ],
)
def test_what_breaks_before_the_first_event_is_a_plain_error(
    breaking: Exception, status: int, code: str
) -> None:
    with Served(Scripting([breaking])) as server:
        reply = ask(server, "x")
    assert (reply.status, reply.code()) == (status, code)
    assert b"10.0.0.7" not in reply.body
    assert b"secret of the house" not in reply.body
    assert "secret of the house" not in server.log
