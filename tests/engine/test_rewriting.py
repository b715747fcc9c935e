"""A database's tables are written anew where they can be, and called clean only where nothing can be left in them."""

import itertools
from collections.abc import Callable
from contextlib import ExitStack, closing

import psycopg
import pytest

from brainctl.engine.store.opening import open_store
from brainctl.engine.store.postgres.rewriting import rewrite
from brainctl.engine.store.postgres.store import PostgresStore
from tests.cli.shell import eventually
from tests.engine.house import House
from tests.postgres import Server
from tests.spot import Spot, raw


@pytest.fixture
def address(new_database: Callable[[], str]) -> str:
    """A database whose only brain holds a fact."""
    address = new_database()
    with ExitStack() as stack:
        House(Spot(address, "local"), stack).add("The zanzibarquux costs seven euros")
    return address


def empty(address: str) -> None:
    with raw(address) as connection:
        connection.execute("DELETE FROM places")
        connection.execute("DELETE FROM facts")


def is_clean(address: str) -> bool:
    """Whether it is at once: readers are waited for, but no longer than no time at all."""
    with closing(open_store(address)) as store:
        assert isinstance(store, PostgresStore)
        return rewrite(store.connection, itertools.count().__next__, lambda _: None)


def bytes_of(server: Server, address: str) -> bytes:
    """The file of the facts."""
    with raw(address) as connection:
        connection.execute("CHECKPOINT")
        (path,) = connection.execute("SELECT pg_relation_filepath('facts')").fetchone()
    return (server.data / str(path)).read_bytes()


def test_what_is_gone_has_left_the_tables_file(postgres_server: Server, address: str) -> None:
    empty(address)
    assert b"zanzibarquux" in bytes_of(postgres_server, address)
    # Other tests of this server may be writing.
    eventually(lambda: is_clean(address))
    assert b"zanzibarquux" not in bytes_of(postgres_server, address)


def test_it_is_not_clean_while_somebody_may_see_what_is_gone(postgres_server: Server, address: str) -> None:
    with psycopg.connect(address) as other:
        other.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        # Not even of this brain's tables: there is no telling what they will look at next.
        other.execute("SELECT 1 FROM pg_class")
        empty(address)
        assert not is_clean(address)
    eventually(lambda: is_clean(address))
    assert b"zanzibarquux" not in bytes_of(postgres_server, address)


def test_who_writes_in_another_database_keeps_it_from_being_clean(
    new_database: Callable[[], str], address: str
) -> None:
    with psycopg.connect(new_database()) as other:
        other.execute("SELECT pg_current_xact_id()")
        empty(address)
        assert not is_clean(address)
    eventually(lambda: is_clean(address))


def test_who_does_not_own_the_tables_is_not_told_that_they_are_clean(address: str) -> None:
    empty(address)
    with raw(address) as owner:
        (database,) = owner.execute("SELECT current_database()").fetchone()
        role = f"plain_{database}"
        owner.execute(f"CREATE ROLE {role} LOGIN")
        owner.execute(f"GRANT USAGE ON SCHEMA brainctl TO {role}")
        owner.execute(f"GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA brainctl TO {role}")
        try:
            assert not is_clean(address.replace("brain@", f"{role}@"))
        finally:
            owner.execute(f"DROP OWNED BY {role}")
            owner.execute(f"DROP ROLE {role}")
    eventually(lambda: is_clean(address))
