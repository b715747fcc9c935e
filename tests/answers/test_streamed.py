"""A streamed answer: its events, what is kept of it, and how it ends when something goes wrong."""

import gc
import re
import sys
import threading
from collections.abc import Iterator
from itertools import count

import pytest

from brainctl.contract.errors import BrainError
from brainctl.contract.events import Event
from brainctl.engine.answers.runs import OUTPUT_MAX
from brainctl.engine.worker.worker import Delta, Said, Task, WorkerError
from tests.answers.house import QUICK, Gate, House, Speech, echoes, names, question, says, spoken
from tests.cli.shell import eventually
from tests.spot import raw

pytestmark = pytest.mark.both_stores

FAILED = {"error": {"code": "run_failed", "message": "The run couldn't be completed. Please try again."}}
DONE = Event("done", {"ok": True})


def ended_as_failed(events: list[Event]) -> bool:
    return events[-2:] == [Event("answer.failed", FAILED), DONE]


def test_the_events_come_in_the_documented_order_and_form(house: House) -> None:
    brain = house.brain(speech=says("She can", " move it."))
    events = list(brain.ask(question(conversation_id="ticket-9931")))
    answer_id = events[0].data["answer_id"]
    assert re.fullmatch(r"run_[0-7][0-9a-hjkmnp-tv-z]{25}", answer_id)
    assert events == [
        Event("answer.created", {"answer_id": answer_id, "conversation_id": "ticket-9931"}),
        Event("answer.delta", {"text": "She can"}),
        Event("answer.delta", {"text": " move it."}),
        Event(
            "answer.completed",
            {
                "answer_id": answer_id,
                "status": "completed",
                "output_text": "She can move it.",
                "conversation_id": "ticket-9931",
                "usage": {"input_tokens": 7, "output_tokens": 3},
            },
        ),
        DONE,
    ]


def test_the_completed_event_is_what_reading_the_answer_gives(house: House) -> None:
    brain = house.brain(speech=echoes)
    events = list(brain.ask(question(include=["sources"])))
    assert events[-2].data == brain.answer(events[0].data["answer_id"], sources=True)


def test_sources_come_only_where_they_are_asked_for(house: House) -> None:
    brain = house.brain(speech=echoes)
    without = list(brain.ask(question()))
    assert "sources" not in without[-2].data
    assert "sources" not in brain.answer(without[0].data["answer_id"])
    assert list(brain.ask(question(include=["sources"])))[-2].data["sources"] == []


def test_a_running_answer_reads_as_in_progress_and_says_nothing_yet(house: House) -> None:
    gate = Gate()
    brain = house.brain(speech=gate)
    events = brain.ask(question())
    answer_id = next(events).data["answer_id"]
    assert next(events).data == {"text": "before"}
    assert brain.answer(answer_id, sources=True) == {
        "answer_id": answer_id,
        "status": "in_progress",
        "output_text": "",
        "conversation_id": None,
        "usage": None,
        "sources": [],
    }
    gate.open.set()
    assert names(list(events)) == ["answer.delta", "answer.completed", "done"]


def test_a_note_before_a_tool_is_in_the_deltas_and_not_in_the_output(house: House) -> None:
    brain = house.brain(speech=says("Let me look.", "\n\n", "It is blue.", text="It is blue."))
    events = list(brain.ask(question()))
    assert spoken(events) == "Let me look.\n\nIt is blue."
    assert events[-2].data["output_text"] == "It is blue."


def test_an_empty_answer_is_a_completed_one(house: House) -> None:
    events = list(house.brain(speech=says()).ask(question()))
    assert names(events) == ["answer.created", "answer.completed", "done"]
    assert events[1].data["output_text"] == ""


def raises(task: Task) -> Iterator[Said]:
    yield Delta("half a")
    raise WorkerError("the model sent XYZZY")


def raises_anything(task: Task) -> Iterator[Said]:
    yield Delta(f"{1 // 0}")


def exits(task: Task) -> Iterator[Said]:
    yield Delta(sys.exit("XYZZY"))


def stops_short(task: Task) -> Iterator[Said]:
    yield Delta("and")


@pytest.mark.parametrize("speech", [raises, raises_anything, exits, stops_short])
def test_a_worker_that_fails_ends_as_run_failed(house: House, speech: Speech) -> None:
    brain = house.brain(speech=speech)
    events = list(brain.ask(question(conversation_id="c")))
    assert ended_as_failed(events)
    reply = brain.answer(events[0].data["answer_id"], sources=True)
    assert reply["status"] == "failed"
    assert reply["output_text"] == ""
    assert reply["usage"] is None
    assert reply["error"] == FAILED["error"]


def test_the_cause_of_a_failure_is_in_the_log_alone(house: House) -> None:
    brain = house.brain(speech=raises)
    events = list(brain.ask(question()))
    answer_id = events[0].data["answer_id"]
    assert house.log == [f"{answer_id} failed: the model sent XYZZY"]
    assert "XYZZY" not in f"{events} {brain.answer(answer_id, sources=True)}"
    with raw(house.path) as connection:
        rows = connection.execute("SELECT * FROM answers").fetchall()
    assert answer_id in str(rows)
    assert "XYZZY" not in str(rows)


def test_a_worker_that_hangs_fails_when_its_time_is_over(house: House) -> None:
    gate = Gate()
    brain = house.brain(speech=gate, pace=QUICK._replace(run=0.02))
    events = list(brain.ask(question()))
    assert names(events) in (
        ["answer.created", "answer.failed", "done"],
        ["answer.created", "answer.delta", "answer.failed", "done"],
    )
    assert "took more than" in house.log[0]
    gate.open.set()


def test_a_worker_that_never_ends_is_cut_and_then_fails(house: House) -> None:
    def endless(task: Task) -> Iterator[Said]:
        return (Delta("abcdefgh" * 1024) for _ in count())

    # A second passes with each piece, however fast this machine is.
    seconds = count()
    brain = house.brain(
        speech=endless, pace=QUICK._replace(run=100, beat=100), elapsed=lambda: float(next(seconds))
    )
    events = list(brain.ask(question()))
    assert len(spoken(events)) == OUTPUT_MAX
    assert ended_as_failed(events)


def test_ten_megabytes_are_cut_to_what_an_answer_keeps(house: House) -> None:
    brain = house.brain(speech=says("x" * 10_000_000))
    events = list(brain.ask(question()))
    assert len(spoken(events)) == OUTPUT_MAX
    assert brain.answer(events[0].data["answer_id"])["output_text"] == "x" * OUTPUT_MAX


def test_the_run_goes_on_when_nobody_listens_any_more(house: House) -> None:
    gate = Gate()
    brain = house.brain(speech=gate)
    events = brain.ask(question())
    answer_id = next(events).data["answer_id"]
    assert gate.reached.wait(60)
    del events
    gc.collect()
    gate.open.set()
    assert brain.work_until(answer_id)["output_text"] == "before after"


def test_two_hundred_streams_that_nobody_takes_leave_no_thread(house: House) -> None:
    brain = house.brain(speech=echoes)
    # The first one may start threads that stay, and serve those that follow.
    list(brain.ask(question()))
    before = set(threading.enumerate())
    ids = [next(brain.ask(question(f"q{number}"))).data["answer_id"] for number in range(200)]
    eventually(lambda: set(threading.enumerate()) <= before)
    assert {brain.answer(answer_id)["status"] for answer_id in ids} == {"completed"}


def test_the_lease_is_renewed_while_a_worker_thinks(house: House) -> None:
    gate = Gate()
    brain = house.brain(speech=gate)
    events = brain.ask(question(conversation_id="c"))
    answer_id = next(events).data["answer_id"]
    assert gate.reached.wait(60)
    for _ in range(10):
        # Each time as long as a lease lasts, less a second.
        house.clock.advance(QUICK.lease - 1)
        wait_until_leased(house, answer_id, beyond=QUICK.lease - 1)
        assert brain.answer(answer_id)["status"] == "in_progress"
    gate.open.set()
    assert names(list(events))[-2:] == ["answer.completed", "done"]


def wait_until_leased(house: House, answer_id: str, *, beyond: float) -> None:
    until = (house.clock() + beyond) * 1000

    def is_leased() -> bool:
        with house.owner.store.reading() as connection:
            (leased,) = connection.execute(
                "SELECT lease_until FROM answers WHERE answer_id = ?", (answer_id,)
            ).fetchone()
        return bool(leased > until)

    eventually(is_leased)


def test_a_run_whose_lease_was_lost_has_failed_whatever_it_says(house: House) -> None:
    gate = Gate()
    # Beats that never come: as in a process that was suspended.
    brain = house.brain(speech=gate, pace=QUICK._replace(beat=3600, run=3600))
    events = brain.ask(question(conversation_id="c"))
    answer_id = next(events).data["answer_id"]
    assert gate.reached.wait(60)
    house.clock.advance(QUICK.lease)
    assert brain.answer(answer_id)["status"] == "failed"
    assert brain.enqueue(question(conversation_id="c"))["status"] == "queued"
    gate.open.set()
    assert ended_as_failed(list(events))
    assert brain.answer(answer_id)["status"] == "failed"
    assert brain.answer(answer_id)["output_text"] == ""


def test_a_last_word_in_time_counts_though_the_lease_had_run_out(house: House) -> None:
    gate = Gate()
    brain = house.brain(speech=gate, pace=QUICK._replace(beat=3600, run=3600))
    events = brain.ask(question())
    next(events)
    assert gate.reached.wait(60)
    house.clock.advance(QUICK.lease)
    gate.open.set()
    assert names(list(events))[-2:] == ["answer.completed", "done"]


@pytest.mark.parametrize(
    ("request_", "field"),
    [
        ({}, "input"),
        ({"input": ""}, "input"),
        ({"input": "x" * 8001}, "input"),
        ({"input": "x", "stream": True}, "stream"),
        ({"input": "x", "include": ["facts"]}, "include[0]"),
        ({"input": "x", "agent_slug": "nobody"}, "agent_slug"),
        ({"input": "x", "end_user": {"name": "Maria"}}, "end_user.id"),
        ({"input": "x", "conversation_id": "c" * 201}, "conversation_id"),
    ],
)
def test_a_request_that_does_not_match_is_refused_before_any_event(
    house: House, request_: dict[str, object], field: str
) -> None:
    brain = house.brain(speech=echoes)
    for verb in (brain.ask, brain.enqueue):
        with pytest.raises(BrainError) as refused:
            verb(request_)  # type: ignore[arg-type]  # wrong on purpose
        assert refused.value.code == "validation_error"
        assert [each["field"] for each in refused.value.details["fields"]] == [field]


def test_the_longest_input_counts_characters_and_not_bytes(house: House) -> None:
    brain = house.brain(speech=says("ok"))
    assert names(list(brain.ask(question("😀" * 8000))))[-1] == "done"


def test_a_key_without_the_scope_may_neither_ask_nor_read(house: House) -> None:
    brain = house.open(house.key("internal", "memory.read"))
    for call in (
        lambda: brain.ask(question()),
        lambda: brain.enqueue(question()),
        lambda: brain.answer("run_x"),
        lambda: brain.work_until("run_x"),
    ):
        with pytest.raises(BrainError, match="scope_missing"):
            call()


def test_a_key_revoked_in_the_middle_of_a_stream_hears_its_end(house: House) -> None:
    gate = Gate()
    brain = house.brain(speech=gate)
    events = brain.ask(question())
    answer_id = next(events).data["answer_id"]
    house.owner.revoke_key("key 1")
    gate.open.set()
    assert names(list(events))[-2:] == ["answer.completed", "done"]
    with pytest.raises(BrainError, match="api_key_revoked"):
        brain.answer(answer_id)
