"""Models that stall, flood, send nonsense or die: what becomes of their answers, of the server, and of everybody else.

    python -m benchmarks.provider                       every habit, three minutes
    python -m benchmarks.provider --only floods "sends 10 MB" --at-once 20

Each bad habit is a worker of its own, asked by streams and through the queue at once. Beside them a good model is asked
and searches are made, before and meanwhile; the server's memory is read all the while.
"""

import asyncio
import gzip
import logging
import statistics
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final, NamedTuple

from benchmarks.houses import (
    Account,
    House,
    can_be_measured,
    house,
    options,
    settled,
    to_its_end,
)
from benchmarks.models import DONE, HEAD, Habit, Models, answer_to, end, piece, well
from benchmarks.visiting import LostError, Streamed, Visitor
from brainctl.engine.answers.runs import Pace
from brainctl.engine.worker.chat import SILENCE_SECONDS

GOOD_SECONDS: Final = 0.2
GRACE_SECONDS: Final = 12.0
"""How much later than it must an answer may end here: a beat, and a machine with other work."""
MEMORY_MOST: Final = 300.0
"""Megabytes by which a server may grow while it is flooded from all sides."""
SLOWER_MOST: Final = 5.0
"""How much slower, in the median, others may be served meanwhile. Two cores do all of it here, the floods included."""
BEFORE_SECONDS: Final = 8.0


class Bad(NamedTuple):
    """A habit, and the seconds within which its answer must have ended."""

    habit: Habit
    seconds: float
    status: str = "failed"


async def stall(writer: asyncio.StreamWriter, question: str) -> None:
    await asyncio.Event().wait()


async def stall_after_a_word(writer: asyncio.StreamWriter, question: str) -> None:
    writer.write(HEAD + piece("Well,"))
    await asyncio.Event().wait()


async def drip(writer: asyncio.StreamWriter, question: str) -> None:
    """A byte a second, of one event that never ends."""
    writer.write(HEAD + b"data: ")
    while True:
        writer.write(b" ")
        await writer.drain()
        await asyncio.sleep(1)


async def pings(writer: asyncio.StreamWriter, question: str) -> None:
    writer.write(HEAD)
    while True:
        writer.write(b": still there\n\n")
        await writer.drain()
        await asyncio.sleep(1)


async def flood(writer: asyncio.StreamWriter, question: str) -> None:
    writer.write(HEAD)
    while True:
        writer.write(piece("and on ") * 50)
        await writer.drain()


async def flood_of_letters(writer: asyncio.StreamWriter, question: str) -> None:
    writer.write(HEAD)
    while True:
        writer.write(b'data:{"choices":[{"delta":{"content":"a"}}]}\n' * 200)
        await writer.drain()


async def flood_of_calls(writer: asyncio.StreamWriter, question: str) -> None:
    writer.write(HEAD)
    index = 0
    while True:
        for _ in range(100):
            index += 1
            call = {
                "index": index,
                "id": f"c{index}",
                "function": {"name": "search_memory", "arguments": '{"query": "a"}'},
            }
            writer.write(piece("", tool_calls=[call]))
        await writer.drain()


async def many_calls(writer: asyncio.StreamWriter, question: str) -> None:
    """Ten thousand things to look up, and an end."""
    calls = [
        {
            "index": index,
            "id": f"c{index}",
            "function": {"name": "search_memory", "arguments": '{"query": "tea"}'},
        }
        for index in range(10_000)
    ]
    writer.write(HEAD)
    for call in calls:
        writer.write(piece("", tool_calls=[call]))
        await writer.drain()
    writer.write(end())


async def long_arguments(writer: asyncio.StreamWriter, question: str) -> None:
    """The arguments of one call, a letter at a time."""
    writer.write(HEAD)
    part = b'data:{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"a"}}]}}]}\n'
    while True:
        writer.write(part * 200)
        await writer.drain()


async def ten_megabytes(writer: asyncio.StreamWriter, question: str) -> None:
    writer.write(HEAD + piece("a" * 10 * 1024 * 1024) + end())
    await writer.drain()


async def long_line_in_crumbs(writer: asyncio.StreamWriter, question: str) -> None:
    """One event of a megabyte and more, in pieces as small as packets are."""
    writer.write(HEAD + b"data: ")
    for _ in range(20_000):
        writer.write(b"a" * 100)
        await writer.drain()
        await asyncio.sleep(0)


@cache
def packed_megabytes() -> bytes:
    return gzip.compress(b"a" * (1 << 24))


async def bomb(writer: asyncio.StreamWriter, question: str) -> None:
    """A gigabyte, packed."""
    head = HEAD.replace(b"Connection", b"Content-Encoding: gzip\r\nConnection")
    writer.write(head + packed_megabytes() * 64)
    await writer.drain()


async def break_off(writer: asyncio.StreamWriter, question: str) -> None:
    writer.write(HEAD + piece("Half of"))
    await writer.drain()
    writer.transport.abort()


async def close(writer: asyncio.StreamWriter, question: str) -> None:
    writer.transport.abort()


async def nonsense(writer: asyncio.StreamWriter, question: str) -> None:
    writer.write(HEAD + b"data: {\xff\xfe nonsense\n\n" + DONE)


async def another_form(writer: asyncio.StreamWriter, question: str) -> None:
    writer.write(HEAD + b'data: {"choices": [{"delta": ["what"]}]}\n\n' + DONE)


def refusing(status: int) -> Habit:
    async def refuse(writer: asyncio.StreamWriter, question: str) -> None:
        body = b'{"error": {"message": "no"}}'
        writer.write(
            b"HTTP/1.1 %d No\r\nContent-Type: application/json\r\nRetry-After: 3600\r\nContent-Length: %d\r\n"
            b"Connection: close\r\n\r\n%b" % (status, len(body), body)
        )

    return refuse


SOON: Final = 30.0
"""Seconds for what must be found out at once, on a machine that is flooded from all sides."""
FLOOD: Final = Pace().run
"""Seconds for a flood, which is read in turns and slowly, so that others are served: it may take as long as a run."""
HABITS: Final[Mapping[str, Bad]] = {
    "stalls": Bad(stall, SILENCE_SECONDS),
    "stalls after a word": Bad(stall_after_a_word, SILENCE_SECONDS),
    "drips": Bad(drip, SILENCE_SECONDS),
    "pings": Bad(pings, SILENCE_SECONDS),
    "floods": Bad(flood, FLOOD),
    "floods letters": Bad(flood_of_letters, FLOOD),
    "floods calls": Bad(flood_of_calls, FLOOD),
    "calls 10,000 times": Bad(many_calls, SOON),
    "never ends a call": Bad(long_arguments, FLOOD),
    "sends 10 MB": Bad(ten_megabytes, SOON),
    "sends crumbs": Bad(long_line_in_crumbs, SOON),
    "sends a packed GB": Bad(bomb, SOON),
    "breaks off": Bad(break_off, SOON),
    "closes": Bad(close, SOON),
    "sends nonsense": Bad(nonsense, SOON),
    "sends another form": Bad(another_form, SOON),
    "answers 429": Bad(refusing(429), SOON),
    "answers 500": Bad(refusing(500), SOON),
}


def slug(name: str) -> str:
    return name.replace(" ", "-").replace(",", "")


class Ended(NamedTuple):
    """How an answer ended, and after how many seconds."""

    status: str
    seconds: float


class Bystander:
    """Somebody who searches, and asks a good model, again and again."""

    def __init__(self, house: House) -> None:
        self._house = house
        self._keys = [house.key() for _ in range(24)]
        self.wrong: list[str] = []

    async def go_on(self, seconds: float | None, until: asyncio.Event) -> dict[str, list[float]]:
        """Seconds that each kind of request took."""
        took: dict[str, list[float]] = defaultdict(list)
        visitor = Visitor(self._house.addresses)
        started = time.monotonic()
        turn = 0
        # Of each kind once at least, however slow the machine.
        while not took["ask"] or (
            not until.is_set() and (seconds is None or time.monotonic() - started < seconds)
        ):
            turn += 1
            key = self._keys[turn % len(self._keys)]
            reply = await visitor.ask("POST", "/v1/memory/search", key, {"query": "When is tea?"})
            took["search"].append(reply.heard - reply.sent)
            if reply.code != "ok" or not reply.data["facts"]:
                self.wrong.append(f"search: {reply.body}")
            if turn % 5 == 0:
                question = f"What of tea, {self._house.mark} {turn}?"
                heard = await visitor.stream(key, {"input": question, "agent_slug": "good"})
                took["ask"].append(heard.heard - heard.sent)
                if not isinstance(heard, Streamed) or heard.spoken != answer_to(question):
                    self.wrong.append(f"ask: {heard}")
            await asyncio.sleep(0.05)
            visitor.move_on()
        visitor.close()
        return took


async def streamed(house: House, name: str, bad: Bad, number: int) -> Ended:
    visitor = Visitor(house.addresses, number)
    question = f"{house.mark} streamed {number}: {name}?"
    try:
        heard = await visitor.stream(
            house.key(),
            {"input": question, "agent_slug": slug(name)},
            patience=bad.seconds + 5 * GRACE_SECONDS,
        )
    except LostError as lost:
        return Ended(str(lost), 0.0)
    visitor.close()
    if not isinstance(heard, Streamed) or not heard.is_whole:
        return Ended(f"not whole: {heard}"[:200], heard.heard - heard.sent)
    event, told = heard.events[-2]
    status = event.removeprefix("answer.")
    if status == "failed" and told["error"]["code"] != "run_failed":
        status = told["error"]["code"]
    return Ended(status, heard.heard - heard.sent)


async def queued(house: House, name: str, number: int) -> str:
    """Ask through the queue; returns the answer's id."""
    visitor = Visitor(house.addresses, number)
    question = f"{house.mark} queued {number}: {name}?"
    reply = await visitor.ask(
        "POST", "/v1/answers", house.key(), {"input": question, "agent_slug": slug(name), "stream": False}
    )
    visitor.close()
    return str(reply.data["answer_id"])


async def watch(house: House, until: asyncio.Event) -> float:
    """The most megabytes that the servers took."""
    most = 0.0
    while not until.is_set() and can_be_measured():
        most = max(most, *(server.figures().memory for server in house.servers))
        await asyncio.sleep(0.1)
    return most


async def run(
    house: House,
    account: Account,
    *,
    names: Sequence[str],
    at_once: int,
    servers: int = 1,
    before: float = BEFORE_SECONDS,
) -> None:
    """Let models of these habits loose on a house, and hold what comes of it against what is promised."""
    habits = {slug(name): HABITS[name].habit for name in names}
    # A transport that is written to after its end tells the log, and floods find that out late.
    logging.getLogger("asyncio").setLevel(logging.ERROR)
    async with Models({"good": well(GOOD_SECONDS), **habits}) as models:
        for model in ("good", *habits):
            house.owner.set_worker(model, model=model, base_url=models.base_url)
        house.owner.load_facts(
            [
                {
                    "text": "Tea is at four.",
                    "kind": "decision",
                    "origin": "user_stated",
                    "subject": "tea",
                    "confidence": 0.9,
                    "recorded_time": "2026-07-14T09:12:44.318Z",
                }
            ]
        )
        # As many workers as answers wait, since a queue behind a model that stalls is another matter.
        await house.serve(servers, "--workers", str(max(at_once * len(names), 4)))
        await _storm(house, account, names, at_once, before)
        account.note("questions put to the model", sum(models.asked.values()))
        account.expect(
            "  put to it more than once",
            sum(times > 1 for question, times in models.asked.items() if "queued" in question),
            0,
        )


async def _storm(
    house: House, account: Account, names: Sequence[str], at_once: int, quiet_seconds: float
) -> None:
    over = asyncio.Event()
    bystander = Bystander(house)
    before = await bystander.go_on(quiet_seconds, over)
    memory = max(server.figures().memory for server in house.servers)
    watching = asyncio.create_task(watch(house, over))
    standing = asyncio.create_task(bystander.go_on(None, over))
    for name in names:
        for number in range(at_once):
            await queued(house, name, number)
    ended = await asyncio.gather(
        *(streamed(house, name, HABITS[name], number) for name in names for number in range(at_once))
    )
    answers = await settled(house, max(HABITS[name].seconds for name in names) + GRACE_SECONDS)
    over.set()
    most, meanwhile = await watching, await standing
    await asyncio.sleep(2)
    by_name = defaultdict(list)
    for place, each in enumerate(ended):
        by_name[names[place // at_once]].append(each)
    for name in names:
        mine = [each for each in answers if each.input.endswith(f": {name}?")]
        statuses = Counter(each.status for each in mine) + Counter(each.status for each in by_name[name])
        account.expect(f"{name}: answers in the book", len(mine), 2 * at_once)
        wanted = HABITS[name].status
        account.expect(
            f"{name}: streams and answers that did not end so", sum(statuses.values()) - statuses[wanted], 0
        )
        longest = max(
            [each.seconds for each in by_name[name]]
            + [((each.finished or 0) - (each.started or 0)) / 1000 for each in mine]
        )
        account.most(f"{name}: ended after at most", longest, HABITS[name].seconds + GRACE_SECONDS, " s")
    account.expect("requests of others that went wrong", len(bystander.wrong), 0)
    for what in ("search", "ask"):
        quiet, loud = statistics.median(before[what]), statistics.median(meanwhile[what])
        account.note(f"others' {what}, median before, ms", f"{quiet * 1000:.1f}")
        account.note(
            f"others' {what}, median and longest meanwhile, ms",
            f"{loud * 1000:.1f}, {max(meanwhile[what]) * 1000:.0f}",
        )
        account.most(f"others' {what}, slower in the median by", loud / quiet, SLOWER_MOST, " x")
    if can_be_measured():
        after = max(server.figures().memory for server in house.servers)
        account.note("memory of a server before and after, MB", f"{memory:.0f}, {after:.0f}")
        account.most("memory of a server, grown at its peak by", most - memory, MEMORY_MOST, " MB")
        threads = max(server.figures().threads for server in house.servers)
        account.note("threads of a server after", threads)
    for wrong in bystander.wrong[:10]:
        print(wrong, file=sys.stderr)


def main() -> int:
    parser = options(__doc__)
    parser.set_defaults(servers=1)
    parser.add_argument(
        "--at-once", type=int, default=1, help="answers of each habit, streamed and queued each (default 1)"
    )
    parser.add_argument("--only", nargs="*", choices=HABITS, default=list(HABITS), metavar="HABIT")
    parser.add_argument("--without", nargs="*", choices=HABITS, default=[], metavar="HABIT")
    given = parser.parse_args()
    account = Account()
    names = [name for name in given.only if name not in given.without]
    with house(given.store) as made:
        to_its_end(run(made, account, names=names, at_once=given.at_once, servers=given.servers))
    return account.settle()


if __name__ == "__main__":
    sys.exit(main())
