"""Queued answers: one question once, in its order, and by whom it may be read."""

import re
from collections.abc import Iterator
from threading import Thread
from typing import Any

import pytest

from brainctl.contract.errors import BrainError
from brainctl.engine.answers.workshop import is_busy
from brainctl.engine.worker.worker import Said, Task
from tests.answers.house import Gate, House, echoes, fails, names, question, says

pytestmark = pytest.mark.both_stores


def code_of(call: Any, *arguments: Any, **options: Any) -> str:
    with pytest.raises(BrainError) as refused:
        call(*arguments, **options)
    return refused.value.code


def test_a_queued_question_waits_until_somebody_works(house: House) -> None:
    brain = house.brain(speech=echoes)
    queued = brain.enqueue(question("rain"))
    assert re.fullmatch(r"event_[0-7][0-9a-hjkmnp-tv-z]{25}", queued["answer_id"])
    assert queued["status"] == "queued"
    assert brain.answer(queued["answer_id"]) == {
        "answer_id": queued["answer_id"],
        "status": "queued",
        "output_text": "",
        "conversation_id": None,
        "usage": None,
    }
    workshop = house.workshop(echoes)
    assert workshop.run_next()
    assert not workshop.run_next()
    assert brain.answer(queued["answer_id"])["output_text"] == "about rain"


def test_the_same_key_and_question_give_the_first_reply_and_no_second_run(house: House) -> None:
    brain = house.brain(speech=echoes)
    asked = question(conversation_id="c", end_user={"id": "cust_419", "name": "Maria"})
    first = brain.enqueue(asked, "ticket-1")
    assert brain.enqueue(asked, "ticket-1") == first
    brain.work_until(first["answer_id"])
    assert brain.enqueue(asked, "ticket-1") == first
    assert not house.workshop(echoes).run_next()


def test_what_is_not_compared_makes_no_difference(house: House) -> None:
    brain = house.brain()
    first = brain.enqueue(question(), "k")
    assert brain.enqueue(question(agent_slug="main", include=["sources"]), "k") == first


@pytest.mark.parametrize(
    "other",
    [
        question("what? "),
        question("whát?"),
        question(conversation_id="c"),
        question(end_user={"id": "cust_420"}),
        question(end_user={"id": "cust_419"}),
    ],
)
def test_the_same_key_with_another_question_is_refused(house: House, other: Any) -> None:
    brain = house.brain()
    first = brain.enqueue(question(end_user={"id": "cust_419", "name": "Maria"}), "k")
    assert code_of(brain.enqueue, other, "k") == "idempotency_key_reused"
    assert brain.enqueue(question(end_user={"id": "cust_419", "name": "Maria"}), "k") == first


def test_two_spellings_of_one_letter_are_two_questions(house: House) -> None:
    brain = house.brain()
    brain.enqueue(question("caf\u00e9"), "k")
    assert code_of(brain.enqueue, question("cafe\u0301"), "k") == "idempotency_key_reused"


def test_an_idempotency_key_belongs_to_one_api_key(house: House) -> None:
    internal, external = house.brain(), house.brain("external")
    assert internal.enqueue(question(), "k") != external.enqueue(question("other"), "k")


def test_a_refused_create_leaves_its_idempotency_key_unused(house: House) -> None:
    gate = Gate()
    brain = house.brain(speech=gate)
    events = brain.ask(question(conversation_id="c"))
    assert code_of(brain.enqueue, question(conversation_id="c"), "k") == "conversation_busy"
    gate.open.set()
    list(events)
    assert brain.enqueue(question("something else"), "k")["status"] == "queued"


@pytest.mark.parametrize("key", ["", " ", "k" * 201, "\ud800"])
def test_an_idempotency_key_has_its_bounds(house: House, key: str) -> None:
    assert code_of(house.brain().enqueue, question(), key) == "validation_error"


def test_odd_bytes_in_ids_are_compared_as_they_are(house: House) -> None:
    brain = house.brain()
    keys = ["k", "K", "k ", "k\0", "k\0x", "%", "_", "'; DROP TABLE answers; --"]
    ids = {brain.enqueue(question(conversation_id=key), key)["answer_id"] for key in keys}
    assert len(ids) == len(keys)


# One message at a time


def test_questions_of_one_conversation_run_in_the_order_of_asking(house: House) -> None:
    heard: list[str] = []

    def listens(task: Task) -> Iterator[Said]:
        heard.append(task.question)
        return echoes(task)

    brain = house.brain()
    for number in range(5):
        brain.enqueue(question(f"c{number}", conversation_id="c"))
        brain.enqueue(question(f"d{number}", conversation_id="d"))
    workshop = house.workshop(listens)
    while workshop.run_next():
        pass
    assert heard == [f"{name}{number}" for number in range(5) for name in "cd"]


def test_a_conversation_that_is_being_answered_waits_while_others_go_on(house: House) -> None:
    gate = Gate()
    brain = house.brain()
    first, second = (brain.enqueue(question(conversation_id="c"))["answer_id"] for _ in range(2))
    other = brain.enqueue(question(conversation_id="d"))["answer_id"]
    loose = brain.enqueue(question())["answer_id"]
    running = Thread(target=house.workshop(gate).run_next)
    running.start()
    assert gate.reached.wait(60)
    workshop = house.workshop(echoes)
    assert [workshop.run_next() for _ in range(3)] == [True, True, False]
    assert [brain.answer(each)["status"] for each in (first, second, other, loose)] == [
        "in_progress",
        "queued",
        "completed",
        "completed",
    ]
    gate.open.set()
    running.join()
    assert workshop.run_next()
    assert brain.answer(second)["status"] == "completed"


@pytest.mark.parametrize("state", ["waits", "runs"])
def test_a_stream_is_refused_while_anything_runs_or_waits(house: House, state: str) -> None:
    gate = Gate()
    brain = house.brain(speech=gate)
    queued = brain.enqueue(question(conversation_id="c"))
    running = Thread(target=house.workshop(gate).run_next)
    if state == "runs":
        running.start()
        assert gate.reached.wait(60)
    assert code_of(brain.ask, question(conversation_id="c")) == "conversation_busy"
    gate.open.set()
    if state == "waits":
        running.start()
    running.join()
    assert brain.answer(queued["answer_id"])["status"] == "completed"
    assert names(list(brain.ask(question(conversation_id="c"))))[-1] == "done"


def test_a_running_stream_refuses_both_kinds_and_frees_them_when_it_ends(house: House) -> None:
    gate = Gate()
    brain = house.brain(speech=gate)
    events = brain.ask(question(conversation_id="c"))
    assert code_of(brain.ask, question(conversation_id="c")) == "conversation_busy"
    assert code_of(brain.enqueue, question(conversation_id="c")) == "conversation_busy"
    gate.open.set()
    list(events)
    assert brain.enqueue(question(conversation_id="c"))["status"] == "queued"


def test_a_failed_run_frees_its_conversation(house: House) -> None:
    brain = house.brain(speech=fails)
    assert names(list(brain.ask(question(conversation_id="c"))))[-2:] == ["answer.failed", "done"]
    assert names(list(brain.ask(question(conversation_id="c"))))[0] == "answer.created"


def test_without_a_conversation_nothing_is_busy(house: House) -> None:
    gate = Gate()
    brain = house.brain(speech=gate)
    events = [brain.ask(question()) for _ in range(3)]
    brain.enqueue(question())
    gate.open.set()
    assert [names(list(each))[-1] for each in events] == ["done"] * 3


def test_a_replay_is_answered_while_its_own_run_holds_the_conversation(house: House) -> None:
    gate = Gate()
    brain = house.brain()
    first = brain.enqueue(question(conversation_id="c"), "k")
    running = Thread(target=house.workshop(gate).run_next)
    running.start()
    assert gate.reached.wait(60)
    assert brain.enqueue(question(conversation_id="c"), "k") == first
    gate.open.set()
    running.join()


def test_internal_and_external_conversations_of_one_name_are_two(house: House) -> None:
    gate = Gate()
    internal, external = house.brain(speech=gate), house.brain("external", speech=says("hello"))
    events = internal.ask(question(conversation_id="c"))
    assert names(list(external.ask(question(conversation_id="c"))))[-1] == "done"
    gate.open.set()
    list(events)


# Reading


def test_an_external_key_reads_what_external_keys_asked_and_nothing_else(house: House) -> None:
    internal, external, other = (house.brain(audience) for audience in ("internal", "external", "external"))
    inner = internal.enqueue(question())["answer_id"]
    outer = external.enqueue(question())["answer_id"]
    assert other.answer(outer)["status"] == "queued"
    assert internal.answer(outer)["status"] == "queued"
    with pytest.raises(BrainError) as unknown:
        external.answer("event_01k9p3zq8w4m1te6h2ndkbx9pf")
    with pytest.raises(BrainError) as hidden:
        external.answer(inner)
    assert hidden.value.report() == unknown.value.report()
    assert unknown.value.message == "No answer with that id in this workspace"
    assert code_of(external.work_until, inner) == "not_found"


@pytest.mark.parametrize("answer_id", ["", "event_", "run_%", "' OR 1=1 --", "\0"])
def test_an_id_that_is_none_is_not_found(house: House, answer_id: str) -> None:
    assert code_of(house.brain().answer, answer_id) == "not_found"


# Waiting and working


def test_waiting_works_off_the_queue_in_order_until_the_answer_is_there(house: House) -> None:
    brain = house.brain(speech=echoes)
    ids = [brain.enqueue(question(f"q{number}"))["answer_id"] for number in range(3)]
    assert brain.work_until(ids[1], sources=True)["sources"] == []
    statuses = [brain.answer(each)["status"] for each in ids]
    assert statuses[:2] == ["completed", "completed"]


def test_waiting_for_a_finished_answer_runs_nothing(house: House) -> None:
    brain = house.brain(speech=echoes)
    first = brain.enqueue(question())["answer_id"]
    house.workshop(echoes).run_next()
    second = brain.enqueue(question())["answer_id"]
    assert brain.work_until(first)["output_text"] == "about what?"
    assert brain.answer(second)["status"] == "queued"


def test_a_wait_that_runs_out_leaves_the_run_to_go_on(house: House) -> None:
    gate = Gate()

    def elapsed() -> float:
        return 10.0 if gate.reached.is_set() else 0.0

    brain = house.brain(speech=gate, elapsed=elapsed)
    answer_id = brain.enqueue(question())["answer_id"]
    assert brain.work_until(answer_id, seconds=5)["status"] == "in_progress"
    gate.open.set()
    assert brain.work_until(answer_id)["output_text"] == "before after"


def test_not_to_wait_at_all_gives_the_answer_as_it_stands(house: House) -> None:
    begun: list[Task] = []

    def speech(task: Task) -> Iterator[Said]:
        begun.append(task)
        return echoes(task)

    brain = house.brain(speech=speech)
    answer_id = brain.enqueue(question())["answer_id"]
    assert brain.work_until(answer_id, seconds=0)["status"] == "queued"
    assert not is_busy(60)
    assert not begun
    assert brain.work_until(answer_id)["status"] == "completed"
    assert brain.work_until(answer_id, seconds=0)["status"] == "completed"


def test_waiting_for_what_somebody_else_runs_looks_until_it_is_done(house: House) -> None:
    gate = Gate()
    brain = house.brain(speech=echoes)
    answer_id = brain.enqueue(question())["answer_id"]
    running = Thread(target=house.workshop(gate).run_next)
    running.start()
    assert gate.reached.wait(60)
    gate.open.set()
    assert brain.work_until(answer_id)["output_text"] == "before after"
    running.join()


# Credits


def test_answers_are_counted_down_and_then_refused(house: House) -> None:
    brain = house.brain(speech=echoes)
    house.owner.set_credits(2)
    list(brain.ask(question()))
    first = brain.enqueue(question(), "k")
    assert house.owner.credits() == 0
    assert code_of(brain.ask, question()) == "out_of_credits"
    assert code_of(brain.enqueue, question(), "k2") == "out_of_credits"
    assert brain.enqueue(question(), "k") == first
    assert brain.work_until(first["answer_id"])["status"] == "completed"


def test_without_credits_nothing_is_taught_and_everything_is_read(house: House) -> None:
    brain = house.brain(speech=echoes)
    assert brain.teach({"facts": [{"text": "Tea is at four."}]})["created"] == 1
    house.owner.set_credits(0)
    assert code_of(brain.teach, {"facts": [{"text": "Tea is at four."}]}) == "out_of_credits"
    assert len(brain.search({"query": "tea"})["facts"]) == 1
    assert brain.context({"query": "tea"})["facts"]
    assert brain.whoami()["key_name"] == "key 1"
    house.owner.set_credits(None)
    assert brain.teach({"facts": [{"text": "Tea is at four."}]})["skipped"] == 1
    assert names(list(brain.ask(question())))[-1] == "done"


def test_teaching_costs_nothing_and_a_busy_conversation_neither(house: House) -> None:
    gate = Gate()
    brain = house.brain(speech=gate)
    house.owner.set_credits(5)
    brain.teach({"facts": [{"text": "Tea is at four."}]})
    events = brain.ask(question(conversation_id="c"))
    assert code_of(brain.enqueue, question(conversation_id="c")) == "conversation_busy"
    assert house.owner.credits() == 4
    gate.open.set()
    list(events)


@pytest.mark.parametrize("number", [-1, 1 << 63])
def test_credits_are_a_number_that_can_be(house: House, number: int) -> None:
    assert code_of(house.owner.set_credits, number) == "validation_error"
