"""What reads us may go away, be full, or not be there; what we read may never end."""

import json
import os
import select
import subprocess
import sys
import time
from typing import Any

import pytest

from tests.cli.hosted import Hosting, data, fact, facts
from tests.cli.shell import BRAINCTL, Shell, eventually, posix

needs_full = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="the system has no /dev/full")
MANY = data({"facts": [fact("x" * 1000) for _ in range(2000)]})
"""Far more than a pipe holds."""

TAUGHT = {"accepted_fact_count": 2, "created": 2, "superseded": 0, "skipped": 0}


@pytest.mark.parametrize(
    ("form", "unbuffered"), [("human", ""), ("human", "1"), ("json", "1"), ("jsonl", "")]
)
def test_a_reader_that_has_had_enough_is_no_error(hosting: Hosting, form: str, unbuffered: str) -> None:
    hosted = hosting(MANY, PYTHONUNBUFFERED=unbuffered)
    done = hosted.shell.sh(f"brainctl search x -o {form} | head -c 10; echo ${{PIPESTATUS[0]}} >&2")
    assert (done.err, len(done.out)) == ("141\n", 10)


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_reader_that_never_read_is_no_error(hosting: Hosting, unbuffered: str) -> None:
    hosted = hosting(facts("one line"), PYTHONUNBUFFERED=unbuffered)
    read_end, write_end = os.pipe()
    os.close(read_end)
    try:
        done = subprocess.run(
            [BRAINCTL, "search", "x"],
            stdin=subprocess.DEVNULL,
            stdout=write_end,
            stderr=subprocess.PIPE,
            env=hosted.shell.environ,
            timeout=60,
            check=False,
        )
    finally:
        os.close(write_end)
    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.parametrize(
    "arguments", ["--help", "search --help", "keys list", "completion bash", "--version"]
)
def test_no_command_leaves_a_traceback_behind(company: Shell, arguments: str) -> None:
    done = company.sh(f"brainctl {arguments} | true; echo ${{PIPESTATUS[0]}} >&2")
    assert done.err in {"0\n", "141\n"}


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_stream_that_will_not_block_still_gets_everything(hosting: Hosting, unbuffered: str) -> None:
    """Whoever shares our standard output may have set it so."""
    hosted = hosting(MANY, PYTHONUNBUFFERED=unbuffered)
    read_end, write_end = os.pipe()
    os.set_blocking(write_end, False)
    writing = subprocess.Popen(
        [BRAINCTL, "search", "x", "--json"],
        stdin=subprocess.DEVNULL,
        stdout=write_end,
        stderr=subprocess.PIPE,
        env=hosted.shell.environ,
    )
    os.close(write_end)
    with open(read_end, "rb") as stream:
        whole = json.loads(stream.read())
    _, err = writing.communicate(timeout=60)
    assert (writing.returncode, err, len(whole["facts"])) == (0, b"", 2000)


@posix
@pytest.mark.parametrize(
    ("arguments", "shown"),
    [(("search", "-"), '"query":"one\\ntwo"'), (("teach", "-"), '[{"text":"one"},{"text":"two"}]')],
)
def test_an_input_that_will_not_block_is_read_to_its_end(
    hosting: Hosting, arguments: tuple[str, ...], shown: str
) -> None:
    hosted = hosting(facts("x") if arguments[0] == "search" else data(TAUGHT, 202))
    read_end, write_end = os.pipe()
    os.set_blocking(read_end, False)
    reading = hosted.shell.start(*arguments, stdin=read_end)
    with open(write_end, "wb", buffering=0) as stream:
        # Nothing at first, and then a part: neither is the end.
        for part in (b"on", b"e\n", b"two\n"):
            eventually(lambda: reading.poll() is not None or not select.select([read_end], [], [], 0)[0])
            time.sleep(0.3)
            stream.write(part)
    os.close(read_end)
    _, err = reading.communicate(timeout=60)
    assert reading.returncode == 0, err
    assert shown in hosted.road.requests[0].decode()


@needs_full
@pytest.mark.parametrize(("form", "unbuffered"), [("human", ""), ("json", "1"), ("jsonl", "")])
def test_a_full_disk_is_told_of_in_a_sentence(hosting: Hosting, form: str, unbuffered: str) -> None:
    hosted = hosting(facts("x"), PYTHONUNBUFFERED=unbuffered)
    done = hosted.shell.sh(f"brainctl search x -o {form} >/dev/full")
    assert done.code == 1
    assert "cannot be written to standard output: No space left on device" in done.err
    assert done.err.count("\n") == 1
    assert "--verbose" not in done.err


@needs_full
@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("arguments", ["--help", "keys --help", "search -h"])
def test_help_on_a_full_disk_is_no_success(company: Shell, arguments: str, unbuffered: str) -> None:
    done = company.with_(PYTHONUNBUFFERED=unbuffered).sh(f"brainctl {arguments} >/dev/full")
    assert done.code == 1
    assert done.err == "error: The result cannot be written to standard output: No space left on device.\n"


@needs_full
def test_a_version_on_a_full_disk_is_no_success(company: Shell) -> None:
    assert company.sh("brainctl --version >/dev/full").code == 1


@needs_full
def test_a_full_standard_error_takes_nothing_away(hosting: Hosting) -> None:
    hosted = hosting(facts("x"))
    done = hosted.shell.sh("brainctl search x --verbose --json 2>/dev/full")
    assert done.code == 0
    assert json.loads(done.out)["facts"]


def test_closed_streams_are_no_traceback(hosting: Hosting) -> None:
    hosted = hosting(facts("x"), facts("x"), facts("x"), facts("x"))
    shell = hosted.shell
    given = shell.sh("brainctl search x --json <&-")
    assert (given.code, given.err) == (0, "")
    missing = shell.sh("brainctl search <&-")
    assert (missing.code, "QUERY is missing" in missing.err) == (2, True)
    dashed = shell.sh("brainctl search - <&-")
    assert (dashed.code, "Standard input is closed" in dashed.err) == (2, True)
    unheard = shell.sh("brainctl search x >&-")
    assert (unheard.code, "standard output is closed" in unheard.err) == (1, True)
    silent = shell.sh("brainctl search x --verbose 2>&-")
    assert (silent.code, silent.out.count("\n")) == (0, 1)
    nothing = shell.sh("brainctl search x <&- >&- 2>&-")
    assert (nothing.code, nothing.out, nothing.err) == (1, "", "")


@pytest.mark.parametrize("line", ["teach <&-", "teach - <&-", "keys add x --key-stdin <&-", "keys add x <&-"])
def test_a_closed_standard_input_is_a_usage_error(company: Shell, line: str) -> None:
    done = company.sh(f"brainctl {line}")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error: ")


@pytest.mark.parametrize(
    ("arguments", "codes"),
    [("--help", (0, 0)), ("keys", (2, 2)), ("search --bogus", (2, 2)), ("--version", (0, 1))],
)
def test_with_nobody_to_tell_nothing_breaks(company: Shell, arguments: str, codes: tuple[int, int]) -> None:
    closed = ("2>&-", ">&- 2>&-")
    assert tuple(company.sh(f"brainctl {arguments} {each}").code for each in closed) == codes


def test_an_error_that_nobody_reads_stops_nobody(hosting: Hosting) -> None:
    """Standard output is gone, and standard error is a pipe that is never read."""
    hosted = hosting(MANY)
    read_output, write_output = os.pipe()
    os.close(read_output)
    read_errors, write_errors = os.pipe()
    try:
        done = subprocess.Popen(
            [BRAINCTL, "search", "x", "--verbose"],
            stdin=subprocess.DEVNULL,
            stdout=write_output,
            stderr=write_errors,
            env=hosted.shell.environ,
        )
        assert done.wait(60) == 141
    finally:
        for end in (write_output, read_errors, write_errors):
            os.close(end)


@pytest.mark.parametrize(
    "arguments", [("search", "x"), ("whoami",), ("keys", "list"), ("teach", "x", "--dry-run")]
)
def test_what_needs_no_standard_input_does_not_wait_for_it(
    company: Shell, arguments: tuple[str, ...]
) -> None:
    read_end, write_end = os.pipe()
    try:
        done = subprocess.run(
            [BRAINCTL, *arguments],
            stdin=read_end,
            capture_output=True,
            env=company.environ,
            timeout=60,
            check=False,
        )
    finally:
        os.close(write_end)
        os.close(read_end)
    assert (done.returncode, done.stderr.decode().count("error")) == (0, 0)


@posix
def test_a_terminated_command_exits_143_and_an_interrupted_one_130(hosting: Hosting) -> None:
    import signal

    from tests.doors.faults import Road

    class Silence:
        """The request arrives, and nothing ever comes back."""

        def meet(self, request: bytes, road: Road) -> None:
            road.wait()

    for sent, code in ((signal.SIGTERM, 143), (signal.SIGINT, 130)):
        hosted = hosting(Silence())
        waiting = hosted.shell.start("search", "x")
        eventually(lambda hosted=hosted: len(hosted.road.requests) == 1)  # type: ignore[misc]  # mypy cannot tell its type
        waiting.send_signal(sent)
        out, err = waiting.communicate(timeout=60)
        assert (waiting.returncode, out, b"Traceback" in err) == (code, b"", False)


def test_a_large_result_comes_out_whole(hosting: Hosting) -> None:
    hosted = hosting(MANY, MANY, PYTHONUNBUFFERED="1")
    whole: Any = json.loads(hosted.shell.run("search", "x", "--json").out)
    assert len(whole["facts"]) == 2000
    slow = f"brainctl search x | {sys.executable} -c 'import sys, time; time.sleep(0.2); print(len(sys.stdin.read()))'"
    length = len("\t".join(str(value) for value in fact("x" * 1000).values()) + "\n")
    assert hosted.shell.sh(slow).out == f"{2000 * length}\n"
