"""A brain's store in one SQLite file: opening, making, and transactions. What is read and written has files of
its own.

The file is in WAL mode, so that readers and a writer do not wait for each other, and with `synchronous = FULL`,
so that what was acknowledged survives a power cut: a teach costs one fsync, and thousands a second still pass.
"""

import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Final

from brainctl.contract.errors import BrainError
from brainctl.engine import times
from brainctl.engine.disclosure import Viewer
from brainctl.engine.ids import Entropy
from brainctl.engine.store import schema
from brainctl.engine.store.failures import told_of
from brainctl.engine.store.sqlite_keys import KeyRow, read_key, read_keys
from brainctl.engine.store.sqlite_people import Person, read_members, read_people
from brainctl.engine.store.sqlite_reading import View
from brainctl.engine.store.sqlite_writing import Writing

BUSY_SECONDS: Final = 30.0
"""How long a process waits for another one's write."""

_SIDE_FILES: Final = ("-wal", "-shm", "-journal")


def _connected(path: str, busy_seconds: float) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=busy_seconds, isolation_level=None)
    # A schema that somebody tampered with must not be able to call functions.
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA synchronous = FULL")
    return connection


class SqliteStore:
    """An open brain's file. One thread's at a time; any number of processes may have it open."""

    def __init__(self, path: str, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection = connection

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
    def view(self, viewer: Viewer) -> Iterator[View]:
        """The facts that a viewer may see, in one state."""
        with self.reading() as connection:
            yield View(connection, viewer)

    @contextmanager
    def writing(self, workspace: int) -> Iterator[Writing]:
        """A workspace's facts, people and keys, for writing in one transaction."""
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

    def workspace(self) -> int:
        """The workspace of a file that is nobody else's: a brain of your own holds one."""
        with told_of(self.path):
            (workspace,) = self._connection.execute("SELECT min(workspace) FROM workspaces").fetchone()
        return int(workspace)


def open_store(path: str, *, busy_seconds: float = BUSY_SECONDS) -> SqliteStore:
    """Open a brain's file, bringing an older one up to date. Raises `store_error` with what to do about it."""
    if not os.path.exists(path):
        raise BrainError(
            "store_error",
            f"There is no brain at {path}; make one with `brainctl brain init`, or check the path",
        )
    with told_of(path):
        connection = _connected(path, busy_seconds)
        try:
            if schema.version_of(connection) < schema.VERSION:
                schema.upgrade(connection)
        except BaseException:
            connection.close()
            raise
    return SqliteStore(path, connection)


def _make_folders(folder: str) -> None:
    """The folders that are missing, for the owner alone."""
    if folder and not os.path.isdir(folder):
        _make_folders(os.path.dirname(folder))
        try:
            os.mkdir(folder, 0o700)
        except FileExistsError:
            if not os.path.isdir(folder):
                raise


def _remove(path: str) -> None:
    with suppress(FileNotFoundError):
        os.unlink(path)


def _put_in_place(made: str, path: str) -> None:
    """Give a finished file its name, unless another process was first: then FileExistsError."""
    try:
        os.link(made, path)
    except FileExistsError:
        raise
    except (OSError, NotImplementedError):
        # A file system without hard links; Windows refuses to rename onto an existing file by itself.
        if os.path.exists(path):
            raise FileExistsError(path) from None
        os.rename(made, path)


def create_store(
    path: str,
    name: str = "local",
    *,
    clock: Callable[[], float] = time.time,
    entropy: Entropy = os.urandom,
) -> SqliteStore:
    """Make a brain with one empty workspace, readable by its owner alone, and open it.

    It appears whole or not at all. Raises `store_error` where there is one already.
    """
    path = os.path.abspath(path)
    taken = BrainError("store_error", f"There is a brain at {path} already; use it, or give another path")
    if os.path.lexists(path):
        raise taken
    with told_of(path):
        _make_folders(os.path.dirname(path))
        made = f"{path}.{entropy(6).hex()}.new"
        try:
            os.close(os.open(made, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
            connection = _connected(made, BUSY_SECONDS)
            try:
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute(f"PRAGMA application_id = {schema.APPLICATION_ID}")
                schema.upgrade(connection)
                connection.execute(
                    "INSERT INTO workspaces (name, created) VALUES (?, ?)", (name, times.now_ms(clock()))
                )
            finally:
                connection.close()
            # A log left behind by a brain that was deleted would be replayed into this one.
            for side_file in _SIDE_FILES:
                _remove(path + side_file)
            _put_in_place(made, path)
        except FileExistsError:
            raise taken from None
        finally:
            for side_file in ("", *_SIDE_FILES):
                _remove(made + side_file)
    return open_store(path)
