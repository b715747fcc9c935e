"""Each event leaves as soon as it is here: the brain says the next one only when the last has been read."""

import json
import os
import subprocess
from threading import Event as Flag

import pytest

from tests.asking.saying import DONE, QUEUED, accepted, answer, completed, created, data, delta, says
from tests.cli.hosted import Hosting
from tests.doors.faults import HEAD_END, Road

PATIENCE = 60.0


def line_of(process: "subprocess.Popen[bytes]") -> dict[str, object]:
    assert process.stdout is not None
    line = json.loads(process.stdout.readline())
    assert isinstance(line, dict)
    return line


def test_each_event_is_written_before_the_next_one_is_there(hosting: Hosting) -> None:
    read = [Flag() for _ in range(4)]

    def until(place: int) -> bool:
        return read[place].wait(PATIENCE)

    hosted = hosting(
        says(
            created(),
            lambda: until(0),
            delta("One"),
            lambda: until(1),
            delta(" two"),
            lambda: until(2),
            completed("One two"),
            lambda: until(3),
            DONE,
        )
    )
    names = []
    with hosted.shell.start("ask", "x", "-o", "jsonl") as process:
        for flag in read:
            names.append(line_of(process)["event"])
            flag.set()
        names.append(line_of(process)["event"])
    assert names == ["answer.created", "answer.delta", "answer.delta", "answer.completed", "done"]
    assert process.returncode == 0


class ByteByByte:
    """A stream in chunks of one byte, its lines ended by CRLF, and comments between its events."""

    def __init__(self, *events: bytes) -> None:
        self._stream = b"\xef\xbb\xbf: hello\r\n\r\n" + b": ping\r\n\r\n".join(
            each.replace(b"\n", b"\r\n") for each in events
        )

    def meet(self, request: bytes, road: Road) -> None:
        road.say(
            b"HTTP/1.1 200 OK\r\nContent-Type: Text/Event-Stream; charset=iso-8859-1\r\n"
            b"Connection: close\r\nTransfer-Encoding: chunked" + HEAD_END
        )
        for place in range(len(self._stream)):
            road.say(b"1\r\n" + self._stream[place : place + 1] + b"\r\n")
        road.say(b"0\r\n\r\n")


def test_a_stream_cut_anywhere_is_the_same_answer(hosting: Hosting) -> None:
    text = "Grüße 👩‍👩‍👧\u2028line\u0085sep"  # fmt: skip
    hosted = hosting(ByteByByte(created(), delta(text), completed(text), DONE))
    asked = hosted.shell.run("ask", "x", "--stream")
    assert (asked.code, asked.out) == (0, text + "\n")


def test_a_reader_that_has_had_enough_ends_it_quietly_and_the_answer_stays_open(hosting: Hosting) -> None:
    gone = Flag()
    many = [delta(f"{number} ") for number in range(2000)]
    hosted = hosting(says(created(), lambda: gone.wait(PATIENCE), *many, completed("all"), DONE))
    with hosted.shell.start("ask", "x", "-o", "jsonl") as process:
        assert line_of(process)["event"] == "answer.created"
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        gone.set()
        assert process.wait(PATIENCE) == 141
        assert process.stderr.read() == b""
    waited = hosting(data(answer("all"))).shell
    assert waited.run("wait", "--json").code == 5, "another address is another brain"


def test_head_takes_its_line_and_no_more(hosting: Hosting) -> None:
    many = [delta(f"{number} ") for number in range(2000)]
    hosted = hosting(says(created(), *many, completed("all"), DONE))
    done = hosted.shell.sh("brainctl ask x -o jsonl | head -1; exit ${PIPESTATUS[0]}")
    assert done.out.count("\n") == 1
    assert done.code in {0, 141}
    assert done.err == ""


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="the system has no /dev/full")
@pytest.mark.parametrize("where", ["/dev/full", "&-"])
@pytest.mark.parametrize("form", ["human", "json"])
def test_a_result_that_cannot_be_written_leaves_the_answer_open_and_tells_its_id(
    hosting: Hosting, where: str, form: str
) -> None:
    hosted = hosting(accepted(), data(answer("Yes.", QUEUED)), data(answer("Yes.", QUEUED)))
    failed = hosted.shell.sh(f"brainctl ask x -o {form} >{where}")
    assert failed.code == 1
    assert f"standard output{' is closed' if where == '&-' else ': No space left on device'}" in failed.err
    assert f"`brainctl wait {QUEUED}` prints the answer" in failed.err
    assert "--verbose" not in failed.err
    if form == "json":
        error = json.loads(failed.err)["error"]
        assert (error["code"], error["details"]) == ("unwritable", {"answer_id": QUEUED})
    picked_up = hosted.shell.run("wait")
    assert (picked_up.code, picked_up.out) == (0, "Yes.\n")
