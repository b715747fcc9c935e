"""Short versions of the scripts that break in on brains: every kind of trouble once, with real servers.

What must hold on any machine is looked at here. How fast and in how little memory is for the scripts themselves.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from benchmarks import chaos, clock, disk, life, load, provider
from benchmarks.houses import Account, House, house, to_its_end

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="looks servers up in /proc, and gives them a disk or a limit of their own"
)


def test_under_load_every_reply_is_right_and_every_window_exact(plain: House, account: Account) -> None:
    running = load.run(plain, account, requests=250, seconds=0, seed=7, servers=2, processes=2)
    to_its_end(running)
    assert account.broken == []


def test_servers_that_are_killed_lose_nothing_and_run_nothing_twice(
    hasty_house: House, account: Account
) -> None:
    to_its_end(chaos.run(hasty_house, account, seconds=3, every=1, servers=2, askers=3))
    assert account.broken == []


@pytest.mark.parametrize("limit", [False, True], ids=["disk", "limit"])
def test_a_full_disk_loses_nothing_and_all_goes_on_with_room(
    tmp_path: Path, hasty: Sequence[str], account: Account, limit: bool
) -> None:
    folder = tmp_path / "disk"
    folder.mkdir()
    with disk.disk_in(folder, limit=limit) as where, house(str(folder / "brain.db"), hasty) as made:
        to_its_end(disk.run(made, where, account, seconds=2, servers=1))
    assert account.broken == []


def test_a_clock_put_back_ends_every_answer_once_and_locks_nobody_out(
    hasty_house: House, account: Account
) -> None:
    to_its_end(clock.run(hasty_house, account, back=3600, servers=2, windows=False, slow=2, library=False))
    assert account.broken == []


def test_models_that_misbehave_fail_their_own_answers_and_no_others(plain: House, account: Account) -> None:
    names = [
        "calls 10,000 times",
        "sends 10 MB",
        "sends a packed GB",
        "breaks off",
        "sends nonsense",
        "answers 500",
    ]
    to_its_end(provider.run(plain, account, names=names, at_once=1, before=0.5))
    assert account.broken == []


def test_a_short_life_leaves_no_answer_open(plain: House, account: Account) -> None:
    to_its_end(life.run(plain, account, minutes=0.05, servers=2, warmed=False))
    assert account.broken == []
