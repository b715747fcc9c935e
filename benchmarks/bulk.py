"""What bulk work costs: teaching thousands of facts and searching thousands of times, as ratios in one run.

    python benchmarks/bulk.py                   all rows; some minutes
    python benchmarks/bulk.py paced batch       these alone: paced, unpaced, batch, memory

`paced`    10,000 facts to a server whose window is a hundred times shorter than the API's: how close to its limit, and
           with how many refusals. Counted at the server, from the first call to the last.
`unpaced`  the same without a window, against a bare loop of httpx with the same bodies; whole processes.
`batch`    10,000 searches on a brain on this machine, against the engine called in a loop; whole processes.
`memory`   a file of a million lines: the most memory that teaching it takes, above teaching a single line.
"""

import argparse
import json
import os
import socketserver
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

sys.path.insert(0, str(Path(__file__).parent.parent))
from benchmarks.startup import FILL_SCRIPT, KEY

FACTS: Final = 10_000
CALLS: Final = FACTS // 20
SEARCHES: Final = 10_000
LINES: Final = 1_000_000
REQUESTS: Final = 120
SECONDS: Final = 0.6
ROUNDS: Final = 5
WORDS: Final = (
    *("refund", "deposit", "wedding", "cake", "menu"),
    *("terrace", "allergy", "garden", "booking", "discount"),
)

HTTPX_SCRIPT: Final = """
import json, os, ssl, sys
sys.modules["httpx._main"] = None
import httpx
client = httpx.Client(verify=ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT), trust_env=False)
with open(sys.argv[1]) as file:
    lines = file.read().splitlines()
for start in range(0, len(lines), 20):
    reply = client.post(
        os.environ["BRAINCTL_BASE_URL"] + "/v1/memory/facts",
        json={"facts": [{"text": line} for line in lines[start : start + 20]]},
        headers={"Authorization": "Bearer " + os.environ["ALFERA_API_KEY"]},
    )
    reply.raise_for_status().json()["data"]
"""

ENGINE_SCRIPT: Final = """
import os, sys
from brainctl.engine.local_brain import open_brain
from brainctl.profiles.access import choose

access = choose(os.environ, environment="local")
brain = open_brain(access.store, access.secret())
with open(sys.argv[1]) as file:
    for line in file:
        brain.search({"query": line.rstrip()})
"""


class Server(socketserver.ThreadingTCPServer):
    """Takes in whatever it is taught, one write a reply; with a limit, refuses what is over it."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, requests: int | None, seconds: float) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.refused = 0
        self.times: list[float] = []
        self._window: deque[float] = deque()
        self._requests = requests
        self._seconds = seconds
        self._lock = threading.Lock()

    def fits(self) -> bool:
        with self._lock:
            now = time.monotonic()
            while self._window and self._window[0] <= now - self._seconds:
                self._window.popleft()
            if self._requests is not None and len(self._window) >= self._requests:
                self.refused += 1
                return False
            self._window.append(now)
            self.times.append(now)
            return True


class Handler(socketserver.StreamRequestHandler):
    disable_nagle_algorithm = True
    server: Server

    def handle(self) -> None:
        while line := self.rfile.readline():
            length = 0
            while line not in {b"\r\n", b""}:
                name, _, value = line.partition(b":")
                if name.lower() == b"content-length":
                    length = int(value)
                line = self.rfile.readline()
            facts = self.rfile.read(length).count(b'"text"')
            if self.server.fits():
                status = b"202 Accepted"
                counts = {"accepted_fact_count": facts, "created": facts, "superseded": 0, "skipped": 0}
                body = json.dumps({"data": counts}).encode()
            else:
                status = b"429 Too Many Requests"
                error = {"code": "rate_limited", "message": "", "details": {"retry_after_seconds": SECONDS}}
                body = json.dumps({"error": error}).encode()
            head = b"HTTP/1.1 %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
            self.wfile.write(head % (status, len(body)) + body)


class Setting(NamedTuple):
    folder: Path
    environ: Mapping[str, str]

    def file(self, name: str, lines: int) -> str:
        """A file of so many facts, no two alike."""
        path = self.folder / name
        with path.open("w") as file:
            for number in range(lines):
                file.write(
                    f"Table {number} seats {number % 12 + 2} guests and stands by window {number % 40}.\n"
                )
        return str(path)

    def seconds(self, command: Sequence[str], **environ: str) -> float:
        """The time of one whole process. Raises `SystemExit` where it failed."""
        return self.spent(command, **environ)[0]

    def spent(self, command: Sequence[str], **environ: str) -> tuple[float, int]:
        """The seconds of one whole process, and the most bytes of memory that it held."""
        started = time.perf_counter()
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, env={**self.environ, **environ}
        )
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise SystemExit(f"{' '.join(command[:4])} failed ({process.returncode})")
        return seconds, usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)


BRAINCTL: Final = str(Path(sys.executable).parent / "brainctl")


def paced(setting: Setting) -> None:
    path = setting.file("facts.txt", FACTS)
    ratios = []
    refused = 0
    for _ in range(ROUNDS):
        with served(REQUESTS, SECONDS) as (server, url):
            setting.seconds(
                [BRAINCTL, "teach", "--no-resume", "-q", "-f", path],
                BRAINCTL_BASE_URL=url,
                BRAINCTL_PACING=f"{REQUESTS}/{SECONDS}",
            )
            least = (CALLS - 1) // REQUESTS * SECONDS
            ratios.append(least / (server.times[-1] - server.times[0]))
            refused += server.refused
    ratio = statistics.median(ratios)
    tell("teach, paced: of what the window allows", ratio, 0.95, at_least=True, more=f"{refused} refused")


def unpaced(setting: Setting) -> None:
    path = setting.file("facts.txt", FACTS)
    with served(None, 1) as (_, url):
        pairs = [
            (
                setting.seconds(
                    [BRAINCTL, "teach", "--no-resume", "-q", "-f", path],
                    BRAINCTL_BASE_URL=url,
                    BRAINCTL_PACING="off",
                ),
                setting.seconds([sys.executable, "-c", HTTPX_SCRIPT, path], BRAINCTL_BASE_URL=url),
            )
            for _ in range(ROUNDS)
        ]
    ours, bare = sorted(pairs, key=lambda pair: pair[1] / pair[0])[len(pairs) // 2]
    more = f"{FACTS / ours:,.0f} and {FACTS / bare:,.0f} facts/s"
    tell("teach, unpaced: of a bare loop of httpx", bare / ours, 0.5, at_least=True, more=more)


def batch(setting: Setting) -> None:
    subprocess.run([BRAINCTL, "brain", "init", "-q"], env=setting.environ, check=True)
    store = json.loads(
        subprocess.run(
            [BRAINCTL, "brain", "stats", "--json"], env=setting.environ, check=True, capture_output=True
        ).stdout
    )["store"]
    subprocess.run(
        [sys.executable, "-c", FILL_SCRIPT, store, str(FACTS)], stdout=subprocess.DEVNULL, check=True
    )
    path = setting.folder / "queries.txt"
    path.write_text(
        "".join(
            f"{WORDS[place % 10]} {WORDS[place // 10 % 10]} {WORDS[place // 100 % 10]}\n"
            for place in range(SEARCHES)
        )
    )
    ours = setting.seconds([BRAINCTL, "-e", "local", "search", "--batch", str(path)])
    engine = setting.seconds([sys.executable, "-c", ENGINE_SCRIPT, str(path)])
    more = f"{SEARCHES / ours:,.0f} and {SEARCHES / engine:,.0f} searches/s"
    tell("search --batch: of the engine in a loop", ours / engine, 1.3, at_least=False, more=more)


def memory(setting: Setting) -> None:
    one, many = setting.file("one.txt", 1), setting.file("many.txt", LINES)
    with served(None, 1) as (_, url):
        given = {"BRAINCTL_BASE_URL": url, "BRAINCTL_PACING": "off"}
        report = setting.folder / "report.jsonl"
        _, idle = setting.spent([BRAINCTL, "teach", "-q", "-f", one], **given)
        seconds, most = setting.spent([BRAINCTL, "teach", "-q", "-f", many, "--report", str(report)], **given)
    megabytes = (most - idle) / 1e6
    more = f"{most / 1e6:.0f} MB, {seconds:.0f} s"
    tell(f"teach, {LINES:,} lines: MB above one line", megabytes, 60, at_least=False, more=more)


def tell(name: str, figure: float, target: float, *, at_least: bool, more: str) -> None:
    met = figure >= target if at_least else figure <= target
    sign = "≥" if at_least else "≤"
    print(f"{name:<44} {sign} {target:>5.2f} {figure:>7.2f} {'yes' if met else 'no':>4}   {more}", flush=True)


@contextmanager
def served(requests: int | None, seconds: float) -> Iterator[tuple[Server, str]]:
    """A server on a free port, and its address."""
    with Server(requests, seconds) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        yield server, f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


ROWS: Final[Mapping[str, Callable[[Setting], None]]] = {
    "paced": paced,
    "unpaced": unpaced,
    "batch": batch,
    "memory": memory,
}


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure what bulk work costs.")
    parser.add_argument("rows", nargs="*", choices=[*ROWS, []], help="which to measure; all unless given")
    chosen = parser.parse_args().rows or list(ROWS)
    for name in chosen:
        with tempfile.TemporaryDirectory() as folder:
            kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT", "TEMP") if name in os.environ}
            home = {"HOME": folder, "BRAINCTL_HOME": folder, "BRAINCTL_KEYRING": "off", "ALFERA_API_KEY": KEY}
            ROWS[name](Setting(Path(folder), {**kept, **home}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
