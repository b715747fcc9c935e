"""An answer is got to its end, and asked for once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from brainctl.client.waiting import WaitOverError, poll, stream_or_recover
from brainctl.contract.errors import BrainError
from brainctl.contract.events import Event

if TYPE_CHECKING:
    from collections.abc import Iterator

    from brainctl.contract.replies import AnswerReply
    from tests.client.conftest import Desk, Server

QUEUED: dict[str, Any] = {
    "answer_id": "run_1",
    "status": "queued",
    "output_text": "",
    "conversation_id": None,
    "usage": None,
}
RUNNING = {**QUEUED, "status": "in_progress"}
ANSWER: Any = {**QUEUED, "status": "completed", "output_text": "Yes", "sources": []}
FAILED = {**QUEUED, "status": "failed", "error": {"code": "run_failed", "message": "It broke."}}
CREATED = b'event: answer.created\ndata: {"answer_id":"run_1"}\n\n'
DELTA = b'event: answer.delta\ndata: {"text":"Let me look. Yes"}\n\n'
COMPLETED = (
    b'event: answer.completed\ndata: {"answer_id":"run_1","status":"completed","output_text":"Yes"}\n\n'
)
RUN_FAILED = b'event: answer.failed\ndata: {"error":{"code":"run_failed","message":"It broke."}}\n\n'
DONE = b'event: done\ndata: {"ok":true}\n\n'


class Time:
    """A clock that only sleeping moves."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


def polled(desk: Desk, server: Server, time: Time, **options: Any) -> AnswerReply | None:
    brain = desk.brain(server.url)
    return poll(brain, "run_1", sleep=time.sleep, clock=time, jitter=lambda: 0.0, **options)


def test_an_answer_is_looked_at_until_it_is_finished(server: Server, desk: Desk) -> None:
    server.then(*[server.data(reply) for reply in (QUEUED, QUEUED, RUNNING, ANSWER)])
    time, statuses = Time(), list[str]()
    assert polled(desk, server, time, sources=True, on_status=statuses.append) == ANSWER
    assert statuses == ["queued", "in_progress", "completed"]
    assert time.slept == [1.0, 1.0, 1.0]
    assert {seen.path for seen in server.requests} == {"/v1/answers/run_1?include=sources"}


def test_a_failed_answer_is_a_finished_one(server: Server, desk: Desk) -> None:
    server.then(server.data(FAILED))
    assert polled(desk, server, Time()) == FAILED


def test_looks_get_rarer_and_never_rarer_than_five_seconds(server: Server, desk: Desk) -> None:
    server.then(*[server.data(RUNNING)] * 100, server.data(ANSWER))
    time = Time()
    polled(desk, server, time)
    assert time.slept == sorted(time.slept)
    assert (time.slept[0], time.slept[10], time.slept[-1]) == (1.0, 1.0, 5.0)


def test_the_wait_ends_on_time_with_a_last_look(server: Server, desk: Desk) -> None:
    server.then(*[server.data(RUNNING)] * 4)
    time = Time()
    assert polled(desk, server, time, wait_seconds=2.5) is None
    assert time.slept == [1.0, 1.0, 0.5]
    assert len(server.requests) == 4


@pytest.mark.parametrize(("reply", "found"), [(RUNNING, None), (ANSWER, ANSWER)])
def test_no_wait_is_one_look(server: Server, desk: Desk, reply: dict[str, Any], found: Any) -> None:
    server.then(server.data(reply))
    time = Time()
    assert polled(desk, server, time, wait_seconds=0) == found
    assert time.slept == []
    assert len(server.requests) == 1


def test_a_look_that_fails_for_a_while_does_not_lose_the_answer(server: Server, desk: Desk) -> None:
    limit = server.error(429, "rate_limited", details={"retry_after_seconds": 60})
    page = server.reply(502, b"<title>bad</title>", kind="text/html")
    reset = server.data(QUEUED)._replace(pieces=[], ending="reset")
    server.then(
        server.data(RUNNING), limit, page, reset, server.error(500, "internal_error"), server.data(ANSWER)
    )
    time, said = Time(), list[str]()
    assert polled(desk, server, time, notify=said.append) == ANSWER
    assert time.slept[1] == 60.0
    assert len(said) == 4
    assert desk.slept == []


def test_a_rate_limit_does_not_outlast_the_wait(server: Server, desk: Desk) -> None:
    limit = server.error(429, "rate_limited", details={"retry_after_seconds": 60})
    server.then(server.data(RUNNING), limit, limit)
    time = Time()
    assert polled(desk, server, time, wait_seconds=10) is None
    assert sum(time.slept) == 10


@pytest.mark.parametrize("seconds", [0, 10])
def test_a_rate_limit_alone_is_a_wait_that_ran_out(server: Server, desk: Desk, seconds: int) -> None:
    limit = server.error(429, "rate_limited", details={"retry_after_seconds": 60})
    server.then(limit, limit)
    time = Time()
    assert polled(desk, server, time, wait_seconds=seconds) is None
    assert sum(time.slept) == seconds


def test_a_wait_without_one_good_look_ends_in_its_error(server: Server, desk: Desk) -> None:
    server.then(*[server.error(500, "internal_error")] * 4)
    with pytest.raises(BrainError) as caught:
        polled(desk, server, Time(), wait_seconds=2.5)
    assert caught.value.code == "internal_error"


def test_trouble_without_end_ends_the_wait(server: Server, desk: Desk) -> None:
    server.then(server.data(RUNNING), *[server.error(500, "internal_error")] * 500)
    time = Time()
    with pytest.raises(BrainError):
        polled(desk, server, time)
    assert 300 < sum(time.slept) < 310


@pytest.mark.parametrize(
    ("status", "code"), [(401, "api_key_revoked"), (404, "not_found"), (403, "scope_missing")]
)
def test_a_refusal_ends_the_wait_at_once(server: Server, desk: Desk, status: int, code: str) -> None:
    server.then(server.data(RUNNING), server.error(status, code))
    with pytest.raises(BrainError) as caught:
        polled(desk, server, Time())
    assert caught.value.code == code


def test_a_reply_without_a_status_is_a_bad_response(server: Server, desk: Desk) -> None:
    server.then(server.data({"answer_id": "run_1"}))
    with pytest.raises(BrainError) as caught:
        polled(desk, server, Time())
    assert caught.value.code == "bad_response"


@pytest.mark.parametrize("status", ["cancelled", "", "COMPLETED", "x" * 10_000])
def test_a_status_that_nobody_knows_ends_the_wait_in_a_sentence(
    server: Server, desk: Desk, status: str
) -> None:
    server.then(server.data(RUNNING), server.data({**RUNNING, "status": status}))
    with pytest.raises(BrainError, match="no status that this brainctl knows") as caught:
        polled(desk, server, Time())
    assert caught.value.code == "bad_response"
    assert f"{status[:40]!r}" in str(caught.value)
    assert len(str(caught.value)) < 300


class LocalStub:
    """As little of a brain as waiting needs, with no retries of its own."""

    def __init__(self, *outcomes: AnswerReply | BrainError) -> None:
        self.outcomes = list(outcomes)

    def answer(self, answer_id: str, *, sources: bool = False) -> AnswerReply:
        outcome = self.outcomes.pop(0)
        if isinstance(outcome, BrainError):
            raise outcome
        return outcome


def test_any_brain_can_be_waited_on() -> None:
    limit = BrainError("rate_limited", details={"retry_after_seconds": 7})
    finished: Any = ANSWER
    stub: Any = LocalStub(limit, finished)
    time = Time()
    assert poll(stub, "run_1", sleep=time.sleep, clock=time, jitter=lambda: 1.0) == ANSWER
    assert time.slept == pytest.approx([8.4])


def streamed(desk: Desk, server: Server, *, idle: float = 60.0, **options: Any) -> Iterator[Event]:
    time = Time()
    brain = desk.brain(server.url, idle=idle)
    options = {"sleep": time.sleep, "clock": time, "jitter": lambda: 0.0, **options}
    return stream_or_recover(brain, {"input": "q", "include": ["sources"]}, **options)


def outcome(events: Iterator[Event]) -> list[Event] | BrainError:
    try:
        return list(events)
    except BrainError as error:
        return error


def posts(server: Server) -> int:
    return sum(seen.method == "POST" for seen in server.requests)


def test_a_whole_stream_passes_through(server: Server, desk: Desk) -> None:
    server.then(server.stream(CREATED, DELTA, COMPLETED, DONE))
    events = [event.event for event in streamed(desk, server)]
    assert events == ["answer.created", "answer.delta", "answer.completed", "done"]
    assert len(server.requests) == 1


def test_a_failure_as_the_first_event_passes_through(server: Server, desk: Desk) -> None:
    server.then(server.stream(RUN_FAILED, DONE))
    assert [event.event for event in streamed(desk, server)] == ["answer.failed", "done"]


@pytest.mark.parametrize("outcome", [COMPLETED, RUN_FAILED])
def test_a_stream_lost_after_its_outcome_stands(server: Server, desk: Desk, outcome: bytes) -> None:
    server.then(server.stream(CREATED, outcome))
    events = list(streamed(desk, server))
    assert events[-1] == Event("done", {"ok": True})
    assert len(events) == 3
    assert len(server.requests) == 1


@pytest.mark.parametrize("ending", ["close", "reset", "stall"])
@pytest.mark.parametrize(
    "pieces", [[CREATED], [CREATED, DELTA], [CREATED, b"event: answer.completed\ndata: {\n\n"]]
)
def test_a_stream_lost_before_its_outcome_is_read_back_by_its_id(
    server: Server, desk: Desk, ending: str, pieces: list[bytes]
) -> None:
    # In one piece, so that no silence falls between the head and the id.
    whole = b"".join(server.stream(*pieces).pieces)
    server.then(server.data(RUNNING)._replace(pieces=[whole], ending=ending))
    server.then(server.data(RUNNING), server.data(ANSWER))
    said = list[str]()
    idle = 2.0 if ending == "stall" else 60.0
    events = outcome(streamed(desk, server, idle=idle, notify=said.append))
    if isinstance(events, BrainError):
        # A reset may overtake what was sent before it, the id too.
        assert ending == "reset"
        assert "No answer id was seen" in events.message
    else:
        assert events[-2:] == [Event("answer.completed", ANSWER), Event("done", {"ok": True})]
        assert server.requests[-1].path == "/v1/answers/run_1?include=sources"
        assert "run_1" in said[0]
    assert posts(server) == 1


def test_a_read_back_failure_is_a_failed_event(server: Server, desk: Desk) -> None:
    server.then(server.stream(CREATED), server.data(FAILED))
    events = list(streamed(desk, server))
    assert events[-2] == Event("answer.failed", {"error": {"code": "run_failed", "message": "It broke."}})


def test_a_stream_lost_before_the_id_says_that_a_run_may_exist(server: Server, desk: Desk) -> None:
    for step in [server.stream(), server.data(QUEUED)._replace(pieces=[], ending="reset")]:
        server.then(step)
        with pytest.raises(BrainError) as caught:
            list(streamed(desk, server))
        assert caught.value.code == "unreachable"
        assert "No answer id was seen: a run may exist and cost" in caught.value.message
        assert "--no-stream" in caught.value.message
    assert posts(server) == 2


def test_a_gateway_that_lost_the_reply_says_that_a_run_may_exist(server: Server, desk: Desk) -> None:
    server.then(server.reply(502, b"<title>bad</title>", kind="text/html"))
    with pytest.raises(BrainError) as caught:
        list(streamed(desk, server))
    assert (caught.value.code, caught.value.http_status) == ("bad_response", 502)
    assert "a run may exist" in caught.value.message


def test_no_run_is_feared_where_nothing_was_begun(server: Server, desk: Desk) -> None:
    server.then(
        server.reply(200, b"<title>wrong</title>", kind="text/html"), server.error(409, "conversation_busy")
    )
    codes = []
    for _ in range(2):
        with pytest.raises(BrainError) as caught:
            list(streamed(desk, server))
        codes.append(caught.value.code)
        assert "a run may exist" not in caught.value.message
    assert codes == ["bad_response", "conversation_busy"]
    server.close()
    for environ in [{}, {"HTTPS_PROXY": "gopher://p"}]:
        url = "https://brain.example" if environ else server.url
        brain = desk.brain(url, environ=environ)
        with pytest.raises(BrainError) as caught:
            list(stream_or_recover(brain, {"input": "q"}))
        assert caught.value.code == "unreachable"
        assert "a run may exist" not in caught.value.message


def test_the_wait_bounds_the_stream_and_the_reading_back(server: Server, desk: Desk) -> None:
    server.then(server.stream(CREATED, DELTA, ending="stall"))
    with pytest.raises(WaitOverError) as caught:
        list(streamed(desk, server, wait_seconds=0))
    assert caught.value.answer_id == "run_1"
    server.then(server.stream(CREATED), *[server.data(RUNNING)] * 4)
    with pytest.raises(WaitOverError):
        list(streamed(desk, server, wait_seconds=2))


def test_a_brain_that_ends_without_done_is_a_lost_stream() -> None:
    class Short(LocalStub):
        def ask(self, _request: Any) -> Iterator[Event]:
            return iter([Event("answer.created", {"answer_id": "run_1"})])

    finished: Any = ANSWER
    stub: Any = Short(finished)
    events = list(stream_or_recover(stub, {"input": "q"}))
    assert [event.event for event in events] == ["answer.created", "answer.completed", "done"]


EXCHANGE = CREATED + b": ping\n\n" + DELTA + COMPLETED + DONE


@pytest.mark.parametrize("ending", ["close", "reset"])
@pytest.mark.parametrize("chunked", [False, True])
def test_wherever_a_stream_is_cut_the_answer_is_found_or_said_to_be_lost(
    server: Server, desk: Desk, ending: str, *, chunked: bool
) -> None:
    whole = b"".join(server.stream(EXCHANGE, chunked=chunked).pieces)
    brain = desk.brain(server.url, trace=None)
    found = lost = 0
    for cut in range(len(whole) + 1):
        server.requests.clear()
        server.then(server.data(ANSWER)._replace(pieces=[whole[:cut]], ending=ending), server.data(ANSWER))
        events = outcome(stream_or_recover(brain, {"input": "q"}, sleep=lambda _: None))
        if isinstance(events, BrainError):
            assert events.code in {"unreachable", "bad_response"}
            assert "No answer id was seen" in events.message
            lost += 1
        else:
            completed = [event.data["output_text"] for event in events if event.event == "answer.completed"]
            assert completed == ["Yes"]
            assert events[-1].event == "done"
            found += 1
        assert posts(server) == 1
        server.forget()
    assert lost
    assert found > (0 if ending == "reset" else len(EXCHANGE) - len(CREATED))


def test_a_stream_that_is_done_without_an_outcome_is_read_back(server: Server, desk: Desk) -> None:
    server.then(server.stream(CREATED, DELTA, DONE), server.data(ANSWER))
    events = list(streamed(desk, server))
    assert [event.event for event in events] == ["answer.created", "answer.delta", "answer.completed", "done"]
    assert posts(server) == 1
