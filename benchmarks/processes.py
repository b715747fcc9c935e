"""What more serving processes are worth: searches and taught facts a second with 1, 2 and 4 of them on one store.

    python -m benchmarks.processes
    python -m benchmarks.processes --store postgresql://brain@127.0.0.1/processes

Each count of processes is served by `brainctl brain serve --processes N` and asked by the same clients, every key within
its window. The driver takes a part of a core itself. What counts is how the figures grow, on a machine that has the cores.
"""

import asyncio
import os
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, Final, NamedTuple

from benchmarks.houses import House, house, options, to_its_end
from benchmarks.visiting import Visitor
from brainctl.contract.bounds import FACTS_PER_CALL

PROCESSES: Final = (1, 2, 4)
CLIENTS: Final = 16
SEARCHES: Final = 2000
TEACHES: Final = 100
FACTS: Final = 10_000
_A_KEYS_SHARE: Final = 100
"""Requests that one key makes, within its window of a minute."""
_THINGS: Final = (
    "lamp",
    "boiler",
    "ladder",
    "freezer",
    "piano",
    "kettle",
    "mirror",
    "carpet",
    "wagon",
    "easel",
)

Deed = Callable[[Visitor, str, int], Awaitable[bool]]


class Rates(NamedTuple):
    """A second: searches answered, and facts accepted."""

    searches: float
    facts: float


def _told(number: int) -> str:
    thing, place = _THINGS[number % len(_THINGS)], number // len(_THINGS)
    return f"The {thing} of room {place} was looked after by team {place % 97} and stands by door {number % 389}."


def filled(place: House, count: int) -> None:
    described: Iterator[dict[str, Any]] = (
        {
            "text": _told(number),
            "kind": "observation",
            "origin": "ingested",
            "subject": f"room {number // len(_THINGS)}",
            "confidence": 0.8,
            "recorded_time": "2026-07-01T08:00:00.000Z",
        }
        for number in range(count)
    )
    place.owner.load_facts(described)


async def rate(place: House, deed: Deed, count: int) -> float:
    """Deeds a second, by so many clients at once. Raises `SystemExit` for a reply that is not right."""
    keys = [place.key() for _ in range(-(-count // _A_KEYS_SHARE))]
    numbers = iter(range(count))

    async def client(at: int) -> None:
        visitor = Visitor(place.addresses, at)
        for number in numbers:
            if not await deed(visitor, keys[number % len(keys)], number):
                raise SystemExit("a reply was not right")
        visitor.close()

    started = time.monotonic()
    await asyncio.gather(*map(client, range(CLIENTS)))
    return count / (time.monotonic() - started)


async def search(visitor: Visitor, key: str, number: int) -> bool:
    query = f"which team looked after the {_THINGS[number % len(_THINGS)]} of room {number % 997}?"
    reply = await visitor.ask("POST", "/v1/memory/search", key, {"query": query, "limit": 5})
    return reply.code == "ok" and bool(reply.data["facts"])


def teach(mark: str) -> Deed:
    async def taught(visitor: Visitor, key: str, number: int) -> bool:
        texts = [
            f"Crate {mark}{number}x{place} holds {number + place} spare parts."
            for place in range(FACTS_PER_CALL)
        ]
        reply = await visitor.ask(
            "POST", "/v1/memory/facts", key, {"facts": [{"text": text} for text in texts]}
        )
        return reply.code == "ok" and reply.data["accepted_fact_count"] == FACTS_PER_CALL

    return taught


async def measured(place: House, processes: int) -> Rates:
    await place.serve(1, "--processes", str(processes))
    await rate(place, search, CLIENTS * processes * 4)  # every process has met its store
    searches = await rate(place, search, SEARCHES)
    facts = FACTS_PER_CALL * await rate(place, teach(f"{place.mark}{processes}p"), TEACHES)
    place.stop()
    return Rates(searches, facts)


def main() -> int:
    parser = options(__doc__)
    parser.add_argument("--facts", type=int, default=FACTS, help=f"facts at the start (default {FACTS:,})")
    given = parser.parse_args()
    found: list[Rates] = []

    async def run() -> None:
        found.extend([await measured(place, processes) for processes in PROCESSES])

    with house(given.store) as place:
        filled(place, given.facts)
        to_its_end(run())
    print(f"{given.facts:,} facts at the start, {CLIENTS} clients, {os.cpu_count()} cores")
    print(f"{'processes':<12}{'searches/s':>12}{'of one':>8}{'facts/s':>12}{'of one':>8}")
    for processes, rates in zip(PROCESSES, found, strict=True):
        shares = [now / one for now, one in zip(rates, found[0], strict=True)]
        print(f"{processes:<12}{rates.searches:>12.0f}{shares[0]:>8.2f}{rates.facts:>12.0f}{shares[1]:>8.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
