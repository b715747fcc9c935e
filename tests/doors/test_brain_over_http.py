"""The server of the tests keeps to the documents where no brain has a say: routes, keys, bodies, envelopes."""

import gzip
import http.client
import json
from collections.abc import Iterator
from typing import Any

import pytest

from brainctl.contract.brain import Brain
from brainctl.contract.errors import BrainError
from brainctl.contract.events import COMPLETED, CREATED, DELTA, DONE, Event
from brainctl.contract.replies import (
    AnswerReply,
    ContextReply,
    QueuedReply,
    SearchReply,
    TeachReply,
    WhoamiReply,
)
from brainctl.contract.requests import AskRequest, ContextRequest, SearchRequest, TeachRequest
from tests.doors.brain_over_http import BrainOverHttp
from tests.doors.plain_http import Reply, read, send

SECRET = "ak_test_" + "q" * 32
RUN = "run_01k9p41r2d6ryb8x3nq7t5v0ce"
EVENTS = [
    Event(CREATED, {"answer_id": RUN, "conversation_id": "support-ticket-9931"}),
    Event(DELTA, {"text": "Sí — \u2028 she can"}),
    Event(COMPLETED, {"answer_id": RUN, "status": "completed", "output_text": "She can."}),
    Event(DONE, {"ok": True}),
]
STREAM = (
    "event: answer.created\n"
    'data: {"answer_id":"run_01k9p41r2d6ryb8x3nq7t5v0ce","conversation_id":"support-ticket-9931"}\n'
    "\n"
    "event: answer.delta\n"
    'data: {"text":"Sí — \u2028 she can"}\n'
    "\n"
    "event: answer.completed\n"
    'data: {"answer_id":"run_01k9p41r2d6ryb8x3nq7t5v0ce","status":"completed","output_text":"She can."}\n'
    "\n"
    "event: done\n"
    'data: {"ok":true}\n'
    "\n"
)
ROUTES = ["/v1/memory/search", "/v1/memory/context", "/v1/memory/facts", "/v1/answers", "/v1/mcp"]


NOT_PLAIN_JSON = {
    "nothing": b"",
    "half an object": b"{",
    "two objects": b"{} {}",
    "a name twice": b'{"query":"x","query":"y"}',
    "a name twice inside": b'{"end_user":{"id":"a","id":"b"}}',
    "NaN": b'{"limit":NaN}',
    "infinity": b'{"limit":-Infinity}',
    "a number out of range": b'{"limit":1e400}',
    "a byte that is no UTF-8": b'{"query":"\xff"}',
    "a byte order mark": b"\xef\xbb\xbf{}",
    "UTF-16": '{"query":"x"}'.encode("utf-16"),
    "gzip": gzip.compress(b'{"query":"x"}'),
    "brackets without end": b"[" * 100_000,
    "forty levels": b'{"a":' * 40 + b"1" + b"}" * 40,
    "more than 2 MiB": b'{"query":"' + b"x" * (2 * 1024 * 1024) + b'"}',
}


class ScriptedBrain:
    """Says what it is told to, and keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[Any] = []
        self.closed = 0
        self.refusal: BrainError | None = None
        self.breaks_after: int | None = None

    def _note(self, *what: Any) -> None:
        self.asked.append(what)
        if self.refusal is not None:
            raise self.refusal

    def search(self, request: SearchRequest) -> SearchReply:
        self._note("search", request)
        return {"facts": []}

    def context(self, request: ContextRequest) -> ContextReply:
        self._note("context", request)
        return {"packet_version": 1, "rendered": "é", "facts": []}

    def teach(self, request: TeachRequest) -> TeachReply:
        self._note("teach", request)
        return {"accepted_fact_count": 1, "created": 1, "superseded": 0, "skipped": 0}

    def ask(self, request: AskRequest) -> Iterator[Event]:
        self._note("ask", request)
        for place, event in enumerate(EVENTS):
            if place == self.breaks_after:
                raise BrainError("unreachable")
            yield event

    def enqueue(self, request: AskRequest, idempotency_key: str | None = None) -> QueuedReply:
        self._note("enqueue", request, idempotency_key)
        return {"answer_id": "event_01k9p3zq8w4m1te6h2ndkbx9pf", "status": "queued"}

    def answer(self, answer_id: str, *, sources: bool = False) -> AnswerReply:
        self._note("answer", answer_id, sources)
        return {
            "answer_id": answer_id,
            "status": "queued",
            "output_text": "",
            "conversation_id": None,
            "usage": None,
        }

    def whoami(self) -> WhoamiReply:
        self._note("whoami")
        return {
            "key_name": "support-bot",
            "key_prefix": "ak_test_qqqq",
            "scopes": ["memory.read"],
            "key_audience": "external",
            "rate_limit": {"requests_per_window": 120, "window_seconds": 60},
        }

    def close(self) -> None:
        self.closed += 1


class Line:
    """One server with a scripted brain behind it, and requests to it without a client's help."""

    def __init__(self, server: BrainOverHttp, brain: ScriptedBrain) -> None:
        self.server = server
        self.brain = brain

    def send(
        self,
        method: str,
        path: str,
        body: bytes = b"{}",
        headers: dict[str, str] | None = None,
    ) -> Reply:
        given = {"Authorization": f"Bearer {SECRET}"} if headers is None else headers
        return send(self.server.address, method, path, body, given)


@pytest.fixture
def line() -> Iterator[Line]:
    brain = ScriptedBrain()

    def gate(secret: str) -> Brain:
        if secret != SECRET:
            raise BrainError("api_key_invalid")
        return brain

    with BrainOverHttp(gate) as server:
        yield Line(server, brain)
    assert server.faults == []


def test_each_route_hands_its_body_to_its_verb_and_wraps_the_reply_in_data(line: Line) -> None:
    search = line.send("POST", "/v1/memory/search", b'{"query":"caf\xc3\xa9"}')
    context = line.send("POST", "/v1/memory/context", b'{"query":"x"}')
    teach = line.send("POST", "/v1/memory/facts", b'{"facts":[]}')
    assert (search.status, search.json()) == (200, {"data": {"facts": []}})
    assert (context.status, context.json()["data"]["rendered"]) == (200, "é")
    assert (teach.status, teach.json()["data"]["created"]) == (202, 1)
    assert line.brain.asked == [
        ("search", {"query": "café"}),
        ("context", {"query": "x"}),
        ("teach", {"facts": []}),
    ]
    assert line.brain.closed == 3


def test_a_stream_has_the_bytes_of_the_documents(line: Line) -> None:
    reply = line.send("POST", "/v1/answers", b'{"input":"x"}')
    assert (reply.status, reply.headers["Content-Type"]) == (200, "text/event-stream")
    assert reply.body.decode() == STREAM
    assert line.brain.asked == [("ask", {"input": "x"})]


def test_a_stream_that_breaks_in_the_brain_breaks_on_the_wire(line: Line) -> None:
    line.brain.breaks_after = 2
    with pytest.raises(http.client.IncompleteRead):
        line.send("POST", "/v1/answers", b'{"input":"x"}')


def test_a_refused_question_is_answered_before_the_stream_opens(line: Line) -> None:
    line.brain.refusal = BrainError("conversation_busy")
    reply = line.send("POST", "/v1/answers", b'{"input":"x","stream":true}')
    assert (reply.status, reply.code()) == (409, "conversation_busy")


def test_stream_false_queues_with_the_key_of_the_header(line: Line) -> None:
    headers = {"Authorization": f"Bearer {SECRET}", "Idempotency-Key": "ticket-1"}
    reply = line.send("POST", "/v1/answers", b'{"input":"x","stream":false}', headers)
    assert (reply.status, reply.json()["data"]["status"]) == (202, "queued")
    assert line.brain.asked == [("enqueue", {"input": "x"}, "ticket-1")]


def test_stream_is_true_or_false_and_nothing_else(line: Line) -> None:
    reply = line.send("POST", "/v1/answers", b'{"input":"x","stream":"false"}')
    assert (reply.status, reply.code()) == (422, "validation_error")
    assert line.brain.asked == []


@pytest.mark.parametrize(
    ("query", "asked"),
    [("", False), ("?include=sources", True), ("?unknown=1", False)],
)
def test_an_answer_is_read_by_its_id(line: Line, query: str, asked: bool) -> None:
    reply = line.send("GET", f"/v1/answers/run%2Fx{query}", b"")
    assert (reply.status, reply.json()["data"]["answer_id"]) == (200, "run/x")
    assert line.brain.asked == [("answer", "run/x", asked)]


@pytest.mark.parametrize("query", ["include=", "include=facts", "include=sources&include=sources"])
def test_sources_is_the_only_value_of_include(line: Line, query: str) -> None:
    reply = line.send("GET", f"/v1/answers/{RUN}?{query}", b"")
    assert (reply.status, reply.code()) == (422, "validation_error")


@pytest.mark.parametrize(
    "headers",
    [
        {"Authorization": f"Bearer {SECRET}"},
        {"Authorization": f"bearer   {SECRET}  "},
        {"X-Api-Key": SECRET},
        {"X-Api-Key": SECRET, "Authorization": "Basic dXNlcjpwYXNz"},
        {"X-Api-Key": "ak_test_wrong", "Authorization": f"Bearer {SECRET}"},
    ],
)
def test_a_key_may_come_in_either_header(line: Line, headers: dict[str, str]) -> None:
    assert line.send("POST", "/v1/memory/search", b'{"query":"x"}', headers).status == 200


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Authorization": "Bearer"},
        {"Authorization": "Bearer ${ALFERA_API_KEY}"},
        {"Authorization": f"Basic {SECRET}"},
        {"Authorization": SECRET},
        {"X-Api-Key": SECRET, "Authorization": "Bearer ak_test_wrong"},
    ],
)
@pytest.mark.parametrize("path", ROUTES)
def test_a_wrong_key_is_refused_before_the_body_is_looked_at(
    line: Line, path: str, headers: dict[str, str]
) -> None:
    reply = line.send("POST", path, b"not json", headers)
    assert (reply.status, reply.code()) == (401, "api_key_invalid")
    assert "details" not in reply.json()["error"]
    assert reply.headers["WWW-Authenticate"] == 'Bearer realm="alfera", error="invalid_token"'


@pytest.mark.parametrize("path", ROUTES)
@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "PATCH", "OPTIONS"])
def test_a_wrong_method_is_refused_before_the_key(line: Line, path: str, method: str) -> None:
    reply = line.send(method, path, b"", {})
    assert (reply.status, reply.code()) == (405, "method_not_allowed")
    assert reply.headers["Allow"] == "POST"


@pytest.mark.parametrize(
    "path", ["/", "/v1", "/v1/memory", "/v1/memory/search/x", "/v1/answers/", "/register"]
)
def test_an_unknown_path_is_a_404_in_json(line: Line, path: str) -> None:
    reply = line.send("POST", path, b"", {})
    assert (reply.status, reply.code()) == (404, "not_found")


@pytest.mark.parametrize("body", NOT_PLAIN_JSON.values(), ids=NOT_PLAIN_JSON)
def test_a_body_that_is_not_plain_json_is_a_validation_error(line: Line, body: bytes) -> None:
    reply = line.send("POST", "/v1/memory/search", body)
    assert (reply.status, reply.code()) == (422, "validation_error")
    assert [problem["field"] for problem in reply.json()["error"]["details"]["fields"]] == ["body"]
    assert line.brain.asked == []


def test_the_largest_legal_teaching_gets_through(line: Line) -> None:
    body = json.dumps({"facts": [{"text": "\U0001f600" * 4000}] * 20}).encode()
    assert len(body) > 900_000
    assert line.send("POST", "/v1/memory/facts", body).status == 202


@pytest.mark.parametrize(
    "content_type", ["application/json", "text/plain", "application/x-www-form-urlencoded"]
)
def test_a_body_is_read_whatever_its_type_is_called(line: Line, content_type: str) -> None:
    headers = {"X-Api-Key": SECRET, "Content-Type": content_type}
    assert line.send("POST", "/v1/memory/search", b'{"query":"x"}', headers).status == 200


def test_an_error_keeps_its_code_message_and_details(line: Line) -> None:
    line.brain.refusal = BrainError("scope_missing", "The sentence", details={"scope": "memory.read"})
    reply = line.send("POST", "/v1/memory/search", b'{"query":"x"}')
    assert reply.status == 403
    assert reply.json() == {
        "error": {"code": "scope_missing", "message": "The sentence", "details": {"scope": "memory.read"}}
    }


def test_a_full_window_says_when_to_come_back(line: Line) -> None:
    line.brain.refusal = BrainError("rate_limited", details={"retry_after_seconds": 60})
    reply = line.send("POST", "/v1/memory/search", b'{"query":"x"}')
    assert (reply.status, reply.headers["Retry-After"]) == (429, "60")


def test_whoami_answers_a_bare_tools_call(line: Line) -> None:
    body = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"whoami","arguments":{}}}'
    reply = line.send("POST", "/v1/mcp", body).json()
    result = reply["result"]
    assert (reply["id"], result["isError"]) == (1, False)
    assert json.loads(result["content"][0]["text"]) == result["structuredContent"]
    assert result["structuredContent"]["key_name"] == "support-bot"


def test_what_a_tool_refuses_is_a_result(line: Line) -> None:
    body = {"jsonrpc": "2.0", "id": "a", "method": "tools/call"}
    params = {"name": "whoami", "arguments": {"x": 1}}
    result = line.send("POST", "/v1/mcp", json.dumps({**body, "params": params}).encode()).json()["result"]
    assert (result["isError"], "structuredContent" in result) == (True, False)
    told = json.loads(result["content"][0]["text"])
    assert (told["error"], told["http_status"]) == ("validation_error", 422)


def test_one_connection_carries_many_requests(line: Line) -> None:
    connection = http.client.HTTPConnection(*line.server.address, timeout=60)
    try:
        for _ in range(3):
            connection.request("POST", "/v1/memory/search", b'{"query":"x"}', {"X-Api-Key": SECRET})
            assert read(connection).status == 200
    finally:
        connection.close()
    assert [exchange.status for exchange in line.server.seen] == [200, 200, 200]


def test_a_client_that_keeps_its_connection_open_does_not_hold_the_server_up() -> None:
    with BrainOverHttp(lambda _: ScriptedBrain()) as server:
        connection = http.client.HTTPConnection(*server.address, timeout=60)
        connection.request("POST", "/v1/memory/search", b"{}")
        assert read(connection).status == 200
    connection.close()


def test_an_exception_that_no_brain_should_raise_is_a_500_and_is_kept() -> None:
    def gate(secret: str) -> Brain:
        raise RuntimeError("broken")

    with BrainOverHttp(gate) as server:
        reply = Line(server, ScriptedBrain()).send("POST", "/v1/memory/search")
    assert (reply.status, reply.code()) == (500, "internal_error")
    assert b"broken" not in reply.body
    assert [str(fault) for fault in server.faults] == ["broken"]
