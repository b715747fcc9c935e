"""A long archive takes no more memory than a short one; `benchmarks/owning.py` tells of whole commands."""

import io
import tracemalloc
from collections import deque
from collections.abc import Callable

from tests.engine.house import House
from tests.owning.records import END, HEAD, dumped, fact, nothing

FEW, MANY = 1000, 4000
SLACK = 400_000
"""Bytes that come and go by chance; the longer archive's facts alone would take ten times as many."""


def peak(work: Callable[[], object]) -> int:
    """The most bytes that Python's own objects took while the work was done."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def archive(count: int) -> io.BytesIO:
    facts = (
        fact(number, f"Room {number % 50} holds {number % 7} lamps and a long table.")
        for number in range(count)
    )
    return io.BytesIO(dumped([HEAD, *facts, END]))


def test_memory_does_not_grow_with_the_archive(new_house: Callable[[], House]) -> None:
    checks: list[int] = []
    exports: list[int] = []
    # The first time round fills what is filled once.
    for count in (10, FEW, MANY):
        owner, stream = new_house().owner, archive(count)
        assert len(stream.getvalue()) > 200 * count
        plan = owner.check_archive(stream, "archive", nothing)
        stream.seek(0)
        checks.append(peak(lambda: owner.check_archive(stream, "archive", nothing)))  # noqa: B023 - at once
        stream.seek(0)
        owner.load_archive(stream, plan, nothing)
        exports.append(peak(lambda: deque(owner.export(), maxlen=0)))  # noqa: B023 - as above
        assert owner.fact_count() == count
    for _, few, most in (checks, exports):
        assert most < few + SLACK
