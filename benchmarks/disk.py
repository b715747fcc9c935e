"""A disk that is full while everybody teaches and asks: what was acknowledged, what was refused, and what goes on after.

    python -m benchmarks.disk                           half a minute, on a small disk in memory (mounted by root)
    python -m benchmarks.disk --limit                   by a limit on the size of files, which needs no root

It is for brains in a file: what a database does on a full disk is its own. The disk is filled to the last byte, kept
full while all verbs are asked for, and given room again.
"""

import asyncio
import os
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Protocol

from benchmarks.houses import Account, House, Server, house, options, repeated_keys, settled, to_its_end
from benchmarks.models import Models, answer_to, well
from benchmarks.visiting import LostError, Reply, Streamed, Visitor
from brainctl.contract.bounds import RATE_REQUESTS, RATE_WINDOW_SECONDS

DISK_MB: Final = 24
FULL_SECONDS: Final = 10.0
ASKERS: Final = 6
SETTLED_SECONDS: Final = 90.0
WITHOUT_ROOM: Final = {"internal_error"}
"""What a brain may say that cannot write. Whoever asks is told no more; the log has the sentence."""


class Disk(Protocol):
    """Where a brain lies, and how it is filled."""

    def fill(self, servers: list[Server]) -> None: ...

    def make_room(self, servers: list[Server]) -> None: ...


class SmallDisk:
    """A file system of its own, filled by a file."""

    def __init__(self, folder: Path) -> None:
        self._filler = folder / "filler"

    def fill(self, servers: list[Server]) -> None:
        with self._filler.open("ab", buffering=0) as filler:
            for size in (1 << 16, 1 << 12, 1):
                try:
                    while filler.write(b"x" * size):
                        pass
                except OSError:
                    continue

    def make_room(self, servers: list[Server]) -> None:
        self._filler.unlink()


class Limit:
    """Processes whose files may not grow beyond a few pages."""

    def fill(self, servers: list[Server]) -> None:
        self._set(servers, 4096)

    def make_room(self, servers: list[Server]) -> None:
        import resource

        self._set(servers, resource.RLIM_INFINITY)

    def _set(self, servers: list[Server], size: int) -> None:
        import resource

        for server in servers:
            for pid in server.pids():
                resource.prlimit(pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


def mounted(folder: Path) -> bool:
    """Mount a small disk there, if that can be done."""
    if shutil.which("mount") is None or not hasattr(os, "geteuid") or os.geteuid() != 0:
        return False
    command = ["mount", "-t", "tmpfs", "-o", f"size={DISK_MB}m", "tmpfs", str(folder)]
    return subprocess.run(command, stderr=subprocess.DEVNULL, check=False).returncode == 0


@contextmanager
def disk_in(folder: Path, *, limit: bool) -> Iterator[Disk]:
    """A small disk; where none can be mounted, or by wish, a limit."""
    if limit or not mounted(folder):
        yield Limit()
        return
    try:
        yield SmallDisk(folder)
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=False)


class Trial:
    """Who asks what while there is room and while there is none."""

    def __init__(self, house: House) -> None:
        self.house = house
        self.keys = [house.key() for _ in range(ASKERS * 6)]
        self.codes: dict[str, Counter[str]] = {}
        self.taught: set[str] = set()
        self.refused: set[str] = set()
        self.acknowledged: dict[str, str] = {}
        self.wrong: list[str] = []
        self.slowest = 0.0
        self._number = 0

    def text(self, verb: str) -> str:
        self._number += 1
        return f"{verb} of {self.house.mark} number {self._number}."

    async def use_up(self, key: str, count: int) -> int:
        """Make so many requests; how many were let in."""
        visitor = Visitor(self.house.addresses)
        replies = [await visitor.tool(key, "whoami", {}) for _ in range(count)]
        visitor.close()
        return sum(reply.code == "ok" for reply in replies)

    async def go_on(self, phase: str, seconds: float) -> None:
        counted = self.codes.setdefault(phase, Counter())
        over = time.monotonic() + seconds
        await asyncio.gather(*(self._one(phase, counted, place, over) for place in range(ASKERS)))

    async def _one(self, phase: str, counted: Counter[str], place: int, over: float) -> None:
        visitor = Visitor(self.house.addresses, place)
        turn = place
        while time.monotonic() < over:
            turn += 1
            key = self.keys[(turn * ASKERS + place) % len(self.keys)]
            try:
                reply = await self._ask(visitor, key, turn % 4)
            except LostError as lost:
                self.wrong.append(f"{phase}: no reply, {lost}")
                continue
            code = reply.code if isinstance(reply, Reply) else "ok"
            counted[code] += 1
            if isinstance(reply, Reply):
                self.slowest = max(self.slowest, reply.heard - reply.sent)
            allowed = {"ok"} if phase != "without room" else {"ok", *WITHOUT_ROOM}
            if code not in allowed and code != "rate_limited":
                self.wrong.append(f"{phase}: {reply}"[:300])
            await asyncio.sleep(0.05)
        visitor.close()

    async def _ask(self, visitor: Visitor, key: str, which: int) -> Reply | Streamed:
        if which == 0:
            return await visitor.ask("POST", "/v1/memory/search", key, {"query": "What is on the shelf?"})
        text = self.text("shelf" if which == 1 else "What")
        if which == 1:
            # As long as a text may be, so that there is something to write.
            text += " " + "tea " * 900
            reply = await visitor.ask("POST", "/v1/memory/facts", key, {"facts": [{"text": text}]})
            (self.taught if reply.code == "ok" else self.refused).add(text)
            return reply
        body = {"input": text}
        if which == 2:
            reply = await visitor.ask(
                "POST", "/v1/answers", key, {**body, "stream": False}, {"Idempotency-Key": text}
            )
            if reply.code == "ok":
                self.acknowledged[reply.data["answer_id"]] = text
            return reply
        heard = await visitor.stream(key, body)
        if isinstance(heard, Streamed) and heard.answer_id is not None:
            self.acknowledged[heard.answer_id] = text
            if not heard.is_whole:
                self.wrong.append(f"a stream without its end: {heard.names}")
        return heard


async def run(house: House, disk: Disk, account: Account, *, seconds: float, servers: int = 2) -> None:
    """Fill the disk under a house, and hold what is left against what is promised."""
    trial = Trial(house)
    async with Models({"disk": well(0.3)}) as models:
        house.owner.set_worker("main", model="disk", base_url=models.base_url)
        await house.serve(servers)
        used = house.key()
        account.expect(
            "let in before, of a key used up", await trial.use_up(used, RATE_REQUESTS + 20), RATE_REQUESTS
        )
        used_at = time.monotonic()
        await trial.go_on("with room", seconds / 2)
        disk.fill(house.servers)
        await trial.go_on("without room", seconds)
        disk.make_room(house.servers)
        await asyncio.sleep(1)
        if time.monotonic() - used_at < RATE_WINDOW_SECONDS / 2:
            account.expect("let in after, of a key used up", await trial.use_up(used, 8), 0)
        await trial.go_on("with room again", seconds / 2)
        answers = await settled(house, SETTLED_SECONDS)
        for phase, codes in trial.codes.items():
            for code, count in codes.most_common():
                account.note(f"{phase}: {code}", count)
        account.expect("replies that are neither right nor a documented error", len(trial.wrong), 0)
        account.most("longest a reply took, streams aside", trial.slowest, 10.0, " s")
        texts = house.texts()
        account.note("facts acknowledged", len(trial.taught))
        account.expect("facts acknowledged and not in the brain", len(trial.taught - texts), 0)
        account.expect("facts refused and in the brain all the same", len(trial.refused & texts), 0)
        account.note("answers acknowledged", len(trial.acknowledged))
        book = {each.answer_id: each for each in answers}
        account.expect(
            "answers acknowledged and not in the book", len(set(trial.acknowledged) - set(book)), 0
        )
        for status, count in sorted(Counter(each.status for each in answers).items()):
            account.note(f"  {status}", count)
        account.expect("answers that are not over", sum(not each.is_over for each in answers), 0)
        account.expect(
            "questions put to the model more than once", sum(times > 1 for times in models.asked.values()), 0
        )
        account.expect("Idempotency-Keys with more than one answer", repeated_keys(answers), 0)
        account.expect("answers that are of another question", await _wrong(house, trial), 0)
        found = house.rows("PRAGMA integrity_check")
        account.expect("integrity of the file", found[0][0], "ok")
    for wrong in trial.wrong[:10]:
        print(wrong, file=sys.stderr)


async def _wrong(house: House, trial: Trial) -> int:
    count = 0
    keys = [house.key() for _ in range(len(trial.acknowledged) // 100 + 1)]
    visitor = Visitor(house.addresses)
    for place, (answer_id, question) in enumerate(trial.acknowledged.items()):
        reply = await visitor.ask("GET", f"/v1/answers/{answer_id}", keys[place // 100])
        said = (reply.data["status"], reply.data["output_text"])
        count += said not in {("completed", answer_to(question)), ("failed", "")}
    visitor.close()
    return count


def main() -> int:
    parser = options(__doc__)
    parser.set_defaults(servers=2)
    parser.add_argument("--limit", action="store_true", help="limit the size of files, and mount nothing")
    parser.add_argument(
        "--seconds", type=float, default=FULL_SECONDS, help="how long the disk is full (default 10)"
    )
    given = parser.parse_args()
    if given.store is not None:
        parser.error("--store: the brain must lie on the disk that is filled")
    import tempfile

    account = Account()
    with (
        tempfile.TemporaryDirectory() as name,
        disk_in(Path(name), limit=given.limit) as disk,
        house(str(Path(name) / "brain.db")) as made,
    ):
        to_its_end(run(made, disk, account, seconds=given.seconds, servers=given.servers))
    return account.settle()


if __name__ == "__main__":
    sys.exit(main())
