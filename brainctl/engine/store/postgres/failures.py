"""What a person is told when PostgreSQL refuses: what happened, why, and what to do next."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import psycopg

from brainctl.contract.errors import BrainError

_LOST: Final = ("57P", "08", "26000")
"""Also where a pooler has put another session in the place of the one that knew what was prepared."""

_STATES: Final = (
    (
        ("28",),
        "The database {address} did not let you in; check the user, and the password in PGPASSWORD or ~/.pgpass",
    ),
    (
        ("3D",),
        "There is no such database as {address} names; create it with `createdb`, or check the address",
    ),
    (
        ("42501", "25006"),
        "The database {address} does not let this user write there; grant it the right, or use another user",
    ),
    (
        ("53100",),
        "The disk of the database {address} is full; nothing was written, so make room and try again",
    ),
    (
        ("53300",),
        "The database {address} has no connection free; try again, or raise its max_connections",
    ),
    (("53",), "The database {address} is short of memory or disk; nothing was written, so try again later"),
    (
        ("55P03", "40001", "40P01"),
        "Another process has kept the brain in {address} locked for too long; try again when it is done",
    ),
    (
        ("57014",),
        "The database {address} took too long, and was told to stop; try again when it is less busy",
    ),
    (
        ("25P03",),
        "The database {address} ended what had stood still for too long; nothing was written, so try again",
    ),
    (
        _LOST,
        "The connection to the database {address} was lost; nothing was written, so try again when it is back",
    ),
    (
        ("XX001", "XX002", "58"),
        "The database {address} is damaged or its disk fails; look at the server's log",
    ),
)
_WORDS: Final = (
    (("password", "authentication", "role ", "pg_hba"), "28000"),
    (("does not exist",), "3D000"),
    (("too many clients", "remaining connection slots"), "53300"),
)
"""Where a connection is refused there is no state, only words of the server."""

_UNREACHABLE: Final = "The database {address} cannot be reached; check the address, and that the server runs and accepts connections"


def sentence_for(error: psycopg.Error, address: str) -> str:
    state = error.sqlstate
    if state is None and isinstance(error, psycopg.OperationalError):
        told = str(error)
        state = next((known for words, known in _WORDS if any(word in told for word in words)), None)
        if state is None:
            lost = "lost" in told or "closed" in told or "terminat" in told
            return (
                dict(_STATES)[_LOST].format(address=address) if lost else _UNREACHABLE.format(address=address)
            )
    for states, sentence in _STATES:
        if (state or "").startswith(states):
            return sentence.format(address=address)
    return f"The database {address} could not do that ({state or type(error).__name__}); try again, or restore a backup"


_OF_A_WORKSPACE: Final = ("_workspace_fkey", "_key_id_fkey", "_taught_by_fkey")
"""How the names end of what ties rows to their workspace and its keys."""


def _is_removed(error: psycopg.Error) -> bool:
    """Whether the workspace of what was to be written is gone, and its keys with it."""
    tie = error.diag.constraint_name if isinstance(error, psycopg.errors.ForeignKeyViolation) else None
    return (tie or "").endswith(_OF_A_WORKSPACE)


@contextmanager
def told_of(address: str) -> Iterator[None]:
    """Turn whatever PostgreSQL raises inside into `store_error` with a sentence, or into `api_key_invalid` where the
    workspace was removed meanwhile.
    """
    try:
        yield
    except psycopg.Error as error:
        if _is_removed(error):
            raise BrainError("api_key_invalid", "The workspace of this key was removed") from error
        raise BrainError("store_error", sentence_for(error, address)) from error
