"""The time that all hosts of one database go by."""

import time
from collections.abc import Callable
from contextlib import closing
from typing import Any, cast

import pytest

from brainctl.contract.bounds import SCOPES
from brainctl.contract.errors import BrainError
from brainctl.engine.local_brain import open_brain
from brainctl.engine.owner import create_brain, open_owner
from brainctl.engine.store.opening import open_store
from brainctl.engine.store.stores import open_stores
from tests.spot import raw

HOUR = 3600.0
NEAR = 60.0
"""Seconds within which a busy machine has looked at two clocks."""


class Elapsed:
    """Time that passes when it is told to."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


class Telling:
    """A database that says what it is told to, after half a second there and half a second back."""

    def __init__(self, elapsed: Elapsed, says: float) -> None:
        self._elapsed = elapsed
        self.says = says
        self.asked = 0

    def execute(self, _: str) -> "Telling":
        self.asked += 1
        self._elapsed.now += 1
        return self

    def fetchone(self) -> tuple[float]:
        return (self.says,)


def test_it_is_what_the_database_said_and_what_has_passed_since() -> None:
    pytest.importorskip("psycopg")
    from brainctl.engine.store.postgres.clock import DatabaseClock

    elapsed = Elapsed()
    clock, database = DatabaseClock(elapsed), Telling(elapsed, 5_000_000.0)
    connection = cast("Any", database)
    due = [clock.is_due]
    clock.ask(connection)
    assert clock() == 5_000_000.5
    for _ in range(2):
        elapsed.now += 5
        due.append(clock.is_due)
    assert clock() == 5_000_010.5
    assert due == [True, False, True]
    # The database's clock was set back.
    database.says -= HOUR
    clock.ask(connection)
    assert clock() == 5_000_000.5 - HOUR


@pytest.fixture
def wrong_here(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Sets this machine's clock an hour ahead."""
    true = time.time
    return lambda: monkeypatch.setattr(time, "time", lambda: true() + HOUR)


def test_a_machine_whose_clock_is_wrong_goes_by_the_databases(
    new_database: Callable[[], str], wrong_here: Callable[[], None]
) -> None:
    address, true = new_database(), time.time()
    with create_brain(address) as owner:
        expires_ms = int((owner.store.clock() + HOUR / 2) * 1000)
        secret = owner.create_key("k", "internal", SCOPES, expires_ms).secret
    wrong_here()
    stores = open_stores(address)
    with open_owner(address) as owner, open_brain(address, secret) as brain:
        assert abs(owner.store.clock() - true) < NEAR
        assert abs(stores.clock() - true) < NEAR
        # Not expired yet, whatever this machine thinks.
        answer_id = brain.enqueue({"input": "what?"})["answer_id"]
        assert brain.work_until(answer_id)["status"] == "completed"
        with owner.store.reading() as connection:
            created, finished = connection.execute("SELECT created, finished FROM answers").fetchone()
    stores.close()
    assert abs(created / 1000 - true) < NEAR
    assert abs(finished / 1000 - true) < NEAR
    with pytest.raises(BrainError, match="store_error"):
        open_stores(f"{address}_gone").clock()


def test_a_file_goes_by_the_machines(tmp_path: object, wrong_here: Callable[[], None]) -> None:
    path = f"{tmp_path}/brain.db"
    create_brain(path).close()
    wrong_here()
    store, stores = open_store(path), open_stores(path)
    assert abs(store.clock() - time.time()) < NEAR
    assert abs(stores.clock() - time.time()) < NEAR
    store.close()


def test_a_process_that_has_a_brain_open_notices_that_a_newer_brainctl_has_changed_it(
    new_database: Callable[[], str],
) -> None:
    pytest.importorskip("psycopg")
    from brainctl.engine.store.postgres import schema
    from brainctl.engine.store.postgres.clock import DatabaseClock
    from brainctl.engine.store.postgres.store import open_database

    address, elapsed = new_database(), Elapsed()
    create_brain(address).close()
    with closing(open_database(address, clock=DatabaseClock(elapsed))) as store:
        assert store.workspaces() == [1]
        with raw(address) as connection:
            connection.execute(f"INSERT INTO schema_steps (step) VALUES ({schema.VERSION + 1})")
        # As often as it asks for the time, and then each time.
        elapsed.now += 10
        for _ in range(2):
            with pytest.raises(BrainError, match="newer brainctl"):
                store.workspaces()
