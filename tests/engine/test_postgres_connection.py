"""A connection to the database: what goes wrong on it costs who was about it, and nobody after them."""

from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import pytest

from brainctl.contract.errors import BrainError
from brainctl.engine.owner import create_brain
from brainctl.engine.store.connection import Query
from brainctl.engine.store.opening import open_store
from brainctl.engine.store.postgres import stores as serving
from brainctl.engine.store.postgres.store import PostgresStore
from brainctl.engine.store.store import facts_of
from brainctl.engine.store.stores import Stores, open_stores


@pytest.fixture
def address(new_database: Callable[[], str]) -> str:
    address = new_database()
    create_brain(address).close()
    return address


@pytest.fixture
def store(address: str) -> Iterator[PostgresStore]:
    with closing(open_store(address)) as store:
        assert isinstance(store, PostgresStore)
        yield store


# Statements are prepared when they are asked for the third time.


def divided(store: PostgresStore, by: int) -> list[list[Any]]:
    with store.reading() as connection:
        return connection.ask([Query("SELECT 12 / ?", (by,)), Query("SELECT 12 + ?", (by,))])


def test_queries_that_fail_together_cost_none_that_come_later(store: PostgresStore) -> None:
    for _ in range(2):
        assert divided(store, 4) == [[(3,)], [(16,)]]
    with pytest.raises(BrainError, match="22012"):
        divided(store, 0)
    for _ in range(4):
        assert divided(store, 4) == [[(3,)], [(16,)]]


def test_nor_do_they_spoil_a_connection_that_is_shared(address: str) -> None:
    with closing(open_stores(address)) as stores:

        def shared(by: int) -> list[list[Any]]:
            with stores.lent() as store:
                assert isinstance(store, PostgresStore)
                return divided(store, by)

        for _ in range(2):
            shared(4)
        with pytest.raises(BrainError, match="22012"):
            shared(0)
        assert [shared(4) for _ in range(4)] == [[[(3,)], [(16,)]]] * 4


def test_a_session_that_has_lost_what_was_prepared_is_replaced(store: PostgresStore) -> None:
    for _ in range(3):
        divided(store, 4)
    # As it is with a pooler that puts another session behind a connection.
    store.connection.plain.pgconn.exec_(b"DEALLOCATE ALL")
    assert divided(store, 4) == [[(3,)], [(16,)]]


def test_what_was_prepared_and_is_gone_within_a_transaction_costs_this_one_alone(
    store: PostgresStore,
) -> None:
    def counted_and_lost() -> None:
        with store.reading() as connection:
            store.connection.plain.pgconn.exec_(b"DEALLOCATE ALL")
            connection.execute("SELECT count(*) FROM facts")

    for _ in range(3):
        store.workspaces()
        with store.reading() as connection:
            connection.execute("SELECT count(*) FROM facts")
    with pytest.raises(BrainError, match="was lost"):
        counted_and_lost()
    with store.reading() as connection:
        assert connection.execute("SELECT count(*) FROM facts").fetchone() == (0,)


def test_a_serving_process_that_stands_still_loses_what_it_had_locked(
    address: str, store: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serving, "STANDSTILL_SECONDS", 1)
    facts = facts_of(1)

    def stand_still(stores: Stores) -> None:
        with stores.lent() as standing, standing.transaction(facts), store.transaction(facts):
            pass

    with closing(open_stores(address)) as stores:
        with pytest.raises(BrainError, match="stood still"):
            stand_still(stores)
        with stores.lent() as after:
            assert after.workspaces() == [1]


def test_a_server_is_told_to_notice_within_a_minute_that_a_host_is_gone(store: PostgresStore) -> None:
    with store.reading() as connection:
        idle, interval, times = (
            int(connection.execute(f"SELECT current_setting('tcp_keepalives_{name}')").fetchone()[0])
            for name in ("idle", "interval", "count")
        )
    assert idle + interval * times == 60
