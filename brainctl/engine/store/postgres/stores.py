"""A database's stores, for programs of many threads: they share few connections."""

import logging
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from threading import Lock
from typing import TYPE_CHECKING, Any, Final
from weakref import WeakKeyDictionary

from psycopg_pool import ConnectionPool, PoolTimeout

from brainctl.contract.errors import BrainError
from brainctl.engine.store.postgres.clock import DatabaseClock
from brainctl.engine.store.postgres.connection import PostgresConnection, link_of, set_up
from brainctl.engine.store.postgres.failures import told_of
from brainctl.engine.store.postgres.listening import Listening
from brainctl.engine.store.postgres.store import PostgresStore, open_database
from brainctl.engine.store.store import Store

if TYPE_CHECKING:
    from psycopg import Connection

CONNECTIONS_MOST: Final = 12
"""How many a process has open: a thread that lets callers in, two that search, four that write, and some for the runs
of answers, which need one for a moment only. Four processes stay below the hundred that a server allows unless told.
"""

WAIT_SECONDS: Final = 10.0
"""How long a call waits for a connection: as long as the restart of a database takes, or the rush before it."""
_IDLE_SECONDS: Final = 300.0
STANDSTILL_SECONDS: Final = 60
"""How long a transaction of a serving process may stand still. Each is short; one that stands is a host's that stands,
and holds up its whole workspace.
"""


class DatabaseStores:
    """Lends a store with a connection of the pool, which gets it back at once. They know the time together."""

    def __init__(self, address: str) -> None:
        self.address = address
        self._clock = DatabaseClock()
        self._lock = Lock()
        self._pool: ConnectionPool[Any] | None = None
        self._listening: Listening | None = None
        self._lent: set[Connection[Any]] = set()
        # What a store has learnt, it has learnt by its connection.
        self._stores: WeakKeyDictionary[Connection[Any], PostgresStore] = WeakKeyDictionary()

    def clock(self) -> float:
        """Raises `store_error` where the database was never reached."""
        if not self._clock.is_known:
            with self.lent() as store:
                store.clock()
        return self._clock()

    @property
    def is_away(self) -> bool:
        return self._listening is not None and self._listening.is_lost

    @contextmanager
    def lent(self) -> Iterator[Store]:
        """Raises `store_error` where no connection comes free, or none can be had."""
        pool = self._opened()
        store = self._taken(pool)
        try:
            yield store
        finally:
            self._put_back(pool, store.connection)

    def _opened(self) -> "ConnectionPool[Any]":
        with self._lock:
            if self._pool is None:
                # Whatever is wrong with the address or the database is told now, and in plain words.
                open_database(self.address).close()
                logging.getLogger("psycopg.pool").addHandler(logging.NullHandler())
                self._pool = ConnectionPool(
                    self.address,
                    kwargs=link_of(self.address),
                    configure=_set_up,
                    min_size=0,
                    max_size=CONNECTIONS_MOST,
                    timeout=WAIT_SECONDS,
                    max_idle=_IDLE_SECONDS,
                    reconnect_timeout=WAIT_SECONDS,
                    open=True,
                )
            return self._pool

    def _taken(self, pool: "ConnectionPool[Any]") -> PostgresStore:
        try:
            with told_of(self.address):
                plain = self._got(pool)
        except BrainError as error:
            if not isinstance(error.__cause__, PoolTimeout):
                raise
            raise BrainError(
                "store_error",
                f"The database {self.address} cannot be reached, or all connections to it are busy; try again soon",
            ) from error
        store = self._stores.get(plain)
        if store is None:
            store = PostgresStore(
                self.address, PostgresConnection(plain), clock=self._clock, reconnect=self._replaced
            )
            self._stores[plain] = store
        return store

    def _replaced(self, lost: PostgresConnection) -> PostgresConnection:
        """Another connection in the place of one that was lost."""
        pool = self._opened()
        self._put_back(pool, lost)
        with told_of(self.address):
            plain = self._got(pool)
        return PostgresConnection(plain)

    def _got(self, pool: "ConnectionPool[Any]") -> "Connection[Any]":
        plain: Connection[Any] = pool.getconn()
        self._lent.add(plain)
        return plain

    def _put_back(self, pool: "ConnectionPool[Any]", connection: PostgresConnection) -> None:
        """Once: for each lost one that it gets back a pool opens another. A lost one that could not be replaced is
        its store's still.
        """
        if connection.plain in self._lent:
            self._lent.discard(connection.plain)
            pool.putconn(connection.plain)

    def listening(
        self, hear: Callable[[str | None], None], log: Callable[[str], None]
    ) -> AbstractContextManager[object]:
        self._listening = Listening(self.address, hear, log)
        return self._listening

    def close(self) -> None:
        with self._lock:
            if self._pool is not None:
                self._pool.close()
                self._pool = None


def _set_up(connection: "Connection[Any]") -> None:
    set_up(connection)
    connection.execute(f"SET idle_in_transaction_session_timeout = '{STANDSTILL_SECONDS}s'".encode())
