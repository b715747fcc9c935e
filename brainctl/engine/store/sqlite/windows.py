"""The times of each key's requests in a file beside the brain's."""

import os
import sqlite3
import time
from array import array
from collections.abc import Callable
from contextlib import closing, suppress
from threading import Lock
from typing import Final

from brainctl.engine import times
from brainctl.engine.store.sqlite.failures import told_of
from brainctl.engine.store.sqlite.store import BUSY_SECONDS, open_file
from brainctl.engine.store.windows import Rule

SUFFIX: Final = "-window"
_UNUSABLE: Final = ("SQLITE_CORRUPT", "SQLITE_NOTADB", "SQLITE_IOERR", "SQLITE_READONLY_DBMOVED")
"""How a file shows that it is damaged, or that another process has just put a sound one in its place."""

_DAMAGED: Final = ("SQLITE_CORRUPT", "SQLITE_NOTADB", "SQLITE_IOERR_SHORT_READ")
"""How it shows that it is damaged. What a full disk does to a sound one is no reason to lose what was counted."""

_TRIES: Final = 3


class FileWindows:
    """A side file: a damaged one is replaced by an empty one."""

    def __init__(self, brain_path: str, clock: Callable[[], float] | None = None) -> None:
        self._brain_path = brain_path
        self._path = brain_path + SUFFIX
        self._clock = clock or time.time
        # Threads wait for each other here, where waking up costs microseconds: SQLite would look again in a
        # millisecond or more.
        self._lock = Lock()
        self._connection: sqlite3.Connection | None = None

    def change(self, workspace: int, key_id: str, rule: Rule) -> None:
        """A key's id is enough: a file holds one workspace's keys, and ids are never the same."""
        with self._lock, told_of(self._path):
            self._change_in_a_sound_file(key_id, rule, _TRIES)

    def close(self) -> None:
        with self._lock:
            self._hang_up()

    def _change_in_a_sound_file(self, key_id: str, rule: Rule, tries: int) -> None:
        try:
            return self._change(self._open(), key_id, rule)
        except sqlite3.DatabaseError as error:
            name = getattr(error, "sqlite_errorname", "")
            if tries <= 1 or not name.startswith(_UNUSABLE):
                raise
        self._replace()
        return self._change_in_a_sound_file(key_id, rule, tries - 1)

    def _change(self, connection: sqlite3.Connection, key_id: str, rule: Rule) -> None:
        connection.execute("BEGIN IMMEDIATE")
        try:
            row = connection.execute("SELECT accepted FROM windows WHERE key_id = ?", (key_id,)).fetchone()
            before = array("q", row[0]) if row else array("q")
            # Read while nobody else may write, so that times stand in their order.
            after = rule(before, times.now_ms(self._clock()))
            if after != before:
                connection.execute(
                    "INSERT INTO windows (key_id, accepted) VALUES (?, ?) "
                    "ON CONFLICT DO UPDATE SET accepted = excluded.accepted",
                    (key_id, after.tobytes()),
                )
            connection.execute("COMMIT")
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            # Made for the owner alone, as the brain's own file is.
            os.close(os.open(self._path, os.O_CREAT | os.O_RDWR, 0o600))
            connection = sqlite3.connect(
                self._path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
            )
            try:
                connection.execute("PRAGMA synchronous = OFF")
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute(
                    "CREATE TABLE IF NOT EXISTS windows (key_id TEXT PRIMARY KEY, accepted BLOB NOT NULL) "
                    "WITHOUT ROWID"
                )
            except BaseException:
                # Half made, it would be of no use when there is room again.
                connection.close()
                raise
            self._connection = connection
        return self._connection

    def _replace(self) -> None:
        """Put a sound file in the place of a damaged one."""
        self._hang_up()
        # One process at a time: the second to come finds a file that is sound.
        with closing(open_file(self._brain_path)) as store, store.transaction():
            try:
                self._open().execute("SELECT count(*) FROM windows").fetchone()
            except sqlite3.DatabaseError as error:
                self._hang_up()
                if not getattr(error, "sqlite_errorname", "").startswith(_DAMAGED):
                    raise
                for side in ("", "-wal", "-shm"):
                    with suppress(FileNotFoundError):
                        os.unlink(self._path + side)

    def _hang_up(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
