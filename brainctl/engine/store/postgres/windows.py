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

_HELD: Final = "SELECT accepted FROM windows WHERE workspace = ? AND key_id = ? FOR UPDATE"
# The database's, so that all hosts count by one clock; floored, as milliseconds are elsewhere.
_NOW: Final = "SELECT CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS bigint)"


class TableWindows:
    """A row a key, held by whoever counts. Threads of a process share one connection, and wait for each other."""

    def __init__(self, address: str, clock: Callable[[], float] | None = None) -> None:
        self._address = address
        self._clock = clock
        self._lock = Lock()
        self._connection: PostgresConnection | None = None

    def change(self, workspace: int, key_id: str, rule: Rule) -> None:
        with self._lock, told_of(self._address):
            connection = self._begun()
            try:
                before, now_ms = self._read(connection, workspace, key_id)
                after = rule(before, now_ms)
                with connection.together():
                    if after != before:
                        connection.execute(
                            "UPDATE windows SET accepted = ? WHERE workspace = ? AND key_id = ?",
                            (list(after), workspace, key_id),
                        )
                    connection.execute("COMMIT")
            finally:
                connection.roll_back()

    def close(self) -> None:
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _begun(self) -> PostgresConnection:
        if self._connection is None:
            self._connection = self._opened()
        try:
            self._connection.begin("BEGIN")
        except psycopg.OperationalError:
            if not self._connection.is_lost:
                raise
            self._connection.close()
            self._connection = self._opened()
            self._connection.begin("BEGIN")
        return self._connection

    def _opened(self) -> PostgresConnection:
        connection = connected(self._address)
        connection.execute("SET synchronous_commit = off")
        return connection

    def _read(self, connection: PostgresConnection, workspace: int, key_id: str) -> "tuple[array[int], int]":
        """The times of a key, whose row is held from now on, and the time when it was got hold of."""
        with connection.together():
            held = connection.execute(_HELD, (workspace, key_id))
            told = connection.execute(_NOW)
            row, (now_ms,) = held.fetchone(), told.fetchone()
        if row is None:
            connection.execute(
                "INSERT INTO windows (workspace, key_id, accepted) VALUES (?, ?, '{}') ON CONFLICT DO NOTHING",
                (workspace, key_id),
            )
            return self._read(connection, workspace, key_id)
        if self._clock is not None:
            now_ms = times.now_ms(self._clock())
        return array("q", row[0]), now_ms
