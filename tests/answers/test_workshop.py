"""Working off the queue for as long as a brain is served, and what its log is told."""

import sqlite3
import subprocess
import sys
from threading import Event as Flag
from threading import Thread

import pytest

from brainctl.engine.answers.workshop import to_log
from tests.answers.house import House, echoes, fails, question


def statuses(house: House, ids: list[str]) -> set[str]:
    brain = house.brain()
    return {brain.answer(each)["status"] for each in ids}


def test_workers_of_a_served_brain_take_what_comes_until_they_are_stopped(house: House) -> None:
    stop = Flag()
    workers = [Thread(target=house.workshop(echoes).work, args=(stop,)) for _ in range(3)]
    for worker in workers:
        worker.start()
    brain = house.brain()
    ids = [brain.enqueue(question(f"q{n}", conversation_id=f"c{n % 4}"))["answer_id"] for n in range(20)]
    while statuses(house, ids) != {"completed"}:
        pass
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
    with sqlite3.connect(house.path) as trouble:
        trouble.execute("ALTER TABLE answers RENAME TO elsewhere")
    stop = Flag()
    worker = Thread(target=house.workshop(echoes).work, args=(stop,))
    worker.start()
    while not house.log:
        pass
    with sqlite3.connect(house.path) as trouble:
        trouble.execute("ALTER TABLE elsewhere RENAME TO answers")
    trouble.close()
    while brain.answer(answer_id)["status"] != "completed":
        pass
    stop.set()
    worker.join()


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
