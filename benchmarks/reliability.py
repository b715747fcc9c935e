"""Whether anything asked is ever lost, asked twice, or answered with another text, whatever breaks on the way.

    python -m benchmarks.reliability                        200 asks in each mode, about three minutes
    python -m benchmarks.reliability --asks 50 --seed 7

A server process serves a real brain. Each ask is a `brainctl` of its own, in a home of its own, and its exchange is
hit by one fault at a random byte: the connection is dropped, reset or silent from there on, a gateway answers in the
brain's place (before or after the brain has seen the request), or brainctl itself is killed. Whoever has no answer
then says `brainctl wait`, as a person would. Everything is counted from the brain's own books.
"""

import argparse
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from brainctl.contract import bounds
from brainctl.engine.local_brain import open_brain
from brainctl.engine.owner import create_brain
from tests.answers.house import question
from tests.asking.serving import text_of
from tests.cli.shell import Shell, unmeasured
from tests.doors.faults import Drop, Fault, FaultyRoad, Pass, Reset, Road, Stall, gateway

CHECKOUT: Final = Path(__file__).resolve().parent.parent
MODES: Final = ("streamed", "queued")
FAULTS: Final = ("drop", "reset", "stall", "502 before", "502 after", "kill")
AT_ONCE: Final = 4
WAITS_MOST: Final = 5
SECONDS: Final = "1.5"
"""How long brainctl waits for an exchange, and for an answer, before it leaves it to `brainctl wait`."""
PATIENCE: Final = 120.0
STREAM_BYTES: Final = 3500
REPLY_BYTES: Final = 220
"""Every reply is at least as long as the fewest bytes after which a fault may come."""


class LateGateway(NamedTuple):
    """The brain has done its work, and a gateway answers in its place."""

    def meet(self, request: bytes, road: Road) -> None:
        road.forward(request, 0)
        gateway(502).meet(request, road)


class Kill:
    """Kills whoever asks after so many bytes of the reply."""

    def __init__(self, after: int) -> None:
        self._after = after
        self._victim: subprocess.Popen[bytes] | None = None
        self._known = threading.Event()

    def aim_at(self, process: "subprocess.Popen[bytes]") -> None:
        self._victim = process
        self._known.set()

    def meet(self, request: bytes, road: Road) -> None:
        self._known.wait(PATIENCE)
        road.forward(request, self._after)
        if self._victim is not None:
            self._victim.kill()
            self._victim.wait()


class Ask(NamedTuple):
    """One ask to come: how it is asked, and what happens to which of its exchanges."""

    number: int
    mode: str
    kind: str
    exchange: int
    byte: int

    @property
    def input(self) -> str:
        return f"question {self.number} {self.mode}"

    def faults(self) -> list[Fault]:
        kinds: dict[str, Fault] = {
            "drop": Drop(self.byte),
            "reset": Reset(self.byte),
            "stall": Stall(self.byte),
            "502 before": gateway(502),
            "502 after": LateGateway(),
            "kill": Kill(self.byte),
        }
        return [*(Pass() for _ in range(self.exchange)), kinds[self.kind]]


class Ended(NamedTuple):
    """How an ask ended: `answered`, `wrong`, `no id` (told that no id was seen), or `lost`."""

    ask: Ask
    outcome: str
    said: str


class Counts(NamedTuple):
    """What became of the asks of one mode."""

    asks: int
    lost: int
    wrong: int
    twice: int
    no_id: int
    waited: int


def plan(asks: int, seed: int) -> list[Ask]:
    """The asks to come, every kind of fault as often as every other."""
    chance = random.Random(seed)
    planned = []
    for number in range(asks):
        for mode in MODES:
            # A queued question is one exchange and its answer another; a stream is all there is.
            exchange = chance.randrange(2) if mode == "queued" else 0
            byte = chance.randrange(STREAM_BYTES if mode == "streamed" else REPLY_BYTES)
            planned.append(Ask(number, mode, FAULTS[number % len(FAULTS)], exchange, byte))
    return planned


def run_asks(planned: Sequence[Ask], folder: Path) -> tuple[dict[str, Counts], list[Ended]]:
    """Run all of them, a few at once; returns the counts by mode, and every ask that did not end well."""
    runs = folder / "runs"
    with serving(folder / "brain.db", runs) as (base_url, secret), ThreadPoolExecutor(AT_ONCE) as pool:
        waited: Counter[str] = Counter()
        ended = list(pool.map(lambda ask: _one(ask, folder, base_url, secret, waited), planned))
    begun = Counter(runs.read_text().splitlines())
    counts = {}
    for mode in MODES:
        mine = [each for each in ended if each.ask.mode == mode]
        outcomes = Counter(each.outcome for each in mine)
        counts[mode] = Counts(
            len(mine),
            outcomes["lost"],
            outcomes["wrong"],
            sum(begun[each.ask.input] > 1 for each in mine),
            outcomes["no id"],
            waited[mode],
        )
    return counts, [each for each in ended if each.outcome != "answered"]


def _one(ask: Ask, folder: Path, base_url: str, secret: str, waited: Counter[str]) -> Ended:
    home = folder / f"{ask.mode} {ask.number}"
    home.mkdir()
    host, _, port = base_url.removeprefix("http://").partition(":")
    faults = ask.faults()
    with FaultyRoad((host, int(port)), faults) as road:
        environ = {"BRAINCTL_KEYRING": "off", "BRAINCTL_PACING": "off"}
        shell = Shell(home, {**environ, "ALFERA_API_KEY": secret, "BRAINCTL_BASE_URL": road.base_url})
        way = "--stream" if ask.mode == "streamed" else "--no-stream"
        asking = shell.unmeasured if ask.kind == "kill" else shell
        process = asking.start("--timeout", SECONDS, "ask", ask.input, way, "-w", SECONDS)
        for fault in faults:
            if isinstance(fault, Kill):
                fault.aim_at(process)
        out, err = process.communicate(timeout=PATIENCE)
        code, said = process.returncode, err.decode()
        text = out.decode("utf-8", "replace")
        for _ in range(WAITS_MOST):
            if code == 0 or (code != 5 and "No answer id was seen" in said):
                break
            waited[ask.mode] += 1
            again = shell.run("--timeout", SECONDS, "wait", "-w", "20")
            code, text, said = again.code, again.out, said + again.err
            if code == 5:
                break
    return Ended(ask, _outcome(ask, code, text, said), said)


def _outcome(ask: Ask, code: int, text: str, said: str) -> str:
    if code == 0:
        return "answered" if text == text_of(ask.input) + "\n" else "wrong"
    # Of a stream that ended before its first event nobody can know the id, and the person is told what that means.
    # A process killed before it could say so has told nothing, and has had nothing.
    if ask.mode == "streamed" and ("No answer id was seen" in said or (ask.kind == "kill" and code == 5)):
        return "no id"
    return "lost"


@contextmanager
def serving(path: Path, runs: Path) -> Iterator[tuple[str, str]]:
    """A server process over a new brain: its address, and a key's secret."""
    secret = new_brain(path)
    runs.touch()
    command = [sys.executable, "-m", "tests.asking.serving", str(path), str(runs)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=CHECKOUT, env=unmeasured()
    ) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip(), secret
        finally:
            process.kill()


def new_brain(path: Path) -> str:
    """Makes a brain; returns the secret of a key to it."""
    owner = create_brain(str(path))
    try:
        return owner.create_key("asker", "internal", bounds.SCOPES).secret
    finally:
        owner.close()


def one_key(folder: Path, processes: int = 4, threads: int = 25) -> tuple[int, int, int]:
    """Queue one question from all of these threads at once, under one Idempotency-Key.

    Returns how many creates there were, how many different replies, and how many runs.
    """
    path, runs = folder / "one key.db", folder / "one key"
    secret = new_brain(path)
    runs.touch()
    asking = [_start("enqueueing", str(path), secret, str(threads)) for _ in range(processes)]
    for process in asking:
        assert _line_of(process) == "ready"
    for process in asking:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    replies = [line for process in asking for line in process.communicate()[0].splitlines() if line]
    _start("working", str(path), str(time.time()), str(runs)).communicate()
    return len(replies), len(set(replies)), len(runs.read_text().splitlines())


def killed_worker(folder: Path, seed: int, queued: int = 50) -> Counter[str]:
    """Queue questions, kill the process that works them off in the middle of one, and let another go on.

    Returns how many are `completed`, `failed`, `stuck`, and were `run twice`.
    """
    path, runs = folder / "killed.db", folder / "killed"
    secret = new_brain(path)
    runs.touch()
    middle = random.Random(seed).randrange(queued // 4, 3 * queued // 4)
    now = time.time()
    with open_brain(str(path), secret) as brain:
        ids = [
            brain.enqueue(question(f"{'stop' if number == middle else 'go'} {number}"))["answer_id"]
            for number in range(queued)
        ]
        first = _start("working", str(path), str(now), str(runs))
        assert _line_of(first) == "stopped"
        first.kill()
        first.communicate()
        # The next one comes when the dead one's lease has run out.
        _start("working", str(path), str(now + 60), str(runs)).communicate()
        statuses = Counter(brain.answer(each)["status"] for each in ids)
    found = Counter(runs.read_text().splitlines())
    return Counter(
        {
            "completed": statuses["completed"],
            "failed": statuses["failed"],
            "stuck": statuses["queued"] + statuses["in_progress"],
            "run twice": sum(times > 1 for times in found.values()),
        }
    )


def _start(module: str, *arguments: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", f"tests.answers.{module}", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=CHECKOUT,
        env=unmeasured(),
    )


def _line_of(process: "subprocess.Popen[str]") -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def main() -> int:
    parser = argparse.ArgumentParser(description="Count what is lost, asked twice, or answered wrongly.")
    parser.add_argument("--asks", type=int, default=200, help="asks in each mode (default 200)")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1_000_000))
    options = parser.parse_args()
    print(f"seed {options.seed}")
    failures = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        counts, bad = run_asks(plan(options.asks, options.seed), folder)
        print(
            f"{'mode':<10} {'asks':>5} {'lost':>5} {'asked twice':>12} {'wrong texts':>12} {'told: no id':>12} {'waits':>6}"
        )
        for mode, each in counts.items():
            print(
                f"{mode:<10} {each.asks:>5} {each.lost:>5} {each.twice:>12} {each.wrong:>12} {each.no_id:>12} "
                f"{each.waited:>6}"
            )
            failures += each.lost + each.twice + each.wrong
        for ended in bad:
            if ended.outcome != "no id":
                print(f"{ended.outcome}: {ended.ask}\n{ended.said}", file=sys.stderr)
        creates, replies, runs = one_key(folder)
        print(
            f"one Idempotency-Key, 4 processes: {creates} creates, {replies} different replies, {runs} runs"
        )
        failures += (replies, runs) != (1, 1)
        worker = killed_worker(folder, options.seed)
        print("a worker killed among 50 queued: " + ", ".join(f"{worker[name]} {name}" for name in worker))
        failures += worker["stuck"] + worker["run twice"]
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
