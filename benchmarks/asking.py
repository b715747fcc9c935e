"""How soon an answer is seen: what brainctl adds to a stream, and how long its own brain's first word takes.

    python -m benchmarks.asking                     installs this checkout into a new environment and measures that
    python -m benchmarks.asking --python .venv/bin/python      measures what is installed there

The first figure is the time from a server's flush of a delta to its byte on standard output, for `brainctl ask -o
jsonl` and for `curl -N`, turn by turn in one run. The second is the time from a process's start to its first delta
from a brain on this machine, against what bare imports cost.
"""

import argparse
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from benchmarks.startup import FACTS, QUERY, WARM_UPS, environment, fill_brain, installed, seconds_of

DELTAS: Final = 100
"""Deltas a turn."""
TURNS: Final = 5
GAP_SECONDS: Final = 0.01
ADDED_MS_MOST: Final = 2.0
RATIO_MOST: Final = 2.0
TEXT: Final = "about a token"
HEAD: Final = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"


class Stream:
    """A server that answers every request with a stream of deltas, and notes when each of them was flushed."""

    def __init__(self) -> None:
        self.flushed: list[float] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with connection:
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                connection.recv(65536)
                self._answer(connection)

    def _answer(self, connection: socket.socket) -> None:
        connection.sendall(HEAD + _event("answer.created", {"answer_id": "run_1", "conversation_id": None}))
        self.flushed = []
        for number in range(DELTAS):
            time.sleep(GAP_SECONDS)
            piece = _event("answer.delta", {"text": f"{TEXT} {number}"})
            self.flushed.append(time.perf_counter())
            connection.sendall(piece)
        connection.sendall(
            _event("answer.completed", {"answer_id": "run_1", "status": "completed", "output_text": TEXT})
            + _event("done", {"ok": True})
        )

    def close(self) -> None:
        self._listener.close()


def _event(name: str, data: Mapping[str, object]) -> bytes:
    return f"event: {name}\ndata: {json.dumps(data)}\n\n".encode()


@contextmanager
def streaming() -> Iterator[Stream]:
    stream = Stream()
    try:
        yield stream
    finally:
        stream.close()


def delays(command: Sequence[str], environ: Mapping[str, str], stream: Stream) -> list[float]:
    """Seconds from each delta's flush to its bytes on the command's standard output."""
    seen: list[float] = []
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environ
    ) as process:
        assert process.stdout is not None
        got = b""
        while piece := os.read(process.stdout.fileno(), 65536):
            now = time.perf_counter()
            got += piece
            # A delta's text is in its own event alone.
            while f"{TEXT} {len(seen)}".encode() in got:
                seen.append(now)
    if process.returncode or len(seen) != DELTAS:
        raise SystemExit(
            f"{command[0]} showed {len(seen)} of {DELTAS} deltas and ended with {process.returncode}"
        )
    return [arrived - flushed for arrived, flushed in zip(seen, stream.flushed, strict=True)]


class Added(NamedTuple):
    """Medians in milliseconds."""

    brainctl: float
    curl: float


def added(python: str, environ: Mapping[str, str]) -> Added:
    brainctl = [str(Path(python).parent / "brainctl"), "ask", "x", "-o", "jsonl"]
    ours: list[float] = []
    theirs: list[float] = []
    with streaming() as stream:
        environ = {**environ, "BRAINCTL_BASE_URL": stream.base_url}
        curl = ["curl", "-sN", "-X", "POST", "-d", "{}", f"{stream.base_url}/v1/answers"]
        for _ in range(TURNS):
            ours += delays(brainctl, environ, stream)
            theirs += delays(curl, environ, stream)
    return Added(statistics.median(ours) * 1000, statistics.median(theirs) * 1000)


class First(NamedTuple):
    """The median of the pairs' ratios, and each side's median in milliseconds."""

    ratio: float
    delta_ms: float
    floor_ms: float


def first_delta(python: str, environ: Mapping[str, str], rounds: int) -> First:
    brainctl = [str(Path(python).parent / "brainctl"), "-e", "local", "ask", QUERY, "-o", "jsonl"]
    floor = [python, "-c", "import typer, sqlite3"]
    pairs: list[tuple[float, float]] = []
    for turn in range(WARM_UPS + rounds):
        pair = _until_delta(brainctl, environ), seconds_of(floor, environ)
        if turn >= WARM_UPS:
            pairs.append(pair)
    return First(
        statistics.median(ours / theirs for ours, theirs in pairs),
        statistics.median(ours for ours, _ in pairs) * 1000,
        statistics.median(theirs for _, theirs in pairs) * 1000,
    )


def _until_delta(command: Sequence[str], environ: Mapping[str, str]) -> float:
    started = time.perf_counter()
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environ
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if b"answer.delta" in line:
                seconds = time.perf_counter() - started
                process.communicate()
                return seconds
        raise SystemExit(f"there was no delta: {process.communicate()[1].decode()}")


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure how soon an answer is seen.")
    parser.add_argument(
        "-n", "--rounds", type=int, default=21, help="pairs of the second figure (default 21)"
    )
    parser.add_argument("--python", help="measure what is installed with this interpreter")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        python = options.python or installed(Path(folder) / "venv")
        environ = environment(Path(folder) / "home", "http://127.0.0.1:9")
        figures = added(python, environ)
        more = figures.brainctl - figures.curl
        print(f"{'what':<52} {'target':>8} {'figure':>8} {'met':>4}")
        print(
            f"{'a delta, above curl -N (median)':<52} {ADDED_MS_MOST:>5.1f} ms {more:>5.2f} ms "
            f"{'yes' if more <= ADDED_MS_MOST else 'no':>4}   {figures.brainctl:.2f} / {figures.curl:.2f} ms"
        )
        fill_brain(python, environ)
        first = first_delta(python, environ, options.rounds)
        print(
            f"{f'the first delta, own brain, {FACTS:,} facts, of imports':<52} {RATIO_MOST:>8.2f} {first.ratio:>8.2f} "
            f"{'yes' if first.ratio <= RATIO_MOST else 'no':>4}   {first.delta_ms:.0f} / {first.floor_ms:.0f} ms"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
