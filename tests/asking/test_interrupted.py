"""Ctrl-C, SIGTERM, and impatience: how to go on is said, the exit code is right, and the terminal is left clean."""

import json
import os
import signal
from collections.abc import Iterator
from itertools import chain, repeat
from threading import Event as Flag
from typing import IO, NamedTuple

import pytest

from tests.answers.chat_server import DONE as CHAT_DONE
from tests.answers.chat_server import ChatServer, Stream, chunk
from tests.asking.saying import QUEUED, RUN, First, accepted, answer, created, data, delta, says, unfinished
from tests.cli.hosted import Hosting, inside
from tests.cli.shell import Shell, posix

pytestmark = posix

PATIENCE = 60.0
CODES = [(signal.SIGINT, 130), (signal.SIGTERM, 143)]


def interrupted_while_queued(hosting: Hosting, form: str, number: signal.Signals) -> tuple[int, bytes, bytes]:
    looked, over = Flag(), Flag()

    def hold(request: bytes) -> None:
        looked.set()
        over.wait(PATIENCE)

    hosted = hosting(accepted(), First(hold, data(unfinished())))
    with hosted.shell.start("ask", "x", "-o", form) as process:
        assert looked.wait(PATIENCE)
        process.send_signal(number)
        out, err = process.communicate(timeout=PATIENCE)
    over.set()
    return process.returncode, out, err


@pytest.mark.parametrize(("number", "code"), CODES)
def test_interrupted_while_queued_it_says_how_to_go_on(
    hosting: Hosting, number: signal.Signals, code: int
) -> None:
    assert interrupted_while_queued(hosting, "human", number) == (
        code,
        b"",
        f"error: Interrupted. The answer goes on; pick it up with `brainctl wait {QUEUED}`.\n".encode(),
    )


@pytest.mark.parametrize(("number", "code"), CODES)
def test_interrupted_while_queued_a_program_reads_the_id(
    hosting: Hosting, number: signal.Signals, code: int
) -> None:
    got, out, err = interrupted_while_queued(hosting, "json", number)
    assert (got, out, err.count(b"\n")) == (code, b"", 1)
    error = json.loads(err)["error"]
    assert (error["code"], error["details"]) == ("wait_interrupted", {"answer_id": QUEUED})


@pytest.mark.parametrize(("number", "code"), CODES)
def test_interrupted_before_the_id_is_known_wait_finds_it(
    hosting: Hosting, number: signal.Signals, code: int
) -> None:
    arrived, over = Flag(), Flag()

    def hold(request: bytes) -> None:
        arrived.set()
        over.wait(PATIENCE)

    hosted = hosting(First(hold, accepted()), accepted(), data(answer("Yes.", QUEUED)))
    with hosted.shell.start("ask", "x") as process:
        assert arrived.wait(PATIENCE)
        process.send_signal(number)
        _, err = process.communicate(timeout=PATIENCE)
    over.set()
    assert process.returncode == code
    assert b"`brainctl wait` finds its answer" in err
    assert hosted.shell.run("wait").out == "Yes.\n"


@pytest.mark.parametrize(("number", "code"), CODES)
def test_interrupted_in_a_stream_what_came_stays_and_wait_finds_the_rest(
    hosting: Hosting, number: signal.Signals, code: int
) -> None:
    hosted = hosting(says(created(), delta("Ye"), ending="stall"), data(answer("Yes.")))
    with hosted.shell.start("ask", "x", "-o", "jsonl") as process:
        assert process.stdout is not None
        lines = [process.stdout.readline() for _ in range(2)]
        process.send_signal(number)
        rest, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, rest) == (code, b"")
    assert json.loads(lines[1])["data"] == {"text": "Ye"}
    assert json.loads(err)["error"]["details"] == {"answer_id": RUN}
    assert hosted.shell.run("wait").out == "Yes.\n"


def test_interrupted_in_a_stream_before_the_id_it_says_what_that_means(hosting: Hosting) -> None:
    arrived = Flag()
    hosted = hosting(says(arrived.set, ending="stall"))
    with hosted.shell.start("ask", "x", "-o", "jsonl") as process:
        assert arrived.wait(PATIENCE)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out) == (130, b"")
    assert "--no-stream" in json.loads(err)["error"]["message"]


@pytest.mark.parametrize(("number", "code"), CODES)
@pytest.mark.parametrize("shown", ["queued", "typed"])
def test_a_terminal_is_left_clean(hosting: Hosting, number: signal.Signals, code: int, shown: str) -> None:
    hosted = hosting(says(created(), delta("Half an ans"), ending="stall"))
    if shown == "queued":
        hosted = hosting.endless(chain([accepted()], repeat(data(unfinished()))))
    screen = hosted.shell.terminal(
        "ask",
        "x",
        "--stream" if shown == "typed" else "--no-stream",
        interrupt_after="Half an ans" if shown == "typed" else "Being answered, ",
        interrupt_with=number,
    )
    assert screen.code == code
    answer_id = RUN if shown == "typed" else QUEUED
    said = f"error: Interrupted. The answer goes on; pick it up with `brainctl wait {answer_id}`."
    expected = ["Half an ans", said] if shown == "typed" else [said]
    assert " ".join(screen.text.split("\n")).rstrip() == " ".join(expected)
    # Whatever is hidden is shown again, and nothing is left in another colour.
    assert screen.raw.count(b"\x1b[?25l") <= screen.raw.count(b"\x1b[?25h")
    assert not screen.raw.endswith(b"\x1b[1;31m")


# A brain on this machine goes on in this very process


class Slow(NamedTuple):
    """A shell whose own brain has a worker that says one word, and the rest when it is told to."""

    shell: Shell
    go_on: Flag


@pytest.fixture
def slow(shell: Shell) -> Iterator[Slow]:
    go_on = Flag()

    def parts() -> Iterator[bytes]:
        yield chunk({"content": "One"})
        go_on.wait(PATIENCE)
        yield chunk({"content": " two"})
        yield chunk({}, "stop")
        yield CHAT_DONE

    with ChatServer() as server:
        server.replies.append(Stream(parts()))
        assert inside(shell, "brain", "init").code == 0
        model = ("--model", "m", "--base-url", server.base_url)
        assert inside(shell, "brain", "workers", "set", "main", *model).code == 0
        yield Slow(shell, go_on)
        go_on.set()


def said_on(stream: "IO[bytes] | None", wanted: bytes) -> None:
    """Read on until this has been said."""
    assert stream is not None
    got = b""
    while wanted not in got:
        piece = os.read(stream.fileno(), 65536)
        assert piece, got
        got += piece


def test_an_interrupted_run_of_ones_own_brain_is_finished_and_found(slow: Slow) -> None:
    with slow.shell.start("ask", "x", "-o", "jsonl") as process:
        said_on(process.stdout, b'"One"')
        process.send_signal(signal.SIGINT)
        said_on(process.stderr, b"Ctrl-C now")
        slow.go_on.set()
        assert process.wait(PATIENCE) == 130
    waited = slow.shell.run("wait")
    assert (waited.code, waited.out) == (0, "One two\n")


def test_a_second_ctrl_c_ends_it_at_once_and_without_a_traceback(slow: Slow) -> None:
    with slow.shell.unmeasured.start("ask", "x", "-o", "jsonl") as process:
        said_on(process.stdout, b'"One"')
        process.send_signal(signal.SIGINT)
        said_on(process.stderr, b"Interrupted")
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == -signal.SIGINT
        assert process.stderr is not None
        assert b"Traceback" not in process.stderr.read()


def test_not_to_wait_for_a_brain_of_ones_own_begins_nothing(slow: Slow) -> None:
    asked = slow.shell.run("ask", "x", "-w", "0")
    assert (asked.code, asked.err.count("\n")) == (10, 1)
    looked = slow.shell.run("wait", "-w", "0")
    assert (looked.code, looked.err.count("\n")) == (10, 1)
    slow.go_on.set()
    waited = slow.shell.run("wait")
    assert (waited.code, waited.out) == (0, "One two\n")


def test_a_wait_that_ran_out_says_that_the_process_goes_on(slow: Slow) -> None:
    with slow.shell.unmeasured.start("ask", "x", "-w", "0.1") as process:
        said_on(process.stderr, b"Ctrl-C now")
        said_on(process.stdout, b"wait_timed_out")
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == -signal.SIGINT
        assert process.stderr is not None
        assert b"Traceback" not in process.stderr.read()
