"""A day's life in a few minutes: what servers hold in memory, files and threads must not grow with what they have done.

    python -m benchmarks.life                           ten minutes
    python -m benchmarks.life --minutes 1               a look; a minute is too short to tell a leak from a warm cache

Streams are opened and dropped, answers asked and waited for, keys made and revoked, facts taught, superseded and
forgotten, MCP sessions opened and closed, connections left in the middle of a request. Figures of every server are
read once a second, and the first quarter of the time, once it is warm, is held against the last.
"""

import asyncio
import random
import statistics
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Final

from benchmarks.houses import (
    Account,
    Address,
    Figures,
    House,
    can_be_measured,
    house,
    options,
    settled,
    to_its_end,
)
from benchmarks.models import Models, answer_to, well
from benchmarks.visiting import LostError, Reply, Streamed, Visitor
from brainctl.engine.owner import Owner, open_owner
from brainctl.engine.store.owned import Choice

LIVERS: Final = 12
KEYS: Final = 40
THINGS: Final = [
    "tea",
    "coffee",
    "sugar",
    "flour",
    "rice",
    "bean",
    "honey",
    "salt",
    "pepper",
    "oil",
    "butter",
    "milk",
    "cheese",
    "apple",
    "lemon",
    "onion",
    "garlic",
    "soap",
    "towel",
    "candle",
    "glass",
    "plate",
    "spoon",
    "napkin",
    "paper",
    "pencil",
    "folder",
    "stamp",
    "bulb",
    "battery",
    "cable",
    "screw",
    "hammer",
    "ladder",
    "bucket",
    "broom",
]
"""Of each of these, one fact is true at a time."""
WARM_SHARE: Final = 0.1
MEMORY_MOST: Final = 0.10
"""By which share of the first quarter memory may have grown in the last: the books grow, and their cache with them."""
FILES_MOST: Final = 6.0
THREADS_MOST: Final = 3.0
"""By how many these may differ in the median: some are in use at any moment."""
WARM_FACTS: Final = 2400
"""More than the texts whose wording a server keeps in memory."""
SETTLED_SECONDS: Final = 60.0


class Life:
    """What goes on in a house."""

    def __init__(self, house: House, seed: int) -> None:
        self.house = house
        self.chance = random.Random(seed)
        self.counts: Counter[str] = Counter()
        self.wrong: list[str] = []
        self._keys = [house.key() for _ in range(KEYS)]
        self._turn = 0
        self._numbers = 0

    def key(self) -> str:
        self._turn += 1
        return self._keys[self._turn % KEYS]

    def number(self) -> int:
        self._numbers += 1
        return self._numbers

    def saw(self, what: str, reply: Reply | Streamed, *codes: str) -> bool:
        code = reply.code if isinstance(reply, Reply) else "ok"
        self.counts[what] += 1
        if code not in ("ok", "rate_limited", *codes):
            self.wrong.append(f"{what}: {reply}"[:300])
        return code == "ok"


Deed = Callable[[Life, Visitor], Awaitable[None]]


async def drop_a_stream(life: Life, visitor: Visitor) -> None:
    question = f"What of {life.house.mark} number {life.number()}?"
    enough = life.chance.choice(["answer.created", "answer.delta"])
    heard = await visitor.stream(life.key(), {"input": question}, is_enough=lambda name: name == enough)
    life.saw("streams dropped", heard)


async def hear_a_stream(life: Life, visitor: Visitor) -> None:
    question = f"What of {life.house.mark} number {life.number()}?"
    heard = await visitor.stream(life.key(), {"input": question, "conversation_id": f"c{life.number()}"})
    life.saw("streams heard", heard)
    if isinstance(heard, Streamed) and heard.spoken != answer_to(question):
        life.wrong.append(f"another answer than that to {question}")


async def queue_and_wait(life: Life, visitor: Visitor) -> None:
    question, key = f"What of {life.house.mark} number {life.number()}?", life.key()
    reply = await visitor.ask(
        "POST", "/v1/answers", key, {"input": question, "stream": False}, {"Idempotency-Key": question}
    )
    if not life.saw("questions queued", reply):
        return
    for _ in range(20):
        await asyncio.sleep(0.5)
        read = await visitor.ask("GET", f"/v1/answers/{reply.data['answer_id']}", key)
        if not life.saw("waits", read) or read.data["status"] in ("completed", "failed"):
            return


async def change_a_fact(life: Life, visitor: Visitor) -> None:
    """Say of one of the things something that replaces what was said of it before."""
    text = f"From now on the {life.chance.choice(THINGS)} shelf holds {life.number()} boxes."
    reply = await visitor.ask("POST", "/v1/memory/facts", life.key(), {"facts": [{"text": text}]})
    if life.saw("facts taught", reply):
        life.counts["  of them superseding"] += reply.data["superseded"]


async def look(life: Life, visitor: Visitor) -> None:
    query = {"query": f"How many boxes does the {life.chance.choice(THINGS)} shelf hold?"}
    life.saw("searches", await visitor.ask("POST", "/v1/memory/search", life.key(), query))
    life.saw("packets", await visitor.ask("POST", "/v1/memory/context", life.key(), query))


async def open_a_session(life: Life, visitor: Visitor) -> None:
    """What an agent's client does from its start to its end, over a connection of its own."""
    own = Visitor(life.house.addresses, life.number())
    key = life.key()
    hello = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "life", "version": "1"},
    }
    for message in (
        {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 1, "method": "tools/list"},
    ):
        await own.ask("POST", "/v1/mcp", key, message)
    life.saw("MCP sessions", await own.tool(key, "search_memory", {"query": "boxes"}))
    question = f"What of {life.house.mark} number {life.number()}?"
    life.saw(
        "MCP asks",
        await own.tool(key, "ask_worker", {"input": question, "timeout_seconds": life.chance.randrange(3)}),
    )
    own.close()


async def leave_in_the_middle(life: Life, visitor: Visitor) -> None:
    """Open a connection, send half of a request, and go."""
    address = life.chance.choice(life.house.addresses)
    _, writer = await asyncio.open_connection(*address)
    writer.write(b"POST /v1/memory/search HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n")
    if life.chance.random() < 0.7:
        writer.write(f"Authorization: Bearer {life.key()}\r\n\r\n{{".encode())
    with suppress(OSError):
        await writer.drain()
        await asyncio.sleep(0.05)
    writer.transport.abort()
    life.counts["requests left in the middle"] += 1


DEEDS: Final[Sequence[tuple[Deed, int]]] = (
    (drop_a_stream, 4),
    (hear_a_stream, 2),
    (queue_and_wait, 3),
    (change_a_fact, 5),
    (look, 6),
    (open_a_session, 2),
    (leave_in_the_middle, 2),
)


async def live(life: Life, place: int, over: float) -> None:
    visitor = Visitor(life.house.addresses, place)
    kinds, weights = zip(*DEEDS, strict=True)
    while time.monotonic() < over:
        [deed] = life.chance.choices(kinds, weights)
        try:
            await deed(life, visitor)
        except (LostError, OSError) as lost:
            life.wrong.append(f"{deed.__name__}: {lost}")
        await asyncio.sleep(0.02)
        visitor.move_on()
    visitor.close()


async def own(life: Life, over: float) -> None:
    """What an owner does: make keys and revoke them, and forget what was replaced long ago."""
    visitor = Visitor(life.house.addresses)
    owner = life.house.owner
    while time.monotonic() < over:
        secret = life.house.key()
        life.saw("keys made", await visitor.tool(secret, "whoami", {}))
        if _is_one(owner, secret[:12]):
            owner.revoke_key(secret[:12])
        refused = await visitor.ask("POST", "/v1/memory/search", secret, {"query": "boxes"})
        life.saw("keys revoked", refused, "api_key_revoked")
        life.counts["facts forgotten"] += await asyncio.to_thread(_forget, life.house.store)
        await asyncio.sleep(1)
    visitor.close()


def _is_one(owner: Owner, prefix: str) -> bool:
    return sum(key.prefix == prefix for key in owner.keys()) == 1


def _forget(store: str) -> int:
    """Forget a few facts that were replaced, the oldest of the newest; how many."""
    # A store belongs to one thread.
    with open_owner(store) as owner:
        old = [fact.fact_id for fact in owner.facts(Choice(past=True), 60)[40:50]]
        return len(owner.forget(old).named) if old else 0


async def warm(life: Life, address: Address) -> None:
    """Teach a server so much that whatever it keeps of texts, which has a bound, is as large as it gets."""
    visitor = Visitor([address])
    keys = [life.house.key() for _ in range(WARM_FACTS // 20 // 100 + 1)]
    for turn in range(WARM_FACTS // 20):
        texts = [f"The {life.chance.choice(THINGS)} box {life.number()} is in the cellar." for _ in range(20)]
        body = {"facts": [{"text": text} for text in texts]}
        reply = await visitor.ask("POST", "/v1/memory/facts", keys[turn // 100], body)
        life.saw("facts taught to begin with, calls", reply)
    visitor.close()


async def watch(house: House, over: float) -> list[list[Figures]]:
    """The figures of every server, once a second."""
    seen: list[list[Figures]] = [[] for _ in house.servers]
    while time.monotonic() < over:
        for place, server in enumerate(house.servers):
            seen[place].append(server.figures())
        await asyncio.sleep(min(1.0, max(over - time.monotonic(), 0.01)))
    return seen


async def run(
    house: House,
    account: Account,
    *,
    minutes: float,
    servers: int = 4,
    seed: int = 7,
    most: float = MEMORY_MOST,
    warmed: bool = True,
) -> None:
    """Let a house live, and hold what its servers take in the end against what they took."""
    life = Life(house, seed)
    async with Models({"life": well(0.3)}) as models:
        house.owner.set_worker("main", model="life", base_url=models.base_url)
        await house.serve(servers)
        if warmed:
            await asyncio.gather(*(warm(life, address) for address in house.addresses))
        over = time.monotonic() + 60 * minutes
        watching = asyncio.create_task(watch(house, over))
        await asyncio.gather(own(life, over), *(live(life, place, over) for place in range(LIVERS)))
        seen = await watching
        answers = await settled(house, SETTLED_SECONDS)
        for what, counted in life.counts.items():
            account.note(what, counted)
        account.expect("replies that are neither right nor a documented error", len(life.wrong), 0)
        account.expect("answers that are not over", sum(not each.is_over for each in answers), 0)
        account.expect("answers that failed", sum(each.status == "failed" for each in answers), 0)
        account.expect(
            "questions put to the model more than once", sum(times > 1 for times in models.asked.values()), 0
        )
        for place, figures in enumerate(seen):
            tell(account, place, figures, most)
    for wrong in life.wrong[:10]:
        print(wrong, file=sys.stderr)


def tell(account: Account, place: int, figures: Sequence[Figures], most: float) -> None:
    """Hold a server's first quarter, once warm, against its last."""
    warm = figures[int(WARM_SHARE * len(figures)) :]
    first, last = warm[: max(len(warm) // 4, 1)], warm[-max(len(warm) // 4, 1) :]

    def medians(of: Callable[[Figures], float]) -> tuple[float, float]:
        return statistics.median(map(of, first)), statistics.median(map(of, last))

    before, after = medians(lambda each: each.memory)
    account.note(f"server {place}: memory, first and last quarter, MB", f"{before:.1f}, {after:.1f}")
    account.most(f"server {place}: memory grown by", 100 * (after / before - 1), 100 * most, " %")
    for name, bound, (before, after) in (
        ("files", FILES_MOST, medians(lambda each: each.files)),
        ("threads", THREADS_MOST, medians(lambda each: each.threads)),
    ):
        account.note(f"server {place}: {name}, first and last quarter", f"{before:.0f}, {after:.0f}")
        account.most(f"server {place}: {name} grown by", after - before, bound)


def main() -> int:
    parser = options(__doc__)
    parser.add_argument("--minutes", type=float, default=10, help="how long (default 10)")
    parser.add_argument("--seed", type=int, default=7)
    given = parser.parse_args()
    if not can_be_measured():
        parser.error("memory, files and threads are read from /proc, which is not here")
    account = Account()
    with house(given.store) as made:
        to_its_end(run(made, account, minutes=given.minutes, servers=given.servers, seed=given.seed))
    return account.settle()


if __name__ == "__main__":
    sys.exit(main())
