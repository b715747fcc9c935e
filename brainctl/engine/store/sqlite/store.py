"""A brain's store in one SQLite file: opening, making, and transactions. What is read and written has files of
its own.

The file is in WAL mode, so that readers and a writer do not wait for each other, and with `synchronous = FULL`,
so that what was acknowledged survives a power cut: a teach costs one fsync, and thousands a second still pass.
"""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from brainctl.contract.errors import BrainError
from brainctl.engine.disclosure import Viewer
from brainctl.engine.store.sqlite import schema
from brainctl.engine.store.sqlite.failures import told_of
from brainctl.engine.store.sqlite.keys import KeyRow, read_key, read_keys
from brainctl.engine.store.sqlite.people import Person, read_members, read_people
from brainctl.engine.store.sqlite.reading import View
from brainctl.engine.store.sqlite.vectors import Remembered, read_model

if TYPE_CHECKING:
    from brainctl.engine.store.sqlite.writing import Writing

BUSY_SECONDS: Final = 30.0
"""How long a process waits for another one's write."""


def connected(
    path: str, busy_seconds: float = BUSY_SECONDS, *, any_thread: bool = False
) -> sqlite3.Connection:
    connection = sqlite3.connect(
        path, timeout=busy_seconds, isolation_level=None, check_same_thread=not any_thread
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


class SqliteStore:
    """An open brain's file. One thread's at a time; any number of processes may have it open."""

    def __init__(self, path: str, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection = connection
        self._remembered = Remembered()

    def close(self) -> None:
        self._connection.close()

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """One state of the brain, however long it is looked at. Raises `store_error`."""
        with told_of(self.path):
            self._connection.execute("BEGIN")
            try:
                yield self._connection
            finally:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """All of what is written inside, or nothing. Raises `store_error`.

        It takes the write lock at once: a transaction that read first and then wants to write is refused by
        SQLite without any waiting.
        """
        with told_of(self.path):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            finally:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")

    @contextmanager
    def whole(self) -> Iterator[sqlite3.Connection]:
        """The file outside of any transaction, for what is done to it as a whole. Raises `store_error`."""
        with told_of(self.path):
            yield self._connection

    @contextmanager
    def impatient(self) -> Iterator[None]:
        """Raise `store_error` at once where another process is writing, instead of waiting for it."""
        with told_of(self.path):
            (patience,) = self._connection.execute("PRAGMA busy_timeout").fetchone()
            self._connection.execute("PRAGMA busy_timeout = 0")
        try:
            yield
        finally:
            self._connection.execute(f"PRAGMA busy_timeout = {patience:d}")

    def keeps_meanings(self, workspace: int) -> bool:
        """Whether facts are found by their meaning too."""
        with told_of(self.path):
            return read_model(self._connection, workspace) is not None

    @contextmanager
    def view(self, viewer: Viewer) -> Iterator[View]:
        """The facts that a viewer may see, in one state."""
        with self.reading() as connection:
            yield View(connection, viewer, self._remembered)

    @contextmanager
    def writing(self, workspace: int) -> "Iterator[Writing]":
        """A workspace's facts, people and keys, for writing in one transaction."""
        # Most commands only read, and are spared what writing needs.
        from brainctl.engine.store.sqlite.writing import Writing

        with self.transaction() as connection:
            yield Writing(connection, workspace)

    def key_by_digest(self, digest: bytes) -> KeyRow | None:
        with told_of(self.path):
            return read_key(self._connection, digest)

    def keys(self, workspace: int) -> list[KeyRow]:
        """All keys, the revoked ones too, oldest first."""
        with told_of(self.path):
            return read_keys(self._connection, workspace)

    def people(self, workspace: int) -> list[Person]:
        with told_of(self.path):
            return read_people(self._connection, workspace)

    def members(self, workspace: int) -> list[str]:
        with told_of(self.path):
            return read_members(self._connection, workspace)

    def fact_count(self, workspace: int) -> int:
        """How many current facts there are, about whomever: the owner's figure, and no viewer's."""
        with told_of(self.path):
            (count,) = self._connection.execute(
                "SELECT count(*) FROM facts WHERE workspace = ? AND superseded_by IS NULL", (workspace,)
            ).fetchone()
        return int(count)

    def queue_depth(self, workspace: int) -> int:
        """How many answers wait to be run."""
        with told_of(self.path):
            (count,) = self._connection.execute(
                "SELECT count(*) FROM answers WHERE workspace = ? AND status = 'queued'", (workspace,)
            ).fetchone()
        return int(count)

    def workspace(self) -> int:
        """The workspace of a file that is nobody else's: a brain of your own holds one."""
        with told_of(self.path):
            (workspace,) = self._connection.execute("SELECT min(workspace) FROM workspaces").fetchone()
        return int(workspace)


def open_store(path: str, *, busy_seconds: float = BUSY_SECONDS, any_thread: bool = False) -> SqliteStore:
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
                schema.upgrade(connection)
        except BaseException:
            connection.close()
            raise
    return SqliteStore(path, connection)
