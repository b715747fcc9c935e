"""A brain's file written anew."""

import sqlite3
from typing import Final

_READERS_MS: Final = 1000


def rewrite(connection: sqlite3.Connection) -> bool:
    """Write the whole file anew, so that no page of it keeps a trace of what is gone, and empty its log.

    Outside of any transaction. False where another process, or a full disk, does not let it.
    """
    try:
        connection.execute("VACUUM")
        (patience,) = connection.execute("PRAGMA busy_timeout").fetchone()
        # A reader that is about to be done is waited for, and no other.
        connection.execute(f"PRAGMA busy_timeout = {_READERS_MS}")
        try:
            (busy, *_) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        finally:
            connection.execute(f"PRAGMA busy_timeout = {patience}")
    except sqlite3.Error:
        # What was to go is gone, and an error now would tell otherwise.
        return False
    return not busy
