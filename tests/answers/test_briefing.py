"""What a worker is given: the packet its asker would get, the conversation so far, and live search or none."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, cast

import pytest

from brainctl.engine.answers.briefing import HISTORY_CHARACTERS_MAX, TURNS_MOST
from brainctl.engine.worker.worker import Exchange, Said, Task
from tests.answers.house import House, echoes, question
from tests.doors.workspace import fact

pytestmark = pytest.mark.both_stores

if TYPE_CHECKING:
    from brainctl.contract.requests import ContextRequest


class Reader:
    """A worker that keeps what it was given."""

    def __init__(self) -> None:
        self.tasks: list[Task] = []

    def __call__(self, task: Task) -> Iterator[Said]:
        self.tasks.append(task)
        return echoes(task)


def fill(house: House) -> None:
    house.owner.add_person("cust_419", "Maria Keller")
    house.owner.add_person("cust_777", "Jonas Berg")
    house.owner.load_facts(
        [
            fact("Deposits are not refunded in the last 30 days."),
            fact("The margin on deposits is 40 percent.", kind="project"),
            fact("Maria paid a deposit in June.", subject="Maria Keller"),
            fact("Jonas paid a deposit in May.", subject="Jonas Berg"),
        ]
    )


def test_the_worker_gets_the_packet_that_its_asker_would_get(house: House) -> None:
    fill(house)
    for audience in ("internal", "external"):
        for end_user in ({}, {"end_user": {"id": "cust_419"}}):
            reader = Reader()
            brain = house.brain(audience, speech=reader)
            list(brain.ask(question("deposit", **end_user)))
            reply = brain.context(cast("ContextRequest", {"query": "deposit", **end_user}))
            assert reader.tasks[0].packet == reply["rendered"]
            assert list(reader.tasks[0].facts) == reply["facts"]


def test_only_internal_keys_have_a_worker_that_searches(house: House) -> None:
    fill(house)
    reader = Reader()
    list(house.brain("external", speech=reader).ask(question("deposit")))
    list(house.brain("internal", speech=reader).ask(question("deposit", end_user={"id": "cust_419"})))
    external, internal = reader.tasks
    assert external.search is None
    assert internal.search is not None
    found = {each["fact_text"] for each in internal.search("deposit", 10)}
    assert "The margin on deposits is 40 percent." in found
    assert "Maria paid a deposit in June." in found
    assert "Jonas paid a deposit in May." not in found
    assert len(internal.search("deposit", 2)) == 2


def test_what_an_external_worker_is_given_does_not_change_with_what_is_hidden(house: House) -> None:
    fill(house)
    reader = Reader()
    brain = house.brain("external", speech=reader)
    list(brain.ask(question("margin on deposits")))
    house.owner.load_facts([fact(f"Margin {n} on deposits.", kind="incident") for n in range(30)])
    list(brain.ask(question("margin on deposits")))
    assert reader.tasks[0] == reader.tasks[1]


def test_a_conversation_is_remembered_in_order(house: House) -> None:
    reader = Reader()
    brain = house.brain(speech=reader)
    for text in ("one", "two", "three"):
        list(brain.ask(question(text, conversation_id="c")))
    brain.work_until(brain.enqueue(question("four", conversation_id="c"))["answer_id"])
    assert reader.tasks[3].history == [Exchange(text, f"about {text}") for text in ("one", "two", "three")]
    list(brain.ask(question("five")))
    assert reader.tasks[4].history == []


def test_a_conversation_is_one_persons_and_one_audiences(house: House) -> None:
    reader = Reader()
    internal, external = house.brain(speech=reader), house.brain("external", speech=reader)
    list(internal.ask(question("inner", conversation_id="c")))
    list(external.ask(question("nobody's", conversation_id="c")))
    list(external.ask(question("Maria's", conversation_id="c", end_user={"id": "cust_419"})))
    list(external.ask(question("Jonas's", conversation_id="c", end_user={"id": "cust_777"})))
    list(external.ask(question("Maria's again", conversation_id="c", end_user={"id": "cust_419"})))
    assert [[turn.question for turn in task.history] for task in reader.tasks] == [
        [],
        [],
        [],
        [],
        ["Maria's"],
    ]


def test_a_failed_turn_is_not_remembered(house: House) -> None:
    reader = Reader()

    def fails_at_bad(task: Task) -> Iterator[Said]:
        if task.question == "bad":
            raise RuntimeError(task.question)
        return reader(task)

    brain = house.brain(speech=fails_at_bad)
    for text in ("good", "bad", "last"):
        list(brain.ask(question(text, conversation_id="c")))
    assert [turn.question for turn in reader.tasks[-1].history] == ["good"]


def test_a_long_conversation_is_remembered_as_far_back_as_fits(house: House) -> None:
    reader = Reader()
    brain = house.brain(speech=reader)
    for number in range(TURNS_MOST + 2):
        list(brain.ask(question(f"q{number}", conversation_id="many")))
    assert [turn.question for turn in reader.tasks[-1].history] == [f"q{n}" for n in range(1, TURNS_MOST + 1)]
    for number in range(4):
        list(brain.ask(question(f"{number}" + "x" * 5000, conversation_id="long")))
    kept = reader.tasks[-1].history
    assert [turn.question[0] for turn in kept] == ["2"]
    assert sum(len(turn.question) + len(turn.answer) for turn in kept) <= HISTORY_CHARACTERS_MAX
