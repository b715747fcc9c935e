"""The clock put back an hour while answers run: whether anything runs twice, never ends, or locks a key out.

    python -m benchmarks.clock                          about three minutes
    python -m benchmarks.clock --hours 24

The servers run under libfaketime where it is installed (Debian: `apt install libfaketime`), and else with a `time.time`
that is put back by the same file. Before the clock is put back, a server is killed in the middle of answers, so that
their leases lie an hour ahead; keys are used up, so that their windows do. The clock that requests are timed by here is
not put back, nor is the one that a machine counts seconds by.
"""

import asyncio
import os
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Final

from benchmarks.houses import Account, House, house, options, repeated_keys, settled, to_its_end
from benchmarks.models import Models, answer_to, well
from benchmarks.visiting import LostError, Reply, Visitor
from brainctl.contract.bounds import RATE_REQUESTS, RATE_WINDOW_SECONDS
from brainctl.engine.answers.runs import Pace

FAKETIME: Final = (
    "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1",
    "/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1",
)
SLOW_SECONDS: Final = 12.0
"""Long enough for answers to run while the clock is put back, and for their leases to be renewed after it."""
LEASES_SECONDS: Final = 2 * Pace().lease + 10
"""When all must be over: a lease that is cut, and one that is about to be."""
SITE: Final = """
import os, time
real = time.time
def put_back():
    try:
        with open(os.environ["PUT_BACK"]) as file:
            return real() + float(file.read())
    except (OSError, ValueError):
        return real()
time.time = put_back
"""


class Clock:
    """The clock of the servers."""

    def __init__(self, home: Path, *, library: bool) -> None:
        self._file = home / "clock"
        # It reads the file whenever anything asks for any time: true to life, and slow.
        self._library = next((each for each in FAKETIME if library and Path(each).exists()), None)
        self._file.write_text("+0")
        if self._library is None:
            (home / "sitecustomize.py").write_text(SITE)
        self._home = home

    @property
    def name(self) -> str:
        return "libfaketime" if self._library else "time.time"

    @property
    def environ(self) -> dict[str, str]:
        if self._library is None:
            path = os.pathsep.join([str(self._home), os.environ.get("PYTHONPATH", "")])
            return {"PYTHONPATH": path, "PUT_BACK": str(self._file)}
        return {
            "LD_PRELOAD": self._library,
            "FAKETIME_TIMESTAMP_FILE": str(self._file),
            "FAKETIME_NO_CACHE": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            "DONT_FAKE_MONOTONIC": "1",
        }

    def put(self, seconds: float) -> None:
        """Let it differ from the right time by so much from now on."""
        # In one go: a server reads it at any moment.
        new = self._file.with_suffix(".new")
        new.write_text(f"{seconds:+.0f}")
        os.replace(new, self._file)


class Trial:
    def __init__(self, house: House) -> None:
        self.house = house
        self.acknowledged: dict[str, str] = {}
        self.wrong: list[str] = []
        self._number = 0

    def question(self) -> str:
        self._number += 1
        return f"What of {self.house.mark} number {self._number}?"

    async def queue(self, count: int, *, conversation: str | None = None) -> None:
        visitor = Visitor(self.house.addresses)
        key = self.house.key()
        for _ in range(count):
            question = self.question()
            body = {"input": question, "stream": False}
            if conversation is not None:
                body["conversation_id"] = f"{self.house.mark} {conversation}"
            reply = await visitor.ask("POST", "/v1/answers", key, body, {"Idempotency-Key": question})
            if reply.code == "ok":
                self.acknowledged[reply.data["answer_id"]] = question
            else:
                self.wrong.append(f"queue: {reply.body}")
            visitor.move_on()
        visitor.close()

    async def stream(self, place: int, *, must_be_heard: bool) -> None:
        visitor = Visitor(self.house.addresses, place)
        question = self.question()
        try:
            heard = await visitor.stream(self.house.key(), {"input": question})
        except LostError as lost:
            if must_be_heard:
                self.wrong.append(f"stream: {lost}")
            return
        finally:
            visitor.close()
        if isinstance(heard, Reply):
            self.wrong.append(f"stream: {heard.body}")
            return
        assert heard.answer_id is not None
        self.acknowledged[heard.answer_id] = question
        if must_be_heard and not (heard.is_whole and heard.spoken == answer_to(question)):
            self.wrong.append(f"stream: {heard.events[-2:]}")

    async def use_up(self, key: str, count: int) -> int:
        """Make so many requests at once from all sides; how many were let in."""
        visitors = [Visitor(self.house.addresses, place) for place in range(8)]

        async def use(visitor: Visitor) -> int:
            replies = [await visitor.tool(key, "whoami", {}) for _ in range(count // len(visitors))]
            visitor.close()
            return sum(reply.code == "ok" for reply in replies)

        return sum(await asyncio.gather(*map(use, visitors)))


async def run(
    house: House,
    account: Account,
    *,
    back: float,
    servers: int = 4,
    windows: bool = True,
    slow: float = SLOW_SECONDS,
    library: bool = True,
) -> None:
    """Put a house's clock back, and hold what comes of it against what is promised."""
    clock, trial = Clock(house.home, library=library), Trial(house)
    account.note("the clock is put back by", clock.name)
    async with Models({"clock": well(slow)}) as models:
        house.owner.set_worker("main", model="clock", base_url=models.base_url)
        await house.serve(servers, environ=clock.environ)
        used, fresh = house.key(), house.key()
        used_at = time.monotonic()
        account.expect(
            "let in before, of a key used up", await trial.use_up(used, RATE_REQUESTS + 40), RATE_REQUESTS
        )
        half = await trial.use_up(fresh, RATE_REQUESTS // 2)
        # Some of these are on the server that is killed, which is the first.
        streams = [
            asyncio.create_task(trial.stream(place, must_be_heard=place % servers != 0))
            for place in range(2 * servers)
        ]
        await trial.queue(4 * servers)
        await trial.queue(3, conversation="one")
        await asyncio.sleep(min(slow / 3, 3))
        house.servers[0].kill()
        running = sum(each.status == "in_progress" for each in house.answers())
        account.note("answers that ran when a server was killed", running)
        clock.put(-back)
        put_at = time.monotonic()
        house.servers[0].start()
        await house.servers[0].ready()
        again, rest = await trial.use_up(used, 16), await trial.use_up(fresh, RATE_REQUESTS)
        if time.monotonic() - used_at < RATE_WINDOW_SECONDS - 5:
            account.expect("let in at once after, of a key used up", again, 0)
            account.expect("let in before and after, of a key half used up", half + rest, RATE_REQUESTS)
        await asyncio.gather(*streams)
        answers = await settled(house, LEASES_SECONDS + 3 * slow)
        took = time.monotonic() - put_at
        for status, count in sorted(Counter(each.status for each in answers).items()):
            account.note(f"  {status}", count)
        account.note("seconds until all were over", f"{took:.0f}")
        account.expect("answers that are not over", sum(not each.is_over for each in answers), 0)
        account.expect("replies that are not right", len(trial.wrong), 0)
        book = {each.answer_id for each in answers}
        account.expect("answers acknowledged and not in the book", len(set(trial.acknowledged) - book), 0)
        account.note("questions put to the model", len(models.asked))
        account.expect("  put to it more than once", sum(times > 1 for times in models.asked.values()), 0)
        failed = sum(each.status == "failed" for each in answers)
        account.most("answers that failed, at most those on the server killed", failed, 2 + 4)
        account.expect("Idempotency-Keys with more than one answer", repeated_keys(answers), 0)
        talks = [(each.input, each.conversation_id) for each in answers if each.conversation_id]
        account.expect("second runs in a conversation that had one", models.two_at_once(talks), 0)
        if windows:
            await asyncio.sleep(max(0.0, max(used_at, put_at) + RATE_WINDOW_SECONDS + 5 - time.monotonic()))
            account.expect("let in a window later, of the key used up", await trial.use_up(used, 16), 16)
    for wrong in trial.wrong[:10]:
        print(wrong, file=sys.stderr)


def main() -> int:
    parser = options(__doc__)
    parser.add_argument("--hours", type=float, default=1, help="how far it is put back (default 1)")
    given = parser.parse_args()
    account = Account()
    with house(given.store) as made:
        to_its_end(run(made, account, back=given.hours * 3600, servers=given.servers))
    return account.settle()


if __name__ == "__main__":
    sys.exit(main())
