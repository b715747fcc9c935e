"""The queue and the conversations of one store, fought over by four processes of several threads."""

import subprocess
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.answers.house import House, question
from tests.answers.test_many_processes import line_of, start
from tests.spot import Spot

PROCESSES = 4
ANSWERS, CONVERSATIONS = 300, 40
ROUNDS = 12
UNLOCKED_ROUNDS = 200

Starting = Callable[..., "list[subprocess.Popen[str]]"]


@pytest.fixture
def starting() -> Iterator[Starting]:
    """Starts four processes that are ready, and kills what is left of them."""
    with ExitStack() as closing:

        def run(module: str, *arguments: str) -> "list[subprocess.Popen[str]]":
            processes = [closing.enter_context(start(module, *arguments)) for _ in range(PROCESSES)]
            for process in processes:
                closing.callback(process.kill)
            assert [line_of(process) for process in processes] == ["ready"] * PROCESSES
            return processes

        yield run


def tell(processes: "list[subprocess.Popen[str]]", line: str) -> None:
    for process in processes:
        assert process.stdin is not None
        process.stdin.write(f"{line}\n")
        process.stdin.flush()


def overlaps(runs: str) -> list[str]:
    """The runs that began in a conversation while another one was on there."""
    on: dict[str, set[str]] = defaultdict(set)
    found = []
    for line in runs.splitlines():
        what, answer_id, conversation = line.split()
        if what == "begins":
            found += [answer_id] if on[conversation] else []
            on[conversation].add(answer_id)
        else:
            on[conversation].discard(answer_id)
    return found


@pytest.mark.both_stores
def test_each_answer_is_run_once_and_a_conversation_in_its_order(
    house: House, tmp_path: Path, starting: Starting
) -> None:
    brain = house.brain()
    asked: dict[str, list[str]] = defaultdict(list)
    for number in range(ANSWERS):
        conversation = f"c{number * 7 % CONVERSATIONS}"
        reply = brain.enqueue(question(f"q{number}", conversation_id=conversation))
        asked[conversation].append(reply["answer_id"])
    runs = tmp_path / "runs"
    processes = starting("claiming", house.path, str(runs), "3")
    tell(processes, "go")
    for process in processes:
        assert process.wait(120) == 0
    noted = runs.read_text()
    assert overlaps(noted) == []
    begun: dict[str, list[str]] = defaultdict(list)
    for line in noted.splitlines():
        what, answer_id, conversation = line.split()
        if what == "begins":
            begun[conversation].append(answer_id)
    assert begun == asked
    statuses = Counter(brain.answer(each)["status"] for ids in asked.values() for each in ids)
    assert statuses == {"completed": ANSWERS}


@pytest.mark.both_stores
def test_a_conversation_never_has_two_runs_and_credits_are_counted_to_the_last(
    house: House, tmp_path: Path, starting: Starting
) -> None:
    house.owner.set_credits(1000)
    runs = tmp_path / "runs"
    processes = starting("racing", house.path, house.key(), str(runs))
    taken = 0
    for number in range(ROUNDS):
        tell(processes, f"c{number}")
        taken += sum(int(line_of(process)) for process in processes)
    noted = runs.read_text()
    assert overlaps(noted) == []
    assert noted.count("begins") == taken
    assert house.owner.credits() == 1000 - taken
    house.owner.set_credits(3)
    tell(processes, "last")
    few = sum(int(line_of(process)) for process in processes)
    assert 1 <= few <= 3
    assert house.owner.credits() == 3 - few


def test_without_the_conversations_lock_there_would_be_two(
    new_database: Callable[[], str], tmp_path: Path, starting: Starting
) -> None:
    """Or the test above shows nothing."""
    with House(Spot(new_database(), "local")) as house:
        runs = tmp_path / "runs"
        processes = starting("racing", house.path, house.key(), str(runs), "unlocked")
        for number in range(UNLOCKED_ROUNDS):
            tell(processes, f"c{number}")
            for process in processes:
                line_of(process)
            if overlaps(runs.read_text()):
                break
        assert overlaps(runs.read_text()) != []
