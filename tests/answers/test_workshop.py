"""Working off the queue for as long as a brain is served, and what its log is told."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event as Flag
from threading import Thread
from typing import Any

import pytest

from brainctl.contract.errors import BrainError
from brainctl.engine.answers import ledger
from brainctl.engine.answers.runs import Pace, run
from brainctl.engine.answers.workshop import Workshop, to_log
from brainctl.engine.store.store import Store
from brainctl.engine.store.stores import Stores, open_stores
from tests.answers.house import QUICK, Gate, House, echoes, fails, names, question
from tests.cli.shell import eventually
from tests.spot import raw

pytestmark = pytest.mark.both_stores


def statuses(house: House, ids: list[str]) -> set[str]:
    brain = house.brain()
    return {brain.answer(each)["status"] for each in ids}


@contextmanager
def trouble_with(house: House) -> Iterator[None]:
    """The answers cannot be used inside."""
    with raw(house.path) as connection:
        connection.execute("ALTER TABLE answers RENAME TO elsewhere")
        yield
        connection.execute("ALTER TABLE elsewhere RENAME TO answers")


def wait_for_log(house: House, part: str) -> None:
    eventually(lambda: any(part in message for message in house.log))


def test_workers_of_a_served_brain_take_what_comes_until_they_are_stopped(house: House) -> None:
    stop = Flag()
    workers = [Thread(target=house.workshop(echoes).work, args=(stop,)) for _ in range(3)]
    for worker in workers:
        worker.start()
    brain = house.brain()
    ids = [brain.enqueue(question(f"q{n}", conversation_id=f"c{n % 4}"))["answer_id"] for n in range(20)]
    eventually(lambda: statuses(house, ids) == {"completed"})
    stop.set()
    for worker in workers:
        worker.join()


def test_a_failed_answer_stops_nobody(house: House) -> None:
    brain = house.brain()
    ids = [brain.enqueue(question())["answer_id"] for _ in range(3)]
    workshop = house.workshop(fails)
    assert [workshop.run_next() for _ in range(4)] == [True, True, True, False]
    assert statuses(house, ids) == {"failed"}


def test_a_worker_outlives_trouble_with_the_file(house: House) -> None:
    brain = house.brain()
    answer_id = brain.enqueue(question())["answer_id"]
    stop = Flag()
    worker = Thread(target=house.workshop(echoes).work, args=(stop,))
    with trouble_with(house):
        worker.start()
        wait_for_log(house, "could not be looked at")
    eventually(lambda: brain.answer(answer_id)["status"] == "completed")
    stop.set()
    worker.join()


def test_a_beat_that_fails_is_made_up_for_by_the_next(house: House) -> None:
    gate = Gate()
    brain = house.brain(speech=gate)
    events = brain.ask(question())
    assert gate.reached.wait(60)
    with trouble_with(house):
        wait_for_log(house, "could not be renewed")
    gate.open.set()
    assert names(list(events))[-2:] == ["answer.completed", "done"]


def test_an_answer_that_cannot_be_written_down_has_failed_once_its_lease_is_over(house: House) -> None:
    gate = Gate()
    brain = house.brain(speech=gate, pace=QUICK._replace(beat=3600, run=3600))
    events = brain.ask(question())
    answer_id = next(events).data["answer_id"]
    with trouble_with(house):
        gate.open.set()
        assert names(list(events))[-2:] == ["answer.failed", "done"]
    assert "could not be ended" in house.log[-1]
    assert brain.answer(answer_id)["status"] == "in_progress"
    house.clock.advance(QUICK.lease)
    assert brain.answer(answer_id)["status"] == "failed"


def test_a_run_that_cannot_even_begin_is_heard_to_fail(house: House) -> None:
    workshop = house.workshop(echoes)
    secret = house.key()
    # The brain of the workshop is not there.
    elsewhere = Workshop(open_stores(f"{house.path}.gone"), house.workspace, workshop.means)
    assert names(list(house.open(secret, elsewhere).ask(question()))) == [
        "answer.created",
        "answer.failed",
        "done",
    ]
    assert "There is no " in house.log[0]


def test_the_log_is_the_standard_one_and_says_nothing_where_nobody_set_it_up(
    caplog: pytest.LogCaptureFixture,
) -> None:
    to_log("why it failed")
    assert [(record.name, record.message) for record in caplog.records] == [
        ("brainctl.engine", "why it failed")
    ]
    code = "from brainctl.engine.answers.workshop import to_log; to_log('why it failed')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("", "")


def test_who_works_alone_is_woken_by_whoever_has_news_and_by_being_told_to_stop(house: House) -> None:
    never = house.brain(speech=echoes, pace=QUICK._replace(look=3600))
    stop, news = Flag(), Flag()
    secret = house.key()

    def work() -> None:
        with house.opened(secret, house.workshop(echoes, pace=QUICK._replace(look=3600))) as brain:
            brain.work(stop, news)

    working = Thread(target=work)
    working.start()
    for _ in range(3):
        answer_id = never.enqueue(question())["answer_id"]
        news.set()
        while never.answer(answer_id)["status"] != "completed":
            pass
    stop.set()
    news.set()
    working.join()


class Away:
    """A store that cannot be reached for the first tries."""

    def __init__(self, stores: Stores, tries: int) -> None:
        self._stores = stores
        self.tries = tries

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stores, name)

    @contextmanager
    def lent(self) -> Iterator[Store]:
        self.tries -= 1
        if self.tries >= 0:
            raise BrainError("store_error", "away")
        with self._stores.lent() as store:
            yield store


def test_a_run_outlives_a_store_that_is_away_for_a_while(house: House) -> None:
    naps: list[float] = []
    means = house.workshop(echoes, pace=Pace()).means._replace(sleep=naps.append)
    stores = open_stores(house.path)
    brain = house.brain()
    answer_id = brain.enqueue(question("x"))["answer_id"]
    row = ledger.claim(house.owner.store, house.workspace, means.new_lease(), watch=means.watch)
    assert row is not None
    run(Away(stores, 5), row, means)
    assert naps == [0.1, 0.2, 0.4, 0.8, 1.6]
    assert brain.answer(answer_id)["output_text"] == "about x"
    stores.close()


def test_an_answer_that_was_written_down_unheard_is_no_failure(house: House) -> None:
    """A connection may be lost after the database has written, and before it has said so."""
    means = house.workshop(echoes).means
    brain = house.brain()
    answer_id = brain.enqueue(question("x"))["answer_id"]
    row = ledger.claim(house.owner.store, house.workspace, means.new_lease(), watch=means.watch)
    assert row is not None
    for _ in range(2):
        assert ledger.complete(
            house.owner.store,
            row,
            output_text="once",
            usage={"input_tokens": 1, "output_tokens": 1},
            sources=[],
            watch=means.watch,
        )
    assert brain.answer(answer_id)["output_text"] == "once"
    ledger.fail(house.owner.store, row, watch=means.watch)
    assert brain.answer(answer_id)["status"] == "completed"
