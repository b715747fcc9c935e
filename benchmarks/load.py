"""Many requests at once to several servers on one store: whether every reply is right, and every promise kept.

    python -m benchmarks.load                                      20,000 requests, about three minutes
    python -m benchmarks.load --requests 2000 --seconds 0          a look, half a minute
    python -m benchmarks.load --store postgresql://brain@localhost/load

All verbs are asked for, over REST and over MCP, by many keys, some of them external; now and then something is asked
for that must be refused. A few keys are hammered from all sides for two windows. Of each request it is known when it
was sent and when its reply was heard, so that what is said of the windows holds whenever in between it was counted.
"""

import asyncio
import random
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final, NamedTuple

from benchmarks.houses import (
    Account,
    House,
    house,
    options,
    raise_file_limit,
    repeated_keys,
    settled,
    to_its_end,
    two_at_once,
)
from benchmarks.models import Models, answer_to, well
from benchmarks.visiting import LostError, Reply, Streamed, Visitor
from brainctl.contract.bounds import RATE_REQUESTS, RATE_WINDOW_SECONDS

HALLS: Final = 400
CREDITS: Final = 1_000_000
VISITORS: Final = 64
HAMMERS: Final = 16
"""Connections that hammer one key."""
MARGIN_SECONDS: Final = 0.02
"""How far the clock that windows are counted by may run from the one that requests are timed by."""
SLOW_SECONDS: Final = 0.15
STEP_REQUESTS: Final = 1.28
"""How many requests a step takes, about: what is queued is asked after."""
SETTLED_SECONDS: Final = 120.0

_UNCOUNTED: Final = {"api_key_invalid", "api_key_revoked", "api_key_expired", "method_not_allowed"}


class Hall(NamedTuple):
    """What the brain knows, and can be asked."""

    name: str
    guests: int

    @property
    def text(self) -> str:
        return f"The {self.name} hall seats {self.guests} guests."

    @property
    def secret(self) -> str:
        return f"The {self.name} hall lost its licence for {self.guests} days."

    @property
    def question(self) -> str:
        return f"How many guests does the {self.name} hall seat?"


class Key(NamedTuple):
    secret: str
    audience: str


class Request(NamedTuple):
    """When a request was sent and its reply heard, and whether the window let it in."""

    sent: float
    heard: float
    is_in: bool


class Known(NamedTuple):
    """An answer that was accepted: who asked, and what must be said."""

    answer_id: str
    audience: str
    says: str


class Load:
    """Everything that is asked, and what came of it."""

    def __init__(self, house: House, seed: int, keys: int) -> None:
        self.house = house
        self.chance = random.Random(seed)
        self.codes: Counter[str] = Counter()
        self.verbs: Counter[str] = Counter()
        self.seconds: defaultdict[str, list[float]] = defaultdict(list)
        self.wrong: list[str] = []
        self.requests: defaultdict[str, list[Request]] = defaultdict(list)
        self.taught: list[str] = []
        self.known: list[Known] = []
        self.halls = [
            Hall(f"{_name(self.chance)}{house.mark}", self.chance.randrange(20, 900)) for _ in range(HALLS)
        ]
        self.keys = [Key(house.key(each), each) for each in _audiences(keys)]
        self._turn = 0
        self._numbers = 0
        house.owner.load_facts([fact for hall in self.halls for fact in _facts(hall)])
        house.owner.set_credits(CREDITS)
        self.revoked = house.key()
        house.owner.revoke_key(f"{house.mark} {keys + 1}")
        self.reader = house.key("internal", ["memory.read"])

    def key(self, audience: str | None = None) -> Key:
        """The keys in turns."""
        while True:
            self._turn += 1
            key = self.keys[self._turn % len(self.keys)]
            if audience in (None, key.audience):
                return key

    def number(self) -> int:
        self._numbers += 1
        return self._numbers

    def conversation(self) -> str:
        return f"{self.house.mark} {self.chance.randrange(12)}"

    def saw(
        self, verb: str, secret: str | None, reply: Reply | Streamed, *codes: str, right: bool = True
    ) -> bool:
        """Note what came; whether it was a success. Only these codes are in order, and 429."""
        code = reply.code if isinstance(reply, Reply) else "ok"
        self.codes[code] += 1
        self.verbs[verb] += 1
        self.seconds[verb].append(reply.heard - reply.sent)
        if secret is not None and code not in _UNCOUNTED:
            self.requests[secret].append(Request(reply.sent, reply.heard, code != "rate_limited"))
        if code == "rate_limited":
            assert isinstance(reply, Reply)
            error = reply.body["error"]
            told = error["details"]["retry_after_seconds"] if isinstance(error, dict) else 60
            right = (reply.status, told, reply.headers.get("retry-after")) == (429, 60, "60")
            codes = (code,)
        if code not in (codes or ("ok",)) or not right:
            said = reply.body if isinstance(reply, Reply) else reply.events
            self.wrong.append(f"{verb}: {code}, {str(said)[:300]}")
        return code == "ok"


Step = Callable[[Load, Visitor], Awaitable[None]]


async def search(load: Load, visitor: Visitor) -> None:
    key, hall = load.key(), load.chance.choice(load.halls)
    reply = await visitor.ask("POST", "/v1/memory/search", key.secret, {"query": hall.question, "limit": 5})
    load.saw("search", key.secret, reply, right=_shows(reply, key, hall))


async def search_over_mcp(load: Load, visitor: Visitor) -> None:
    key, hall = load.key(), load.chance.choice(load.halls)
    reply = await visitor.tool(key.secret, "search_memory", {"query": hall.question, "limit": 5})
    load.saw("search over MCP", key.secret, reply, right=_shows(reply, key, hall))


def _shows(reply: Reply, key: Key, hall: Hall) -> bool:
    if reply.code != "ok":
        return True
    texts = [fact["fact_text"] for fact in reply.data["facts"]]
    hidden = key.audience == "external" and any("licence" in text for text in texts)
    return texts.count(hall.text) == 1 and not hidden


async def context(load: Load, visitor: Visitor) -> None:
    key, hall = load.key(), load.chance.choice(load.halls)
    reply = await visitor.ask("POST", "/v1/memory/context", key.secret, {"query": hall.question})
    is_right = reply.code != "ok" or (_shows(reply, key, hall) and hall.text in reply.data["rendered"])
    load.saw("context", key.secret, reply, right=is_right)


async def teach(load: Load, visitor: Visitor) -> None:
    key = load.key("internal")
    name = f"{_name(load.chance)}{load.house.mark}n{load.number()}"
    text = f"The {name} terrace opens at {load.chance.randrange(6, 12)}."
    for wanted in (("created", 1), ("skipped", 1)):
        reply = await visitor.ask("POST", "/v1/memory/facts", key.secret, {"facts": [{"text": text}]})
        is_right = reply.code != "ok" or reply.data[wanted[0]] == wanted[1]
        if load.saw("teach", key.secret, reply, right=is_right):
            load.taught.append(text)
        visitor.move_on()


async def ask(load: Load, visitor: Visitor) -> None:
    key, hall = load.key(), load.chance.choice(load.halls)
    streamed = await visitor.stream(key.secret, {"input": hall.question, "include": ["sources"]})
    _heard(load, key, streamed, hall.text, "ask")


async def ask_in_conversation(load: Load, visitor: Visitor) -> None:
    key = load.key()
    question = f"What of {load.house.mark} number {load.number()}?"
    body = {"input": question, "conversation_id": load.conversation(), "agent_slug": "slow"}
    streamed = await visitor.stream(key.secret, body)
    _heard(load, key, streamed, answer_to(question), "ask in a conversation", "ok", "conversation_busy")


def _heard(load: Load, key: Key, streamed: Reply | Streamed, says: str, verb: str, *codes: str) -> None:
    is_right = True
    if isinstance(streamed, Streamed):
        name, data = streamed.events[-2] if len(streamed.events) > 2 else ("nothing", {})
        is_right = (
            streamed.is_whole
            and streamed.names[0] == "answer.created"
            and name == "answer.completed"
            and data["output_text"] == streamed.spoken
            and says in data["output_text"]
        )
        if streamed.answer_id is not None:
            load.known.append(Known(streamed.answer_id, key.audience, says))
    load.saw(verb, key.secret, streamed, *codes, right=is_right)


async def enqueue(load: Load, visitor: Visitor) -> None:
    hall = load.chance.choice(load.halls)
    await _enqueue(load, visitor, {"input": hall.question}, hall.text)


async def enqueue_in_conversation(load: Load, visitor: Visitor) -> None:
    question = f"What of {load.house.mark} number {load.number()}?"
    body = {"input": question, "conversation_id": load.conversation(), "agent_slug": "slow"}
    await _enqueue(load, visitor, body, answer_to(question))


async def _enqueue(load: Load, visitor: Visitor, question: dict[str, Any], says: str) -> None:
    """Queue one question twice at once at two servers, under one key; ask after it, and reuse its key for another."""
    key = load.key()
    name = {"Idempotency-Key": f"{load.house.mark} {load.number()}"}
    body = {**question, "stream": False}
    other = Visitor(load.house.addresses, load.chance.randrange(len(load.house.addresses)))
    replies = await asyncio.gather(
        *(each.ask("POST", "/v1/answers", key.secret, body, name) for each in (visitor, other))
    )
    other.close()
    ids = {reply.data["answer_id"] for reply in replies if reply.code == "ok"}
    for reply in replies:
        load.saw("queue", key.secret, reply, "ok", "conversation_busy", right=len(ids) <= 1)
    if not ids:
        return
    [answer_id] = ids
    load.known.append(Known(answer_id, key.audience, says))
    if load.chance.random() < 0.2:
        visitor.move_on()
        changed = {**body, "input": f"{body['input']} Or not?"}
        reply = await visitor.ask("POST", "/v1/answers", key.secret, changed, name)
        load.saw("reuse a key", key.secret, reply, "idempotency_key_reused")
    await _read(load, visitor, key, load.known[-1])


async def read(load: Load, visitor: Visitor) -> None:
    if load.known:
        await _read(load, visitor, load.key(), load.chance.choice(load.known))


async def _read(load: Load, visitor: Visitor, key: Key, known: Known) -> None:
    reply = await visitor.ask("GET", f"/v1/answers/{known.answer_id}", key.secret)
    if key.audience == "external" and known.audience == "internal":
        load.saw("read another's answer", key.secret, reply, "not_found")
        return
    is_right = reply.code != "ok" or _is_right_so_far(reply.data, known)
    load.saw("read", key.secret, reply, right=is_right)


def _is_right_so_far(answer: Any, known: Known) -> bool:
    if answer["answer_id"] != known.answer_id:
        return False
    if answer["status"] == "completed":
        return known.says in answer["output_text"]
    return answer["status"] in {"queued", "in_progress"} and answer["output_text"] == ""


async def ask_over_mcp(load: Load, visitor: Visitor) -> None:
    key, hall = load.key(), load.chance.choice(load.halls)
    name = f"{load.house.mark} {load.number()}"
    arguments = {"input": hall.question, "idempotency_key": name, "timeout_seconds": 20}
    reply = await visitor.tool(key.secret, "ask_worker", arguments)
    is_late = reply.code == "ok" and "wait_timed_out" in reply.data
    is_right = is_late or reply.code != "ok" or hall.text in reply.data["output_text"]
    if load.saw("ask over MCP", key.secret, reply, right=is_right):
        load.known.append(Known(reply.data["answer_id"], key.audience, hall.text))
        again = await visitor.tool(
            key.secret, "wait_for_answer", {"answer_id": reply.data["answer_id"], "timeout_seconds": 20}
        )
        is_late = again.code == "ok" and "wait_timed_out" in again.data
        is_right = is_late or again.code != "ok" or hall.text in again.data["output_text"]
        load.saw("wait over MCP", key.secret, again, right=is_right)


async def whoami(load: Load, visitor: Visitor) -> None:
    key = load.key()
    reply = await visitor.tool(key.secret, "whoami", {})
    is_right = reply.code != "ok" or (reply.data["key_audience"], reply.data["key_prefix"]) == (
        key.audience,
        key.secret[:12],
    )
    load.saw("whoami", key.secret, reply, right=is_right)


async def mistake(load: Load, visitor: Visitor) -> None:
    key = load.key()
    search = {"query": "anything"}
    secret, method, path, body, code = load.chance.choice(
        [
            ("ak_live_" + "0" * 32, "POST", "/v1/memory/search", search, "api_key_invalid"),
            (None, "POST", "/v1/memory/search", search, "api_key_invalid"),
            (load.revoked, "POST", "/v1/memory/search", search, "api_key_revoked"),
            (key.secret, "POST", "/v1/memory/search", {"query": ""}, "validation_error"),
            (key.secret, "POST", "/v1/memory/search", {"query": "a", "why": 1}, "validation_error"),
            (key.secret, "POST", "/v1/answers", b"{", "validation_error"),
            (key.secret, "POST", "/v1/answers", {"input": "a", "agent_slug": "nobody"}, "validation_error"),
            (key.secret, "GET", "/v1/answers/run_01jzz0000000000000000000", None, "not_found"),
            (key.secret, "GET", "/v1/mcp", None, "method_not_allowed"),
        ]
    )
    load.saw("mistakes", secret, await visitor.ask(method, path, secret, body), code)


async def teach_without_scope(load: Load, visitor: Visitor) -> None:
    reply = await visitor.ask("POST", "/v1/memory/facts", load.reader, {"facts": [{"text": "No."}]})
    load.saw("mistakes", load.reader, reply, "scope_missing")


STEPS: Final[Sequence[tuple[Step, int]]] = (
    (search, 30),
    (search_over_mcp, 8),
    (context, 12),
    (teach, 8),
    (ask, 10),
    (ask_in_conversation, 6),
    (enqueue, 8),
    (enqueue_in_conversation, 3),
    (read, 20),
    (ask_over_mcp, 4),
    (whoami, 6),
    (mistake, 8),
    (teach_without_scope, 1),
)


async def visit(load: Load, steps: Sequence[Step], place: int) -> None:
    visitor = Visitor(load.house.addresses, place)
    for number, step in enumerate(steps):
        try:
            await step(load, visitor)
        except LostError as lost:
            load.wrong.append(f"{step.__name__}: no reply, {lost}")
        if number % 50 == 49:
            visitor.move_on()
    visitor.close()


async def hammer(load: Load, key: Key, seconds: float) -> None:
    """Ask with one key from all sides: as much as goes at the start of each window, and on and on in between."""
    visitors = [Visitor(load.house.addresses, place) for place in range(HAMMERS)]
    hall = load.chance.choice(load.halls)

    async def burst(visitor: Visitor) -> None:
        for _ in range(RATE_REQUESTS // HAMMERS + 3):
            await once(visitor)

    async def once(visitor: Visitor) -> None:
        reply = await visitor.ask("POST", "/v1/memory/search", key.secret, {"query": hall.question})
        load.saw("hammered", key.secret, reply, right=_shows(reply, key, hall))

    started = time.monotonic()
    for begins in range(0, max(int(seconds), 1), RATE_WINDOW_SECONDS):
        # The window opens as slowly as it was filled.
        while (now := time.monotonic() - started) < begins + (5 if begins else 0):
            await once(visitors[0])
            await asyncio.sleep(min(0.2, max(begins + 5 - now, 0.0)))
        await asyncio.gather(*map(burst, visitors))
    while time.monotonic() - started < seconds:
        await once(visitors[0])
        await asyncio.sleep(0.2)
    for visitor in visitors:
        visitor.close()


def too_many(requests: Sequence[Request]) -> int:
    """How often more than a window's worth was let in, whenever between being sent and heard each was counted."""
    within = sorted(each for each in requests if each.is_in)
    count = 0
    for place, first in enumerate(within):
        over = first.sent + RATE_WINDOW_SECONDS - MARGIN_SECONDS
        count += sum(each.heard < over for each in within[place : place + 3 * RATE_REQUESTS]) > RATE_REQUESTS
    return count


def too_few(requests: Sequence[Request]) -> int:
    """How often a request was refused although there was room, whenever it was counted."""
    within = [each for each in requests if each.is_in]
    count = 0
    for refused in requests:
        if not refused.is_in:
            since = refused.sent - RATE_WINDOW_SECONDS - MARGIN_SECONDS
            count += (
                sum(each.heard >= since and each.sent <= refused.heard for each in within) < RATE_REQUESTS
            )
    return count


def by_window(requests: Sequence[Request]) -> list[int]:
    """How many were let in, in the first window and in each after it."""
    within = sorted(each for each in requests if each.is_in)
    if not within:
        return []
    counted = Counter(int((each.heard - within[0].sent) // RATE_WINDOW_SECONDS) for each in within)
    return [counted[place] for place in range(max(counted) + 1)]


def expect_windows(account: Account, requests: Sequence[Request], seconds: float) -> None:
    """Hold what was let in of a hammered key, window by window."""
    count = 1 + int(max(seconds - 1, 0)) // RATE_WINDOW_SECONDS
    what = "a hammered key, let in a window"
    if (
        max(each.heard for each in requests) - min(each.sent for each in requests)
        < count * RATE_WINDOW_SECONDS
    ):
        account.expect(what, str(by_window(requests)), str([RATE_REQUESTS] * count))
    else:
        # On a machine so slow that a window more was begun nothing can be said but what is said below.
        account.note(what, str(by_window(requests)))


async def run(
    house: House, account: Account, *, requests: int, seconds: float, seed: int, servers: int, processes: int
) -> None:
    """Load a house, and hold what came of it against what is promised."""
    keys = max(requests // 60, 8)
    load = Load(house, seed, keys)
    async with Models({"slow": well(SLOW_SECONDS)}) as models:
        house.owner.set_worker("slow", model="slow", base_url=models.base_url)
        await house.serve(servers, "--processes", str(processes), "--workers", "8")
        hammered = [Key(house.key(each), each) for each in ("internal", "external", "internal")]
        kinds, weights = zip(*STEPS, strict=True)
        steps = load.chance.choices(kinds, weights, k=int(requests / STEP_REQUESTS))
        started = time.monotonic()
        hammers = [asyncio.create_task(hammer(load, key, seconds)) for key in hammered]
        await asyncio.gather(*(visit(load, steps[place::VISITORS], place) for place in range(VISITORS)))
        took = time.monotonic() - started
        mixed = sum(load.verbs.values()) - load.verbs["hammered"]
        await asyncio.gather(*hammers)
        answers = await settled(house, SETTLED_SECONDS)
        account.note("requests", sum(load.codes.values()))
        account.note("  of which mixed, and the seconds that they took", f"{mixed}, {took:.1f}")
        for verb, count in sorted(load.verbs.items()):
            took_each = sorted(load.seconds[verb])
            middle, high = (took_each[int(share * len(took_each))] for share in (0.5, 0.99))
            account.note(
                f"  {verb}; median, p99 and longest, s",
                f"{count}; {middle:.2f}, {high:.2f}, {took_each[-1]:.2f}",
            )
        for code, count in load.codes.most_common():
            account.note(f"  replies: {code}", count)
        account.expect("replies that are neither right nor a documented error", len(load.wrong), 0)
        for key in hammered:
            expect_windows(account, load.requests[key.secret], seconds)
        account.expect(
            "requests let in beyond 120 in any 60 s, all keys", sum(map(too_many, load.requests.values())), 0
        )
        account.expect(
            "requests refused though there was room, all keys", sum(map(too_few, load.requests.values())), 0
        )
        account.note("answers in the book", len(answers))
        account.expect("answers that are not over", sum(not each.is_over for each in answers), 0)
        account.expect("answers that failed", sum(each.status == "failed" for each in answers), 0)
        account.note("  of conversations", sum(each.conversation_id is not None for each in answers))
        account.expect(
            "second runs in a conversation that had one, by the book", two_at_once(answers, house.store), 0
        )
        talks = [
            (each.input, (each.audience, each.conversation_id)) for each in answers if each.conversation_id
        ]
        account.expect(
            "second runs in a conversation that had one, by its model", models.two_at_once(talks), 0
        )
        account.note("Idempotency-Keys", len({each.idempotency_key for each in answers} - {None}))
        account.expect("Idempotency-Keys with more than one answer", repeated_keys(answers), 0)
        of_model = [each.input for each in answers if each.input.startswith("What of")]
        account.expect(
            "questions put to the model more or less than once", _uneven(models.asked, of_model), 0
        )
        account.expect(
            "answers known to a client and not in the book",
            len({each.answer_id for each in load.known} - {each.answer_id for each in answers}),
            0,
        )
        account.expect(
            "credits spent, less answers in the book",
            CREDITS - (house.owner.credits() or 0) - len(answers),
            0,
        )
        account.expect("facts acknowledged and not in the brain", len(set(load.taught) - house.texts()), 0)
    for wrong in load.wrong[:20]:
        print(wrong, file=sys.stderr)


def _uneven(asked: Counter[str], questions: Sequence[str]) -> int:
    """How many of these questions were not asked once, and how many others were asked."""
    return sum(asked[question] != 1 for question in questions) + len(set(asked) - set(questions))


def _audiences(count: int) -> list[str]:
    return ["external" if place % 3 == 2 else "internal" for place in range(count)]


def _name(chance: random.Random) -> str:
    return "".join(chance.choice("bdfgklmnprtvz") + chance.choice("aou") for _ in range(3))


def _facts(hall: Hall) -> list[dict[str, Any]]:
    shared = {
        "origin": "user_stated",
        "subject": "seating",
        "confidence": 0.9,
        "recorded_time": "2026-07-14T09:12:44.318Z",
    }
    return [
        {**shared, "text": hall.text, "kind": "decision"},
        {**shared, "text": hall.secret, "kind": "incident"},
    ]


def main() -> int:
    parser = options(__doc__)
    parser.add_argument("--requests", type=int, default=20_000, help="mixed requests (default 20,000)")
    parser.add_argument("--seconds", type=float, default=119, help="how long keys are hammered (default 119)")
    parser.add_argument("--processes", type=int, default=1, help="processes of each server (default 1)")
    parser.add_argument("--seed", type=int, default=7)
    given = parser.parse_args()
    raise_file_limit()
    account = Account()
    with house(given.store) as made:
        to_its_end(
            run(
                made,
                account,
                requests=given.requests,
                seconds=given.seconds,
                seed=given.seed,
                servers=given.servers,
                processes=given.processes,
            )
        )
    return account.settle()


if __name__ == "__main__":
    sys.exit(main())
