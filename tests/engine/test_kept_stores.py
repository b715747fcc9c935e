"""Stores that a process keeps open: as many as it needs, and no more for long."""

import os
from contextlib import ExitStack
from pathlib import Path

import pytest

from brainctl.engine.owner import create_brain
from brainctl.engine.store.stores import IDLE_SECONDS, KeptStores


def times_open(path: str) -> int:
    descriptors = Path("/proc/self/fd")
    if not descriptors.is_dir():
        pytest.skip("this system does not list what a process has open")
    found = 0
    for each in descriptors.iterdir():
        try:
            found += os.readlink(each) == path
        except FileNotFoundError:
            continue
    return found


def test_what_a_busy_moment_needed_is_let_go_when_it_is_over(tmp_path: Path) -> None:
    path = str((tmp_path / "brain.db").resolve())
    # The file itself is let go with the last of them: SQLite must not lose the locks that the others hold on it.
    log = f"{path}-wal"
    create_brain(path).close()
    now = 0.0
    stores = KeptStores(path, lambda: now)
    with ExitStack() as busy:
        for _ in range(6):
            busy.enter_context(stores.lent()).workspaces()
    assert times_open(log) == 6
    for _ in range(20):
        with stores.lent() as store:
            _ = store.workspaces()
    assert times_open(log) == 6
    now += IDLE_SECONDS + 1
    for _ in range(20):
        with stores.lent() as store:
            _ = store.workspaces()
    assert times_open(log) == 1
    stores.close()
    assert times_open(log) == 0
