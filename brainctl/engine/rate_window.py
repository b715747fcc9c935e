"""How many requests a key has had in its window: exact over all threads and processes that serve one brain.

Each accepted request is remembered by its time, until that is a window ago; a refused one is not, so that whoever
waits as long as they are told to gets in, however often they tried before. The times lie in a file beside the
brain's, which nobody needs to survive a power cut: nothing of it waits for the disk.
"""

import os
import sqlite3
import time
from array import array
from bisect import bisect_right
from collections.abc import Callable
from contextlib import closing, suppress
from threading import Lock
from typing import Final

from brainctl.contract.bounds import RATE_REQUESTS, RATE_WINDOW_SECONDS
from brainctl.contract.errors import BrainError
from brainctl.engine import times
from brainctl.engine.store.opening import open_store
from brainctl.engine.store.sqlite.failures import told_of
from brainctl.engine.store.sqlite.store import BUSY_SECONDS

SUFFIX: Final = "-window"
_WINDOW_MS: Final = RATE_WINDOW_SECONDS * 1000
_UNUSABLE: Final = ("SQLITE_CORRUPT", "SQLITE_NOTADB", "SQLITE_IOERR", "SQLITE_READONLY_DBMOVED")
"""How a file shows that it is damaged, or that another process has just put a sound one in its place."""

_DAMAGED: Final = ("SQLITE_CORRUPT", "SQLITE_NOTADB", "SQLITE_IOERR_SHORT_READ")
"""How it shows that it is damaged. What a full disk does to a sound one is no reason to lose what was counted."""
_TRIES: Final = 3


class RateWindow:
    """The windows of a brain's keys. May be used from any thread."""

    def __init__(self, brain_path: str, clock: Callable[[], float] = time.time) -> None:
        self._brain_path = brain_path
        self._path = brain_path + SUFFIX
        self._clock = clock
        # Threads wait for each other here, where waking up costs microseconds: SQLite would look again in a
        # millisecond or more.
        self._lock = Lock()
        self._connection: sqlite3.Connection | None = None

    def count(self, key_id: str, requests: int = 1) -> None:
        """Count so many requests of a key, all or none. Raises `rate_limited`, and `store_error`."""
        with self._lock, told_of(self._path):
            fits = self._fits_in_a_sound_file(key_id, requests, _TRIES)
        if not fits:
            raise BrainError("rate_limited", details={"retry_after_seconds": RATE_WINDOW_SECONDS})

    def close(self) -> None:
        with self._lock:
            self._hang_up()

    def _fits_in_a_sound_file(self, key_id: str, requests: int, tries: int) -> bool:
        try:
            return self._fits(self._open(), key_id, requests)
        except sqlite3.DatabaseError as error:
            name = getattr(error, "sqlite_errorname", "")
            if tries <= 1 or not name.startswith(_UNUSABLE):
                raise
        self._replace()
        return self._fits_in_a_sound_file(key_id, requests, tries - 1)

    def _fits(self, connection: sqlite3.Connection, key_id: str, requests: int) -> bool:
        connection.execute("BEGIN IMMEDIATE")
        try:
            row = connection.execute("SELECT accepted FROM windows WHERE key_id = ?", (key_id,)).fetchone()
            before = array("q", row[0]) if row else array("q")
            # Read while nobody else may write, so that times stand in their order.
            now = times.now_ms(self._clock())
            accepted = before[bisect_right(before, now - _WINDOW_MS) :]
            if accepted and accepted[-1] > now:
                # The clock was put back. Later times become this moment's, and so last for one window at most.
                accepted = array("q", (min(each, now) for each in accepted))
            fits = len(accepted) + requests <= RATE_REQUESTS
            if fits:
                accepted.extend([now] * requests)
            if accepted != before:
                connection.execute(
                    "INSERT INTO windows (key_id, accepted) VALUES (?, ?) "
                    "ON CONFLICT DO UPDATE SET accepted = excluded.accepted",
                    (key_id, accepted.tobytes()),
                )
            connection.execute("COMMIT")
            return fits
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
        with closing(open_store(self._brain_path)) as store, store.transaction():
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
