"""Every kind of fault once, at a random byte: nothing is lost, asked twice, or answered with another text."""

import random
from pathlib import Path

import pytest

from benchmarks.reliability import FAULTS, MODES, killed_worker, one_key, plan, run_asks


@pytest.fixture
def seed() -> int:
    return random.SystemRandom().randrange(1_000_000)


def test_whatever_breaks_nothing_is_lost_or_asked_twice(tmp_path: Path, seed: int) -> None:
    counts, bad = run_asks(plan(len(FAULTS), seed), tmp_path)
    for mode in MODES:
        each = counts[mode]
        assert (each.asks, each.lost, each.twice, each.wrong) == (len(FAULTS), 0, 0, 0), (seed, bad)
    # A question with a key of its own can always be found again.
    assert counts["queued"].no_id == 0


def test_one_key_is_one_run(tmp_path: Path) -> None:
    assert one_key(tmp_path, processes=2, threads=10) == (20, 1, 1)


def test_a_killed_worker_leaves_nothing_stuck(tmp_path: Path, seed: int) -> None:
    counts = killed_worker(tmp_path, seed, queued=12)
    assert dict(counts) == {"completed": 11, "failed": 1, "stuck": 0, "run twice": 0}, seed
