"""Making a brain's SQLite file, so that it is there whole or not at all."""

import os
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from brainctl.contract.errors import BrainError
from brainctl.engine import times
from brainctl.engine.ids import Entropy
from brainctl.engine.store.sqlite.failures import told_of
from brainctl.engine.store.sqlite.schema import APPLICATION_ID
from brainctl.engine.store.sqlite.store import SqliteStore, connected, open_file
from brainctl.engine.store.sqlite.upgrading import upgrade

_SIDE_FILES: Final = ("-wal", "-shm", "-journal")


def _make_folders(folder: str) -> None:
    """The folders that are missing, for the owner alone."""
    if folder and not os.path.isdir(folder):
        _make_folders(os.path.dirname(folder))
        try:
            os.mkdir(folder, 0o700)
        except FileExistsError:
            if not os.path.isdir(folder):
                raise


def remove(path: str) -> None:
    """Take away a file that nobody has open, with its log."""
    for suffix in ("", *_SIDE_FILES):
        with suppress(FileNotFoundError):
            os.unlink(path + suffix)


def put_in_place(made: str, path: str) -> None:
    """Give a finished file, which nobody has open, its name. Raises `store_error` where another was first, or where the
    file cannot take in its log.
    """
    with told_of(path):
        _settle(made)
        # A log left behind by a brain that was deleted would be replayed into this one.
        if not os.path.lexists(path):
            remove(path)
        try:
            _name(made, path)
        except FileExistsError:
            raise _taken(path) from None
        remove(made)


def _settle(made: str) -> None:
    """Write all of a brain into its file, which goes on without the log that lies beside it.

    SQLite does so when a file is closed, and says nothing where the disk has no room for it.
    """
    connection = connected(made)
    try:
        for mode in ("delete", "wal"):
            (now,) = connection.execute(f"PRAGMA journal_mode = {mode}").fetchone()
            if now != mode:
                raise BrainError(
                    "store_error",
                    f"The brain {made} could not be finished: its disk may be full; make room and try again",
                )
    finally:
        connection.close()


def _name(made: str, path: str) -> None:
    """Raises FileExistsError where another process was first."""
    try:
        os.link(made, path)
    except FileExistsError:
        raise
    except (OSError, NotImplementedError):
        # A file system without hard links; Windows refuses to rename onto an existing file by itself.
        if os.path.exists(path):
            raise FileExistsError(path) from None
        os.rename(made, path)


def _taken(path: str) -> BrainError:
    return BrainError("store_error", f"There is a brain at {path} already; use it, or give another path")


def create_file(
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
    if os.path.lexists(path):
        raise _taken(path)
    with told_of(path):
        _make_folders(os.path.dirname(path))
        made = f"{path}.{entropy(6).hex()}.new"
        try:
            os.close(os.open(made, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
            connection = connected(made)
            try:
                connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                upgrade(connection)
                connection.execute(
                    "INSERT INTO workspaces (name, created) VALUES (?, ?)", (name, times.now_ms(clock()))
                )
            finally:
                connection.close()
            put_in_place(made, path)
        finally:
            remove(made)
    return open_file(path)
