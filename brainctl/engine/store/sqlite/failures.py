"""What a person is told when SQLite or the system refuses: what happened, why, and what to do next."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from brainctl.contract.errors import BrainError

LOCKED: Final = "Another process has kept the brain {path} locked for too long; try again when it is done"

_SENTENCES: Final = (
    (("SQLITE_BUSY", "SQLITE_LOCKED"), LOCKED),
    (
        ("SQLITE_FULL",),
        "The disk that holds the brain {path} is full; nothing was written, so make room and try again",
    ),
    (
        ("SQLITE_READONLY", "SQLITE_PERM", "SQLITE_AUTH"),
        "The brain {path} may not be written to; give yourself the right to write the file and its folder",
    ),
    (
        ("SQLITE_NOTADB",),
        "The file {path} is not a brain; make one elsewhere with `brainctl brain init`",
    ),
    (
        ("SQLITE_CORRUPT",),
        "The brain {path} is damaged and was left as it is; put a backup in its place",
    ),
    (
        ("SQLITE_CANTOPEN",),
        "The brain {path} cannot be opened; check that you may read and write the file and its folder",
    ),
    (
        ("SQLITE_IOERR",),
        "The disk failed to read or write the brain {path}; check whether it is full or faulty, then try again",
    ),
)


def sentence_for(error: sqlite3.Error, path: str) -> str:
    name = getattr(error, "sqlite_errorname", "")
    for prefixes, sentence in _SENTENCES:
        if name.startswith(prefixes):
            return sentence.format(path=path)
    return (
        f"The brain {path} could not do that ({name or type(error).__name__}); try again, or restore a backup"
    )


@contextmanager
def told_of(path: str) -> Iterator[None]:
    """Turn whatever SQLite and the system raise inside into `store_error` with a sentence."""
    try:
        yield
    except sqlite3.Error as error:
        raise BrainError("store_error", sentence_for(error, path)) from error
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise BrainError(
            "store_error", f"The brain {path} cannot be used: {reason}; check the path and your rights to it"
        ) from error
