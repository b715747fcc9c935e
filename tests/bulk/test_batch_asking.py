"""Many questions in one run: never one of them twice, and each conversation in its order."""

import json
import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.bulk.answering import Answering, answering
from tests.cli.hosted import SECRET, Hosting, inside, refused
from tests.cli.shell import BRAINCTL, Result, Shell, eventually, posix, unmeasured


class House:
    """A shell whose key opens a server."""

    def __init__(self, shell: Shell, server: Answering, folder: Path) -> None:
        self.shell = shell.with_(ALFERA_API_KEY=SECRET, BRAINCTL_BASE_URL=server.base_url)
        self.server = server
        self.path = folder / "answers.jsonl"

    def ask(self, *arguments: str, questions: str) -> Result:
        return inside(self.shell, "ask", "--batch", "-", *arguments, stdin=questions)

    def resume(self, *arguments: str, questions: str) -> Result:
        return self.ask("--resume", str(self.path), *arguments, questions=questions)

    @property
    def rows(self) -> list[dict[str, Any]]:
        return rows(self.path.read_text())


def rows(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def in_conversation(name: str, *questions: str) -> str:
    return "".join(f"{json.dumps({'input': each, 'conversation_id': name})}\n" for each in questions)


def test_each_row_has_its_answer_and_the_key_it_was_asked_under(shell: Shell, tmp_path: Path) -> None:
    with answering() as server:
        house = House(shell, server, tmp_path)
        done = house.ask("--sources", "--agent", "sales", questions="one\ntwo\none")
    got = rows(done.out)
    assert done.code == 0, done.err
    assert [row["data"]["output_text"] for row in got] == ["About one", "About two", "About one"]
    assert [row["idempotency_key"] for row in got] == [each.key for each in server.asked]
    assert len({row["idempotency_key"] for row in got}) == 3
    assert got[0]["request"] == {"input": "one", "agent_slug": "sales", "include": ["sources"]}
    assert server.asked[0].body == {**got[0]["request"], "stream": False}


def test_as_many_are_asked_at_once_as_was_said(shell: Shell, tmp_path: Path) -> None:
    # None is taken in before four have come.
    with answering(together=4) as server:
        house = House(shell, server, tmp_path)
        done = house.ask("--concurrency", "4", questions="".join(f"{number}\n" for number in range(8)))
    assert done.code == 0, done.err
    assert [row["data"]["output_text"] for row in rows(done.out)] == [f"About {n}" for n in range(8)]


def test_a_conversation_keeps_its_order_and_is_never_asked_twice_at_once(
    shell: Shell, tmp_path: Path
) -> None:
    questions = in_conversation("a", *"abcd") + "alone\n" + in_conversation("b", *"efgh")
    with answering() as server:
        house = House(shell, server, tmp_path)
        done = house.ask("--concurrency", "8", questions=questions)
    assert done.code == 0, done.err
    assert [row["request"]["input"] for row in rows(done.out)] == [*"abcd", "alone", *"efgh"]
    for name, order in (("a", "abcd"), ("b", "efgh")):
        asked = [each.body["input"] for each in server.asked if each.body.get("conversation_id") == name]
        assert asked == list(order)


def test_a_reply_that_was_lost_is_fetched_under_the_same_key(shell: Shell, tmp_path: Path) -> None:
    with answering() as server:
        done = House(shell, server, tmp_path).ask("--retries", "1", questions="lost")
    assert (done.code, len(server.asked), len(server.runs)) == (0, 2, 1)
    assert server.asked[0].key == server.asked[1].key == rows(done.out)[0]["idempotency_key"]


def test_an_answer_that_failed_is_asked_for_anew(shell: Shell, tmp_path: Path) -> None:
    with answering() as server:
        house = House(shell, server, tmp_path)
        first = house.resume(questions="one\nfail two")
        before = house.rows
        second = house.resume(questions="one\nfail two")
    assert (first.code, second.code) == (9, 9)
    assert before[1]["error"]["code"] == "run_failed"
    assert before[1]["error"]["details"] == {"answer_id": "event_1"}
    assert "1 of 2 rows have no answer" in first.err
    assert (server.questions, len(server.runs)) == (["one", "fail two", "fail two"], 3)
    assert house.rows[0] == before[0]


def test_a_wait_that_ran_out_is_a_result_and_goes_on_under_its_key(shell: Shell, tmp_path: Path) -> None:
    with answering() as server:
        house = House(shell, server, tmp_path)
        first = house.resume("--wait", "0", questions="slow\ntwo")
        (late, other) = house.rows
        server.runs[late["idempotency_key"]]["input"] = "now done"
        second = house.resume("--wait", "0", questions="slow\ntwo")
    assert late["data"] == {"wait_timed_out": True, "answer_id": "event_0"}
    assert (first.code, second.code, len(server.runs)) == (10, 0, 2)
    assert "1 of 2 rows have no answer, the first on line 1, whose wait ran out" in first.err
    assert [row["data"]["output_text"] for row in house.rows] == ["About now done", "About two"]
    assert house.rows[0]["idempotency_key"] == late["idempotency_key"]
    assert house.rows[1] == other


def test_no_wait_gives_the_ids(shell: Shell, tmp_path: Path) -> None:
    with answering() as server:
        done = House(shell, server, tmp_path).ask("--no-wait", questions="slow one\nslow two")
    assert done.code == 0
    assert [row["data"]["answer_id"] for row in rows(done.out)] == ["event_0", "event_1"]


@posix
@pytest.mark.parametrize("number", [signal.SIGINT, getattr(signal, "SIGKILL", None)])
@pytest.mark.parametrize("with_resume", [True, False], ids=["in its file", "redirected"])
def test_a_batch_cut_short_asks_nothing_twice(
    shell: Shell, tmp_path: Path, number: signal.Signals, with_resume: bool
) -> None:
    questions = "one\nslow two\nslow three\n"
    given = tmp_path / "questions.txt"
    given.write_text(questions)
    with answering() as server:
        house = House(shell, server, tmp_path)
        arguments = ["ask", "--batch", str(given), "--concurrency", "2", "--wait", "60"]
        way = ["--resume", str(house.path)] if with_resume else []
        with house.path.open("wb") if not with_resume else (tmp_path / "stdout").open("wb") as out:
            running = subprocess.Popen(
                [BRAINCTL, *arguments, *way],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.PIPE,
                env=unmeasured(house.shell.environ),
            )
            eventually(
                lambda: (
                    running.poll() is not None
                    or (
                        len(server.runs) == 3
                        and house.path.exists()
                        and b"About one" in house.path.read_bytes()
                    )
                )
            )
            assert running.poll() is None, running.communicate()
            running.send_signal(number)
            _, told = running.communicate(timeout=60)
        for run in server.runs.values():
            run["input"] = run["input"].replace("slow", "quick")
        done = house.resume(questions=questions)
    if number == signal.SIGINT:
        assert (running.returncode, b"--resume with their file goes on" in told) == (130, True)
    assert (done.code, len(server.runs)) == (0, 3), done.err
    assert [row["data"]["output_text"] for row in house.rows] == [
        "About one",
        "About quick two",
        "About quick three",
    ]
    assert {row["idempotency_key"] for row in house.rows} == set(server.runs)


@posix
def test_two_batches_of_the_same_questions_at_once_know_their_own_keys(shell: Shell, tmp_path: Path) -> None:
    with answering() as server:
        first, second, third = (House(shell, server, tmp_path / name) for name in ("a", "b", "c"))
        running = [begun(house, "slow one\ntwo\n") for house in (first, second, third)]
        eventually(lambda: len(server.runs) == 3)
        kill(running[0])
        make_quick(server)
        # The second and the third come to their end by themselves, and leave the first one's word alone.
        assert [each.wait(60) for each in running[1:]] == [0, 0]
        assert len(server.runs) == 5
        done = first.resume(questions="slow one\ntwo\n")
    assert (done.code, len(server.runs)) == (0, 6), done.err
    assert len({row["idempotency_key"] for house in (first, second, third) for row in house.rows}) == 6


@posix
def test_a_row_that_was_half_written_costs_no_other_its_key(shell: Shell, tmp_path: Path) -> None:
    questions = "slow one\nslow two\n"
    with answering() as server:
        house = House(shell, server, tmp_path)
        running = begun(house, questions, "--concurrency", "2")
        eventually(lambda: len(server.runs) == 2)
        kill(running)
        # What a crash leaves of a row is taken out of the file, which is another file then.
        house.path.write_text('{"request": ')
        again = house.shell.unmeasured.start(
            "ask", "--batch", str(tmp_path / "questions.txt"), "--resume", str(house.path)
        )
        eventually(lambda: len(server.asked) == 3)
        kill(again)
        make_quick(server)
        done = house.resume(questions=questions)
    assert (done.code, len(server.runs)) == (0, 2), done.err
    assert {row["idempotency_key"] for row in house.rows} == set(server.runs)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="the system has no /dev/full")
def test_rows_that_cannot_be_written_are_not_to_be_asked_again(shell: Shell, tmp_path: Path) -> None:
    with answering() as server:
        house = House(shell, server, tmp_path)
        full = house.shell.sh("printf 'one\\ntwo\\n' | brainctl ask --batch - >/dev/full")
    assert full.code == 1
    assert "No space left on device. The rows so far are written; --resume with their file" in full.err
    assert "--verbose" not in full.err


def begun(house: House, questions: str, *arguments: str) -> "subprocess.Popen[bytes]":
    """A batch whose rows the shell sends to the house's file."""
    house.path.parent.mkdir(exist_ok=True)
    given = house.path.with_name("questions.txt")
    given.write_text(questions)
    with house.path.open("wb") as out:
        return subprocess.Popen(
            [BRAINCTL, "ask", "--batch", str(given), *arguments],
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.DEVNULL,
            env=unmeasured(house.shell.environ),
        )


def kill(running: "subprocess.Popen[bytes]") -> None:
    running.kill()
    running.communicate()


def make_quick(server: Answering) -> None:
    for run in server.runs.values():
        run["input"] = run["input"].replace("slow", "quick")


def test_another_night_asks_anew(shell: Shell, tmp_path: Path) -> None:
    with answering() as server:
        house = House(shell, server, tmp_path)
        house.resume(questions="one\ntwo")
        house.path.unlink()
        house.resume(questions="one\ntwo")
    assert len(server.runs) == 4


def test_a_night_after_one_that_was_cut_short_asks_anew_in_a_new_file(shell: Shell, tmp_path: Path) -> None:
    given = tmp_path / "questions.txt"
    given.write_text("slow one\n")
    with answering() as server:
        house = House(shell, server, tmp_path)
        running = house.shell.unmeasured.start(
            "ask", "--batch", str(given), "--resume", str(tmp_path / "monday.jsonl")
        )
        eventually(lambda: len(server.runs) == 1)
        running.kill()
        running.communicate()
        assert house.resume("--no-wait", questions="slow one\n").code == 0
    assert len(server.runs) == 2


def test_no_credits_are_in_the_way_of_all_questions(hosting: Hosting) -> None:
    hosted = hosting(refused("out_of_credits", 402))
    done = inside(hosted.shell, "ask", "--batch", "-", stdin="one\ntwo\nthree")
    assert (done.code, len(hosted.road.requests)) == (8, 1)
    assert [row["error"]["code"] for row in rows(done.out)] == ["out_of_credits"] * 3


def test_where_nothing_can_be_remembered_it_is_said_and_done_all_the_same(
    shell: Shell, tmp_path: Path
) -> None:
    with answering() as server:
        house = House(shell.with_(BRAINCTL_HOME="/dev/null/nowhere"), server, tmp_path)
        done = house.ask("--concurrency", "2", questions="one\ntwo\nthree")
    assert (done.code, rows(done.out)[0]["data"]["output_text"]) == (0, "About one")
    # Once each: for the batch, and for whoever waits for one of its answers.
    of_the_batch, of_the_answers = done.err.splitlines()
    assert "a question that was sent may be asked again" in of_the_batch
    assert "check its permissions" in of_the_answers
    assert "`wait` will need the answer's id" in of_the_answers
