"""A brain's store in one SQLite file: opening it, and transactions.

The file is in WAL mode, so that readers and a writer do not wait for each other, and with `synchronous = FULL`,
so that what was acknowledged survives a power cut: a teach costs one fsync, and thousands a second still pass.
"""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Final

from brainctl.contract.errors import BrainError
from brainctl.engine.store.connection import Connection
from brainctl.engine.store.sqlite import schema
from brainctl.engine.store.sqlite.dialect import SqliteConnection
from brainctl.engine.store.sqlite.failures import LOCKED, told_of
from brainctl.engine.store.sqlite.remembered import Remembered
from brainctl.engine.store.store import Alone, Store

BUSY_SECONDS: Final = 30.0
"""How long a process waits for another one's write."""

_turns: Final[dict[str, Lock]] = {}
"""The threads of a process write one after the other: SQLite lets who waits look again in a tenth of a second, and so
one of very many might wait for ever.
"""


def connected(path: str, busy_seconds: float = BUSY_SECONDS, *, any_thread: bool = False) -> SqliteConnection:
    connection = sqlite3.connect(
        path,
        timeout=busy_seconds,
        isolation_level=None,
        check_same_thread=not any_thread,
        factory=SqliteConnection,
    )
    try:
        # A schema that somebody tampered with must not be able to call functions.
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA synchronous = FULL")
        # In KiB, and at most: with the 2 MB that SQLite takes by itself, a large load writes its pages again and again.
        connection.execute("PRAGMA cache_size = -65536")
        # What is deleted is overwritten, also where SQLite was built to leave it lying.
        connection.execute("PRAGMA secure_delete = ON")
    except BaseException:
        connection.close()
        raise
    return connection


class SqliteStore(Store):
    """An open brain's file. One thread's at a time; any number of processes may have it open."""

    def __init__(self, path: str, connection: SqliteConnection, busy_seconds: float = BUSY_SECONDS) -> None:
        self.address = self.path = path
        self._connection = connection
        self._remembered = Remembered()
        self._patience = busy_seconds
        self._turn = _turns.setdefault(os.path.realpath(path), Lock())

    def close(self) -> None:
        self._connection.close()

    def identity(self) -> str:
        with told_of(self.path):
            found = os.stat(self.path)
        return f"{found.st_dev}:{found.st_ino}"

    @contextmanager
    def reading(self) -> Iterator[SqliteConnection]:
        """One state of the brain, however long it is looked at. Raises `store_error`."""
        with told_of(self.path):
            self._connection.execute("BEGIN")
            try:
                yield self._connection
            finally:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")

    @contextmanager
    def transaction(self, *_: Alone) -> Iterator[SqliteConnection]:
        """All of what is written inside, or nothing, and no other transaction meanwhile. Raises `store_error`.

        It takes the write lock at once: a transaction that read first and then wants to write is refused by
        SQLite without any waiting.
        """
        with told_of(self.path):
            if not self._turn.acquire(timeout=self._patience):
                raise BrainError("store_error", LOCKED.format(path=self.path))
            try:
                self._connection.execute("BEGIN IMMEDIATE")
                yield self._connection
                self._connection.execute("COMMIT")
            finally:
                try:
                    if self._connection.in_transaction:
                        self._connection.execute("ROLLBACK")
                finally:
                    self._turn.release()

    def tell(self, connection: Connection, answer_id: str) -> None:
        """A file passes on no news: whoever waits looks."""

    @contextmanager
    def impatient(self) -> Iterator[None]:
        """Raise `store_error` at once where another process is writing, instead of waiting for it."""
        with told_of(self.path):
            (busy,) = self._connection.execute("PRAGMA busy_timeout").fetchone()
            self._connection.execute("PRAGMA busy_timeout = 0")
        patience, self._patience = self._patience, 0
        try:
            yield
        finally:
            self._patience = patience
            self._connection.execute(f"PRAGMA busy_timeout = {busy:d}")

    def rewrite(self) -> bool:
        from brainctl.engine.store.sqlite.rewriting import rewrite

        with told_of(self.path):
            return rewrite(self._connection)


def open_file(path: str, *, busy_seconds: float = BUSY_SECONDS, any_thread: bool = False) -> SqliteStore:
    """Open a brain's file, bringing an older one up to date. Raises `store_error` with what to do about it.

    With `any_thread` it may go from thread to thread, one at a time; else it stays in the one that opened it.
    """
    with told_of(path):
        try:
            os.stat(path)
        except (FileNotFoundError, NotADirectoryError):
            raise BrainError(
                "store_error",
                f"There is no brain at {path}; make one with `brainctl brain init`, or check the path",
            ) from None
        connection = connected(path, busy_seconds, any_thread=any_thread)
        try:
            if schema.version_of(connection) < schema.VERSION:
                from brainctl.engine.store.sqlite.upgrading import upgrade

                upgrade(connection)
        except BaseException:
            connection.close()
            raise
    return SqliteStore(path, connection, busy_seconds)
