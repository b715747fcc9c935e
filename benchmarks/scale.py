"""How the time of a search grows with the brain, through the product's own doors.

    python benchmarks/scale.py [--facts 10000 100000 1000000] [--queries 200] [--keep FOLDER]
    python benchmarks/scale.py --store postgresql://USER@HOST/DATABASE

Facts are 8 to 25 words with the frequencies that words have in any language (Zipf), half of them for any key and half
for internal keys only. A query is three to six words of one of the facts, common and rare as they come, in any order:
what a person types who half remembers it. Beside the times stands how often that fact is among the first ten, and how
often it is when no word is left out for being common, which is what the shortcuts could lose. Times are those of the
whole call, key and all, by the processor's clock and by the wall's, where each query was asked once before; `first` is
the wall's when it was not, and much of a large file still lay on the disk. What of it the index takes is told apart:
right after each call, all that the call asked the index of words is asked again, bare, without the facts it finds. The
last lines hold each median against twice that of the smallest brain and what the index takes. With --keep, brains are
kept in a folder and used again. With --store they are workspaces of a database, which stay there; its size is that of
all of them, and what would be found by all words is not asked, since a database scores the common ones for minutes.
"""

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import accumulate
from pathlib import Path
from typing import Any, Final, NamedTuple, Self
from unittest.mock import patch

from brainctl.contract.bounds import SCOPES
from brainctl.contract.errors import BrainError
from brainctl.engine import candidates
from brainctl.engine.local_brain import LocalBrain, open_brain
from brainctl.engine.owner import Owner, create_brain, open_owner
from brainctl.engine.store.connection import Connection
from brainctl.engine.store.opening import is_database

SEED: Final = 20
VOCABULARY: Final = 200_000
SUBJECTS: Final = 500
FIRST_TIME: Final = 1_700_000_000_000


class Asked(NamedTuple):
    query: str
    text: str


class Outcome(NamedTuple):
    """Milliseconds of each call, in order of length, by the processor's clock and by the wall's; by the wall's too what
    the index took of each, and what was left; and the share of the queries whose fact was among the first ten.
    """

    processor: list[float]
    wall: list[float]
    in_index: list[float]
    outside: list[float]
    found: float


class AskedOfIndex:
    """What the calls ask the index of words of one store while this is open, to be asked again by itself."""

    def __init__(self, owner: Owner) -> None:
        self._store = owner.store
        self._asked: list[Callable[[Connection], object]] = []
        self._patched = ExitStack()

    def __enter__(self) -> Self:
        with self._store.reading() as connection:
            dialect = connection.dialect
        for name in ("matching", "newest"):
            self._patched.enter_context(
                patch.object(dialect, name, self._seeing_query(getattr(dialect, name)))
            )
        for name in ("frequencies", "alike"):
            self._patched.enter_context(
                patch.object(dialect, name, self._seeing_call(getattr(dialect, name)))
            )
        return self

    def __exit__(self, *_: object) -> None:
        self._patched.close()

    def _seeing_query(self, find: Callable[..., Any]) -> Callable[..., Any]:
        def seeing(*given: Any) -> Any:
            query = find(*given)
            self._asked.append(lambda connection: connection.execute(*query).fetchall())
            return query

        return seeing

    def _seeing_call(self, find: Callable[..., Any]) -> Callable[..., Any]:
        def seeing(connection: Connection, *given: Any) -> Any:
            self._asked.append(lambda connection: find(connection, *given))
            return find(connection, *given)

        return seeing

    def forget(self) -> None:
        self._asked.clear()

    def milliseconds(self) -> float:
        """How long all that was asked since takes, asked again."""
        with self._store.reading() as connection:
            started = time.perf_counter()
            for ask in self._asked:
                ask(connection)
            return (time.perf_counter() - started) * 1000


def at(share: float, times: list[float]) -> float:
    return times[min(int(len(times) * share), len(times) - 1)]


def vocabulary() -> list[str]:
    chance = random.Random(SEED)
    made: dict[str, None] = {}
    while len(made) < VOCABULARY:
        syllables = chance.randint(2, 4)
        made[
            "".join(chance.choice("bdfgklmnprstvz") + chance.choice("aeiou") for _ in range(syllables)) + "k"
        ] = None
    return list(made)


def facts(count: int) -> Iterator[dict[str, Any]]:
    chance = random.Random(SEED + count)
    known = vocabulary()
    weights = list(accumulate(1 / (place + 1) for place in range(len(known))))
    for number in range(count):
        yield {
            "text": " ".join(chance.choices(known, cum_weights=weights, k=chance.randint(8, 25))),
            "kind": "decision" if number % 2 else "incident",
            "origin": "ingested",
            "subject": f"matter {chance.randrange(SUBJECTS)}",
            "confidence": 0.9,
            "recorded_time": written(FIRST_TIME + number // 5 * 60_000),
        }


def written(milliseconds: int) -> str:
    moment = time.gmtime(milliseconds // 1000)
    return time.strftime("%Y-%m-%dT%H:%M:%S.000Z", moment)


def questions(owner: Owner, count: int, *, shelf: str | None) -> list[Asked]:
    chance = random.Random(SEED)
    asked: list[Asked] = []
    workspace = owner.workspace
    with owner.store.reading() as connection:
        first, last = connection.execute(
            "SELECT min(row), max(row) FROM facts WHERE workspace = ?", (workspace,)
        ).fetchone()
        while len(asked) < count:
            text, on = connection.execute(
                "SELECT text, shelf FROM facts WHERE workspace = ? AND row = ?",
                (workspace, chance.randint(first, last)),
            ).fetchone()
            if shelf in (None, on):
                words = sorted(set(text.split()))
                asked.append(
                    Asked(" ".join(chance.sample(words, min(chance.randint(3, 6), len(words)))), text)
                )
    return asked


def megabytes(owner: Owner) -> float:
    """Of the file, or of the whole database."""
    if not is_database(owner.store.address):
        return Path(owner.store.address).stat().st_size / 1e6
    with owner.store.reading() as connection:
        (size,) = connection.execute("SELECT pg_database_size(current_database())").fetchone()
    return float(size) / 1e6


def opened(folder: Path, database: str | None, count: int) -> tuple[Owner, str]:
    """A brain of so many facts, and the milliseconds a fact that loading took, where it was not there before."""
    name = f"{count} facts"
    address = database or str(folder / f"{count}.db")
    if database:
        try:
            owner = create_brain(address, name)
        except BrainError:
            return open_owner(address, name), ""
    elif Path(address).exists():
        return open_owner(address), ""
    else:
        owner = create_brain(address, name)
    started = time.perf_counter()
    owner.load_facts(facts(count))
    return owner, f"{(time.perf_counter() - started) / count * 1000:.3f}"


def outcome(owner: Owner, brain: LocalBrain, asked: list[Asked]) -> Outcome:
    processor: list[float] = []
    wall: list[float] = []
    index: list[float] = []
    found = 0
    with AskedOfIndex(owner) as asked_of_index:
        for each in asked:
            asked_of_index.forget()
            started = time.process_time(), time.perf_counter()
            reply = brain.search({"query": each.query, "limit": 10})
            processor.append((time.process_time() - started[0]) * 1000)
            wall.append((time.perf_counter() - started[1]) * 1000)
            index.append(asked_of_index.milliseconds())
            found += any(fact["fact_text"] == each.text for fact in reply["facts"])
    rest = [whole - part for whole, part in zip(wall, index, strict=True)]
    return Outcome(sorted(processor), sorted(wall), sorted(index), sorted(rest), found / len(asked))


def judged(count: int, audience: str, measured: Outcome, smallest: Outcome) -> str:
    """A median beside twice that of the smallest brain and the index's own, which it should stay under."""
    median, first = at(0.5, measured.wall), at(0.5, smallest.wall)
    index = at(0.5, measured.in_index)
    return (
        f"{count:>9,} {audience:>8}: {median:.2f} ms; twice {first:.2f} and the index's {index:.2f} are"
        f" {2 * first + index:.2f} ({median / (2 * first + index):.2f} of it); without the index"
        f" {at(0.5, measured.outside):.2f} after {at(0.5, smallest.outside):.2f}"
    )


def main() -> int:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--facts", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    options.add_argument("--queries", type=int, default=200)
    options.add_argument("--keep", type=Path)
    options.add_argument("--store", help="the address of a PostgreSQL database, for brains there")
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as made:
        folder = given.keep or Path(made)
        print(
            f"{'facts':>9} {'key':>8} {'p50 ms':>7} {'p99':>6} {'first p50':>10} {'wall p50':>9} {'p99':>6}"
            f" {'index p50':>10} {'p99':>6}"
            f" {'found':>6} {'found with all words':>21} {'load ms a fact':>15} {'file MB':>8}"
        )
        smallest: dict[str, Outcome] = {}
        lines: list[str] = []
        for count in given.facts:
            owner, loading = opened(folder, given.store, count)
            for audience in ("internal", "external"):
                name = f"bench {time.time_ns()}"
                secret = owner.create_key(name, audience, SCOPES).secret
                asked = questions(owner, given.queries, shelf=None if audience == "internal" else "open")
                with open_brain(owner.store.address, secret) as brain:
                    first = outcome(owner, brain, asked)
                    measured = outcome(owner, brain, asked)
                    all_words = ""
                    if count <= 100_000 and not given.store:
                        kept, candidates.ROWS_READ = candidates.ROWS_READ, 10**9  # type: ignore[misc]  # to compare with
                        all_words = f"{outcome(owner, brain, asked).found:.3f}"
                        candidates.ROWS_READ = kept  # type: ignore[misc]  # as it was
                print(
                    f"{count:>9,} {audience:>8} {at(0.5, measured.processor):>7.2f}"
                    f" {at(0.99, measured.processor):>6.1f} {at(0.5, first.wall):>10.2f}"
                    f" {at(0.5, measured.wall):>9.2f}"
                    f" {at(0.99, measured.wall):>6.1f} {at(0.5, measured.in_index):>10.2f}"
                    f" {at(0.99, measured.in_index):>6.1f} {measured.found:>6.3f} {all_words:>21} {loading:>15}"
                    f" {megabytes(owner):>8.0f}",
                    flush=True,
                )
                if audience in smallest:
                    lines.append(judged(count, audience, measured, smallest[audience]))
                smallest.setdefault(audience, measured)
            owner.close()
        print(*lines, sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
