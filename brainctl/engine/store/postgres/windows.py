"""The times of each key's requests in a table of the database."""

from array import array
from collections.abc import Callable
from threading import Lock
from typing import Final

import psycopg

from brainctl.engine import times
from brainctl.engine.store.postgres.connection import PostgresConnection, connected
from brainctl.engine.store.postgres.failures import told_of
from brainctl.engine.store.windows import Rule

_LOCK_MS: Final = 500
"""How long a key's row is waited for. Nobody who counts holds one for longer than a statement takes, and whoever waits
keeps the callers behind them waiting too.
"""

# The database's time, so that all hosts count by one clock; floored, as milliseconds are elsewhere.
_NOW: Final = "CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS bigint)"
_READ: Final = f"SELECT (SELECT accepted FROM windows WHERE workspace = ? AND key_id = ?), {_NOW}"  # noqa: S608 - words of this program
_WRITE: Final = (
    "INSERT INTO windows (workspace, key_id, accepted) VALUES (?, ?, ?) ON CONFLICT (workspace, key_id) "
    "DO UPDATE SET accepted = excluded.accepted WHERE windows.accepted = ?"
)


class TableWindows:
    """A row a key. Threads of a process share one connection, and wait for each other.

    A row is read, and then written if it is still as it was read, and no lock is held in between: a process or a host
    that stands still meanwhile keeps nobody waiting.
    """

    def __init__(self, address: str, clock: Callable[[], float] | None = None) -> None:
        self._address = address
        self._clock = clock
        self._lock = Lock()
        self._connection: PostgresConnection | None = None

    def change(self, workspace: int, key_id: str, rule: Rule) -> None:
        with self._lock, told_of(self._address):
            while True:
                connection, before, now_ms = self._read(workspace, key_id)
                after = rule(before, now_ms)
                if after == before:
                    return
                written = connection.execute(_WRITE, (workspace, key_id, list(after), list(before)))
                if written.rowcount:
                    return
                # Another process was quicker. A window lets few in, so that this is soon over.

    def close(self) -> None:
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _read(self, workspace: int, key_id: str) -> "tuple[PostgresConnection, array[int], int]":
        """The times of a key and the time now, and a connection that works."""
        if self._connection is None:
            self._connection = self._opened()
        try:
            cursor = self._connection.execute(_READ, (workspace, key_id))
        except psycopg.Error:
            if not self._connection.is_lost:
                raise
            self._connection.close()
            self._connection = self._opened()
            cursor = self._connection.execute(_READ, (workspace, key_id))
        times_ms, now_ms = cursor.fetchone()
        if self._clock is not None:
            now_ms = times.now_ms(self._clock())
        return self._connection, array("q", times_ms or ()), now_ms

    def _opened(self) -> PostgresConnection:
        connection = connected(self._address)
        for name, value in (("synchronous_commit", "off"), ("lock_timeout", f"{_LOCK_MS}ms")):
            connection.execute(f"SET {name} = '{value}'")
        return connection
