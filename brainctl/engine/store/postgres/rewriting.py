"""A database's tables written anew."""

from typing import TYPE_CHECKING, Final

import psycopg

if TYPE_CHECKING:
    from brainctl.engine.store.postgres.connection import PostgresConnection

_READERS_MS: Final = 1000
_TABLES: Final = "facts, places, frequencies, decisions, vectors, vectors_pending"


def rewrite(connection: "PostgresConnection") -> bool:
    """Write the tables that held facts anew, so that no page of them keeps a trace of what is gone.

    Outside of any transaction. False where another process, or a full disk, does not let it.
    """
    settings = ("lock_timeout", "statement_timeout")
    before = [connection.execute("SELECT current_setting(?)", (name,)).fetchone()[0] for name in settings]
    try:
        # A reader that is about to be done is waited for, and no other.
        for name, value in zip(settings, (f"{_READERS_MS}ms", "0"), strict=True):
            connection.execute("SELECT set_config(?, ?, false)", (name, value))
        try:
            connection.execute(f"VACUUM (FULL) {_TABLES}")
        finally:
            for name, value in zip(settings, before, strict=True):
                connection.execute("SELECT set_config(?, ?, false)", (name, value))
    except psycopg.Error:
        # What was to go is gone, and an error now would tell otherwise.
        return False
    return True
