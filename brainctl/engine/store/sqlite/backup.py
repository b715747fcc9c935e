"""A brain's file copied while others use it, and the copy looked at before it gets its name."""

# ruff: noqa: S608 - the SQL is put together from words of this program; values travel as parameters

import os
import sqlite3
from collections.abc import Callable
from contextlib import suppress
from typing import Final, NamedTuple

from brainctl.contract.errors import BrainError
from brainctl.engine.disclosure import SEARCHED_SHELVES
from brainctl.engine.ids import Entropy
from brainctl.engine.store.sqlite.failures import told_of
from brainctl.engine.store.sqlite.store import connected

_PAGES_A_STEP: Final = 1024
_DAMAGED: Final = ("SQLITE_CORRUPT", "SQLITE_NOTADB")
_SIDE_FILES: Final = ("-wal", "-shm", "-journal")


class Counted(NamedTuple):
    """How much a file holds, of all workspaces; `facts` counts the superseded ones too."""

    facts: int
    answers: int
    keys: int
    people: int


def _counted(connection: sqlite3.Connection) -> Counted:
    return Counted._make(
        connection.execute(
            "SELECT (SELECT count(*) FROM facts), (SELECT count(*) FROM answers), "
            "(SELECT count(*) FROM keys), (SELECT count(*) FROM people)"
        ).fetchone()
    )


def copy_file(
    path: str,
    to: str,
    *,
    replace: bool,
    entropy: Entropy,
    tell: Callable[[int, int], None],
) -> Counted:
    """Copy one state of the brain at `path` to a file readable by its owner alone, and say what is in it.

    The copy is checked, then gets its name; it is there whole or not at all. `tell` is told how many pages are
    done, and of how many. Raises `usage` where there is a file already that may not be replaced, `store_error`
    where the copy cannot be made or is not sound.
    """
    to = os.path.realpath(to)
    _refuse_place(path, to, replace=replace)
    made = f"{to}.{entropy(6).hex()}.new"
    with told_of(to):
        try:
            os.close(os.open(made, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
            counted = _copied(path, made, tell)
            _check(made, counted)
            if replace:
                # The log of the file that was there would be replayed into this one.
                _remove(*(to + suffix for suffix in _SIDE_FILES))
            _refuse_place(path, to, replace=replace)
            os.replace(made, to)
        finally:
            _remove(*(made + suffix for suffix in ("", *_SIDE_FILES)))
    return counted


def _refuse_place(path: str, to: str, *, replace: bool) -> None:
    own = os.path.realpath(path)
    if to in {own, *(own + suffix for suffix in _SIDE_FILES)}:
        raise BrainError("usage", "That is the brain's own file: give another path for the copy.")
    if not os.path.isdir(os.path.dirname(to)):
        raise BrainError("usage", f"There is no folder {os.path.dirname(to)}: make it, or give another path.")
    if os.path.lexists(to) and not os.path.isfile(to):
        raise BrainError("usage", f"{to} is no file: give the path of one.")
    if os.path.lexists(to) and not replace:
        raise BrainError(
            "usage", f"There is a file {to} already: give another path, or --force to replace it."
        )


def _copied(path: str, made: str, tell: Callable[[int, int], None]) -> Counted:
    source, target = connected(path), connected(made)
    try:
        # A transaction that reads holds one state: others may write meanwhile, and the copy need not start over.
        source.execute("BEGIN")
        counted = _counted(source)
        source.backup(
            target,
            pages=_PAGES_A_STEP,
            progress=lambda _status, remaining, pages: tell(pages - remaining, pages),
        )
        source.execute("ROLLBACK")
    finally:
        target.close()
        source.close()
    return counted


def _check(made: str, counted: Counted) -> None:
    """Raises `store_error` where the copy is not what was copied."""
    connection = connected(made)
    try:
        is_sound = _is_sound(connection) and _counted(connection) == counted
    except sqlite3.DatabaseError as error:
        if not getattr(error, "sqlite_errorname", "").startswith(_DAMAGED):
            raise
        is_sound = False
    finally:
        connection.close()
    if not is_sound:
        raise BrainError(
            "store_error",
            "The copy is not sound and was thrown away: the brain itself may be damaged, so keep the backups "
            "that you have",
        )


def _is_sound(connection: sqlite3.Connection) -> bool:
    (found,) = connection.execute("PRAGMA integrity_check (1)").fetchone()
    loose = connection.execute("PRAGMA foreign_key_check").fetchone()
    for shelf in SEARCHED_SHELVES:
        connection.execute(f"INSERT INTO {shelf}_index ({shelf}_index) VALUES ('integrity-check')")
    return found == "ok" and loose is None


def _remove(*paths: str) -> None:
    for path in paths:
        with suppress(FileNotFoundError):
            os.unlink(path)
