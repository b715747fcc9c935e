"""Servers killed while everybody asks, teaches and waits: whether anything acknowledged is lost, and anything run twice.

    python -m benchmarks.chaos                          a minute of kills, about two minutes in all
    python -m benchmarks.chaos --seconds 10             a look
    python -m benchmarks.chaos --store postgresql://brain@localhost/chaos \\
        --restart-command "sudo systemctl restart postgresql"

Every two seconds a server is killed with SIGKILL and started again, and the database, where there is one, is restarted
at a third and at two thirds of the time. Clients ask (streamed and queued, some in conversations), teach, search and
wait, and go to another server when theirs is gone; what they queue they send again, under its Idempotency-Key, until
it is acknowledged. The model counts how often it is asked each question. In the end everything must come to an end.
"""

import asyncio
import random
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from itertools import count
from typing import Any, Final

from benchmarks.houses import (
    Account,
    House,
    house,
    options,
    repeated_keys,
    restart,
    settled,
    to_its_end,
    two_at_once,
)
from benchmarks.models import Models, answer_to, well
from benchmarks.visiting import LostError, Reply, Streamed, Visitor

ASKERS: Final = 10
"""Of each kind: those who stream, those who queue, those who teach, those who search."""
KEYS: Final = 6
"""Keys that each of them uses in turns, so that no window is full."""
KILL_EVERY_SECONDS: Final = 2.0
SLOW_SECONDS: Final = 0.4
REST_SECONDS: Final = 0.3
SETTLED_SECONDS: Final = 90.0
"""A run that was killed ends once its lease has, half a minute later."""


class Storm:
    """Who asks what while servers die, and what they were told."""

    def __init__(self, house: House, seed: int) -> None:
        self.house = house
        self.chance = random.Random(seed)
        self.is_over = False
        self.counts: Counter[str] = Counter()
        self.codes: Counter[str] = Counter()
        self.wrong: list[str] = []
        self.taught: list[str] = []
        self.acknowledged: dict[str, str] = {}
        self.completed: dict[str, str] = {}
        self.numbers = count(1)

    def question(self) -> str:
        """One that nobody has asked before."""
        return f"What of {self.house.mark} number {next(self.numbers)}?"

    def saw(self, verb: str, reply: Reply, *codes: str) -> bool:
        """Note a reply; whether it is a success. A brain whose database is being restarted may say `internal_error`."""
        self.codes[reply.code] += 1
        if reply.code not in ("ok", "rate_limited", "internal_error", *codes):
            self.wrong.append(f"{verb}: {reply.code}, {str(reply.body)[:300]}")
        return reply.code == "ok"

    def ended(self, answer: Any, question: str) -> None:
        """Note an answer that a client was given as completed."""
        if answer["output_text"] != answer_to(question):
            self.wrong.append(f"another answer than that to {question}: {answer['output_text'][:200]}")
        self.completed[answer["answer_id"]] = question


class Client:
    """One who goes on until the storm is over, whatever happens."""

    def __init__(self, storm: Storm, place: int) -> None:
        self.storm = storm
        self.visitor = Visitor(storm.house.addresses, place)
        self._keys = [storm.house.key() for _ in range(KEYS)]
        self._turn = 0

    def key(self) -> str:
        self._turn += 1
        return self._keys[self._turn % KEYS]

    def conversation(self) -> dict[str, str]:
        """In half of the cases one of a few that all share."""
        place = self.storm.chance.randrange(16)
        return {"conversation_id": f"{self.storm.house.mark} {place}"} if place < 8 else {}

    async def go_on(self, act: "Act") -> None:
        while not self.storm.is_over:
            try:
                await act(self)
            except LostError:
                self.storm.counts["requests without a reply"] += 1
            await asyncio.sleep(REST_SECONDS)
        self.visitor.close()


Act = Callable[[Client], Awaitable[None]]


async def stream(client: Client) -> None:
    storm, question = client.storm, client.storm.question()
    heard = await client.visitor.stream(client.key(), {"input": question, **client.conversation()})
    if not isinstance(heard, Streamed):
        storm.saw("stream", heard, "conversation_busy")
        return
    assert heard.answer_id is not None
    storm.acknowledged[heard.answer_id] = question
    if not heard.is_whole:
        storm.counts["streams cut off"] += 1
        return
    storm.codes["ok"] += 1
    name, told = heard.events[-2]
    storm.counts[f"streams heard to {name}"] += 1
    if name == "answer.completed":
        storm.ended(told, question)


async def queue(client: Client) -> None:
    storm, question, key = client.storm, client.storm.question(), client.key()
    body = {"input": question, "stream": False, **client.conversation()}
    name = {"Idempotency-Key": question}
    while True:
        try:
            reply = await client.visitor.ask("POST", "/v1/answers", key, body, name)
        except LostError:
            storm.counts["queued again under its key"] += 1
            await asyncio.sleep(REST_SECONDS)
            if storm.is_over:
                return
            continue
        if storm.saw("queue", reply, "conversation_busy"):
            break
        if reply.code != "internal_error" or storm.is_over:
            return
        await asyncio.sleep(REST_SECONDS)
    first = reply.data["answer_id"]
    storm.acknowledged[first] = question
    await wait(client, key, first, question)


async def wait(client: Client, key: str, answer_id: str, question: str) -> None:
    """Read an answer until it is over, or the storm is."""
    while not client.storm.is_over:
        await asyncio.sleep(2 * REST_SECONDS)
        try:
            reply = await client.visitor.ask("GET", f"/v1/answers/{answer_id}", key)
        except LostError:
            client.storm.counts["requests without a reply"] += 1
            continue
        if client.storm.saw("wait", reply) and reply.data["status"] == "completed":
            client.storm.ended(reply.data, question)
            return
        if reply.code == "ok" and reply.data["status"] == "failed":
            return


async def teach(client: Client) -> None:
    storm = client.storm
    texts = [
        f"Shelf {storm.house.mark}x{next(storm.numbers)} holds tea."
        for _ in range(storm.chance.randint(1, 5))
    ]
    reply = await client.visitor.ask(
        "POST", "/v1/memory/facts", client.key(), {"facts": [{"text": text} for text in texts]}
    )
    if storm.saw("teach", reply):
        storm.taught += texts


async def search(client: Client) -> None:
    reply = await client.visitor.ask(
        "POST", "/v1/memory/search", client.key(), {"query": "Which shelf holds tea?"}
    )
    client.storm.saw("search", reply)


async def kill(storm: Storm, seconds: float, every: float) -> None:
    """Kill a server from time to time: it is started again, over and over where its database is away."""
    keeping = [asyncio.create_task(server.keep()) for server in storm.house.servers]
    over = time.monotonic() + seconds
    while time.monotonic() < over:
        await asyncio.sleep(every)
        server = storm.chance.choice(storm.house.servers)
        server.kill()
        storm.counts["servers killed"] += 1
    for server in storm.house.servers:
        await server.ready()
    for each in keeping:
        each.cancel()


async def restart_database(storm: Storm, seconds: float, command: str | None) -> None:
    for _ in range(2 if command else 0):
        await asyncio.sleep(seconds / 3)
        await asyncio.to_thread(restart, command or "")
        storm.counts["database restarted"] += 1


async def run(
    house: House,
    account: Account,
    *,
    seconds: float,
    every: float = KILL_EVERY_SECONDS,
    servers: int = 4,
    askers: int = ASKERS,
    restart_command: str | None = None,
    seed: int = 7,
) -> None:
    """Let a storm pass over a house, and hold what is left against what is promised."""
    storm = Storm(house, seed)
    async with Models({"storm": well(SLOW_SECONDS)}) as models:
        house.owner.set_worker("main", model="storm", base_url=models.base_url)
        await house.serve(servers)
        clients = [
            (Client(storm, place), act) for act in (stream, queue, teach, search) for place in range(askers)
        ]
        going = [asyncio.create_task(client.go_on(act)) for client, act in clients]
        await asyncio.gather(kill(storm, seconds, every), restart_database(storm, seconds, restart_command))
        storm.is_over = True
        await asyncio.gather(*going)
        calm = time.monotonic()
        answers = await settled(house, SETTLED_SECONDS)
        await tell(storm, account, models, answers, time.monotonic() - calm)


async def tell(storm: Storm, account: Account, models: Models, answers: Sequence[Any], calm: float) -> None:
    """Count what the storm has left."""
    for what, counted in sorted(storm.counts.items()):
        account.note(what, counted)
    for code, counted in storm.codes.most_common():
        account.note(f"  replies: {code}", counted)
    account.expect("replies that are neither right nor a documented error", len(storm.wrong), 0)
    account.note("facts acknowledged", len(storm.taught))
    account.expect("facts acknowledged and not in the brain", len(set(storm.taught) - storm.house.texts()), 0)
    account.note("answers acknowledged", len(storm.acknowledged))
    account.note("answers in the book", len(answers))
    for status, counted in sorted(Counter(each.status for each in answers).items()):
        account.note(f"  {status}", counted)
    account.note("seconds until all were over", f"{calm:.1f}")
    account.expect("answers that are not over", sum(not each.is_over for each in answers), 0)
    account.expect("answers acknowledged that cannot be read, over and as asked", await unread(storm), 0)
    book = {each.answer_id: each.status for each in answers}
    account.expect(
        "answers given as completed that are not",
        sum(book.get(each) != "completed" for each in storm.completed),
        0,
    )
    # Those that an earlier run left in the queue of a store are none of this one's.
    asked = {each: times for each, times in models.asked.items() if storm.house.mark in each}
    account.note("questions put to the model", len(asked))
    account.expect("  put to it more than once", sum(times > 1 for times in asked.values()), 0)
    account.expect("  put to it and not in the book", len(set(asked) - {each.input for each in answers}), 0)
    completed = [each.input for each in answers if each.status == "completed"]
    account.expect(
        "  answered without having been put to it", sum(not models.asked[each] for each in completed), 0
    )
    account.expect(
        "questions with more than one answer", len(answers) - len({each.input for each in answers}), 0
    )
    account.expect("Idempotency-Keys with more than one answer", repeated_keys(answers), 0)
    account.expect(
        "second runs in a conversation that had one, by the book", two_at_once(answers, storm.house.store), 0
    )
    talks = [(each.input, (each.audience, each.conversation_id)) for each in answers if each.conversation_id]
    account.expect("second runs in a conversation that had one, by its model", models.two_at_once(talks), 0)
    for wrong in storm.wrong[:20]:
        print(wrong, file=sys.stderr)


async def unread(storm: Storm) -> int:
    """How many acknowledged answers some server does not give, over and as asked."""
    count = 0
    keys = [storm.house.key() for _ in range(len(storm.acknowledged) // 100 + 1)]
    visitors = [Visitor([address]) for address in storm.house.addresses]
    for place, (answer_id, question) in enumerate(storm.acknowledged.items()):
        # Each server in turns: asking all of all of them would take as long as the storm.
        visitor = visitors[place % len(visitors)]
        reply = await visitor.ask("GET", f"/v1/answers/{answer_id}", keys[place // 100])
        status = reply.data["status"] if reply.code == "ok" else reply.code
        text = reply.data["output_text"] if reply.code == "ok" else ""
        count += (status, text) not in {("completed", answer_to(question)), ("failed", "")}
    for visitor in visitors:
        visitor.close()
    return count


def main() -> int:
    parser = options(__doc__)
    parser.add_argument("--seconds", type=float, default=60, help="how long servers are killed (default 60)")
    parser.add_argument(
        "--every", type=float, default=KILL_EVERY_SECONDS, help="seconds between kills (default 2)"
    )
    parser.add_argument("--restart-command", metavar="COMMAND", help="restarts the database of the store")
    parser.add_argument("--seed", type=int, default=7)
    given = parser.parse_args()
    account = Account()
    with house(given.store) as made:
        to_its_end(
            run(
                made,
                account,
                seconds=given.seconds,
                every=given.every,
                servers=given.servers,
                restart_command=given.restart_command,
                seed=given.seed,
            )
        )
    return account.settle()


if __name__ == "__main__":
    sys.exit(main())
