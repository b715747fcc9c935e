"""Several real processes on one brain, and what is left when one of them is killed."""

import os
import signal
import subprocess
import sys
from collections import Counter
from contextlib import suppress
from pathlib import Path

import pytest

from tests.answers.house import House, echoes, names, question
from tests.cli.shell import unmeasured

pytestmark = pytest.mark.both_stores

ROOT = Path(__file__).parents[2]
QUESTIONS = 50
STOPPING = (7, 20, 33)


def start(module: str, *arguments: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", f"tests.answers.{module}", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env=unmeasured(),
    )


def line_of(process: "subprocess.Popen[str]") -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def test_a_hundred_creates_at_once_with_one_key_make_one_run(house: House) -> None:
    house.owner.set_credits(100)
    secret = house.key()
    processes = [start("enqueueing", house.path, secret, "25") for _ in range(4)]
    assert [line_of(process) for process in processes] == ["ready"] * 4
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    replies = [line for process in processes for line in process.communicate()[0].split("\n") if line]
    assert len(replies) == 100
    assert len(set(replies)) == 1
    assert house.owner.credits() == 99
    workshop = house.workshop(echoes)
    assert [workshop.run_next(), workshop.run_next()] == [True, False]


def test_what_a_killed_process_was_running_fails_and_all_else_is_answered_once(
    house: House, tmp_path: Path
) -> None:
    brain = house.brain()
    runs = tmp_path / "runs"
    ids = [
        brain.enqueue(question(f"stop {number}" if number in STOPPING else f"go {number}"))["answer_id"]
        for number in range(QUESTIONS)
    ]
    behind = brain.enqueue(question("behind", conversation_id="c"))["answer_id"]
    processes = [start("working", house.path, str(house.clock()), str(runs)) for _ in range(4)]
    # Three of them hang at the questions that are never answered; one comes to the end of the queue.
    assert sorted(line_of(process) for process in processes) == ["idle", "stopped", "stopped", "stopped"]
    workshop = house.workshop(echoes)

    house.clock.advance(29)
    assert not workshop.run_next()
    statuses = Counter(brain.answer(each)["status"] for each in ids)
    assert statuses == {"completed": QUESTIONS - 3, "in_progress": 3}

    for process in processes:
        process.kill()
        process.communicate()
    house.clock.advance(1)
    assert not workshop.run_next()
    for number, each in enumerate(ids):
        reply = brain.answer(each)
        assert reply["status"] == ("failed" if number in STOPPING else "completed")
        assert reply["output_text"] == ("" if number in STOPPING else f"about go {number}")
    assert brain.answer(behind)["status"] == "completed"
    assert set(Counter(runs.read_text().split("\n")[:-1]).values()) == {1}


def test_a_kill_in_the_middle_of_a_conversation_leaves_it_usable(house: House, tmp_path: Path) -> None:
    brain = house.brain(speech=echoes)
    killed = brain.enqueue(question("stop here", conversation_id="c"))["answer_id"]
    waiting = brain.enqueue(question("next", conversation_id="c"))["answer_id"]
    process = start("working", house.path, str(house.clock()), str(tmp_path / "runs"))
    assert line_of(process) == "stopped"
    process.kill()
    process.communicate()
    assert not house.workshop(echoes).run_next()
    house.clock.advance(30)
    assert brain.work_until(waiting)["output_text"] == "about next"
    assert brain.answer(killed)["error"]["code"] == "run_failed"
    assert names(list(brain.ask(question(conversation_id="c"))))[-1] == "done"


def test_a_process_that_stops_listening_stays_until_its_run_is_over(house: House) -> None:
    secret = house.key()
    process = start("leaving", house.path, secret)
    answer_id = line_of(process)
    assert line_of(process) == "left"
    brain = house.open(secret)
    assert brain.answer(answer_id)["status"] == "in_progress"
    process.communicate("go on\n")
    assert process.returncode == 0
    assert brain.answer(answer_id)["output_text"] == "first and last"


@pytest.mark.skipif(os.name == "nt", reason="an interrupt cannot be sent to one process alone there")
def test_an_interrupt_while_it_waits_for_its_run_ends_the_process(house: House) -> None:
    secret = house.key()
    process = start("leaving", house.path, secret)
    answer_id = line_of(process)
    assert line_of(process) == "left"
    # Sent again until it is heard: the interpreter may be between its last line and its wait.
    while process.poll() is None:
        process.send_signal(signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            process.wait(0.5)
    process.communicate()
    brain = house.open(secret)
    house.clock.set("2999-01-01T00:00:00.000Z")
    assert brain.answer(answer_id)["status"] == "failed"
