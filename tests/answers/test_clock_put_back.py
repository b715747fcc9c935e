"""The clock is put back while answers run: the living go on, the dead are ended, and none is run twice."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from brainctl.contract.errors import BrainError
from brainctl.engine.answers import ledger
from brainctl.engine.answers.crew import AtHand
from brainctl.engine.answers.ledger import Watch
from brainctl.engine.answers.runs import Means, run
from brainctl.engine.store.answers import AnswerRow
from brainctl.engine.store.opening import open_store
from brainctl.engine.store.store import Store
from tests.answers.house import House, Scripted, echoes, names, question

if TYPE_CHECKING:
    from brainctl.contract.events import Event

LEASE_MS = 30_000
HOUR = 3600


@pytest.fixture
def store(house: House) -> Iterator[Store]:
    with closing(open_store(house.path)) as store:
        yield store


def watch(house: House, ahead_ms: int = 0) -> Watch:
    return Watch(lambda: house.clock.milliseconds + ahead_ms, LEASE_MS)


def claimed(store: Store, clock: Watch) -> AnswerRow:
    row = ledger.claim(store, 1, "somebody", watch=clock)
    assert row is not None
    return row


def test_what_died_before_is_ended_within_a_lease(house: House, store: Store) -> None:
    brain = house.brain()
    answer_id = brain.enqueue(question(conversation_id="c"))["answer_id"]
    claimed(store, watch(house))
    house.clock.advance(-HOUR)
    assert brain.answer(answer_id)["status"] == "in_progress"
    house.clock.advance(29)
    assert brain.answer(answer_id)["status"] == "in_progress"
    house.clock.advance(1)
    assert brain.answer(answer_id)["status"] == "failed"


def test_whoever_looks_for_work_ends_it_too(house: House, store: Store) -> None:
    brain = house.brain(speech=echoes)
    brain.enqueue(question("first", conversation_id="c"))
    second = brain.enqueue(question("second", conversation_id="c"))["answer_id"]
    claimed(store, watch(house))
    house.clock.advance(-HOUR)
    workshop = house.workshop(echoes)
    assert not workshop.run_next()
    house.clock.advance(30)
    assert workshop.run_next()
    assert brain.answer(second)["output_text"] == "about second"


def test_a_stream_is_let_in_once_it_has_ended(house: House, store: Store) -> None:
    brain = house.brain(speech=echoes)
    brain.enqueue(question(conversation_id="c"))
    claimed(store, watch(house))
    house.clock.advance(-HOUR)
    house.workshop(echoes).run_next()
    with pytest.raises(BrainError, match="conversation"):
        list(brain.ask(question(conversation_id="c")))
    house.clock.advance(30)
    assert names(list(brain.ask(question(conversation_id="c"))))[-1] == "done"


def test_what_lives_renews_its_lease_and_is_left_alone(house: House, store: Store) -> None:
    brain = house.brain()
    answer_id = brain.enqueue(question())["answer_id"]
    row = claimed(store, watch(house))
    house.clock.advance(-HOUR)
    for _ in range(5):
        assert brain.answer(answer_id)["status"] == "in_progress"
        house.clock.advance(25)
        assert ledger.renew(store, row, watch=watch(house))
    done = ledger.complete(
        store,
        row,
        output_text="done",
        usage={"input_tokens": 1, "output_tokens": 1},
        sources=[],
        watch=watch(house),
    )
    assert done
    assert brain.answer(answer_id)["output_text"] == "done"


def test_clocks_of_two_machines_may_differ_by_less_than_a_lease(house: House, store: Store) -> None:
    brain = house.brain()
    answer_id = brain.enqueue(question())["answer_id"]
    row = claimed(store, watch(house, ahead_ms=20_000))
    assert brain.answer(answer_id)["status"] == "in_progress"
    with store.reading() as connection:
        (until,) = connection.execute("SELECT lease_until FROM answers").fetchone()
    assert until == row.lease_until


def test_the_time_is_read_where_nobody_else_may_write(house: House, store: Store) -> None:
    brain = house.brain()
    answer_id = brain.enqueue(question())["answer_id"]
    tried = []

    def now() -> int:
        with closing(sqlite3.connect(house.path, timeout=0, isolation_level=None)) as other:
            try:
                other.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError:
                tried.append("kept out")
            else:
                tried.append("let in")
                other.execute("ROLLBACK")
        return house.clock.milliseconds

    row = claimed(store, Watch(now, LEASE_MS))
    # The first look writes nothing.
    assert tried == ["let in", "kept out"]
    ledger.fail(store, row, watch=Watch(now, LEASE_MS))
    assert tried[2:] == ["kept out"]
    assert brain.answer(answer_id)["status"] == "failed"


def test_a_run_that_cannot_begin_has_nobody_at_hand(house: House, store: Store) -> None:
    house.brain().enqueue(question())
    row = claimed(store, watch(house))
    at_hand = AtHand(lambda *_: Scripted(echoes))
    closed = open_store(house.path)
    closed.close()
    heard: list[Event] = []
    run(closed, row, Means(at_hand.hire, house.log.append, clock=house.clock), heard.append)
    assert names(heard) == ["answer.failed", "done"]
    assert at_hand.rows() == []
