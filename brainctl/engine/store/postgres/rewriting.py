"""A database's tables written anew."""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

import psycopg

if TYPE_CHECKING:
    from brainctl.engine.store.postgres.connection import PostgresConnection

_READERS_MS: Final = 1000
_LOOK_SECONDS: Final = 0.02
_TABLES: Final = ("facts", "places", "frequencies", "decisions", "vectors", "vectors_pending")

# Every transaction from this one on begins after what has ended by now.
_NEXT: Final = "SELECT CAST(CAST(pg_snapshot_xmax(pg_current_snapshot()) AS xid) AS varchar)"
# A table that is written anew takes with it what somebody may see still. A transaction of another database counts where it
# has written something: whoever looks at this one remembers it as one that is not over.
_SEEN_BY: Final = """
SELECT EXISTS (
    SELECT 1 FROM pg_stat_activity
    WHERE pid <> pg_backend_pid() AND pid NOT IN (SELECT pid FROM pg_stat_progress_vacuum) AND (
        age(backend_xid) > age(CAST(? AS xid))
        OR age(backend_xmin) > age(CAST(? AS xid)) AND (datname = current_database() OR datname IS NULL)
    )
    UNION ALL SELECT 1 FROM pg_prepared_xacts WHERE age(transaction) > age(CAST(? AS xid))
    UNION ALL SELECT 1 FROM pg_replication_slots WHERE age(xmin) > age(CAST(? AS xid))
) OR coalesce(current_setting('vacuum_defer_cleanup_age', true), '0') <> '0'
"""
_FILES: Final = "SELECT table_name, pg_relation_filenode(CAST(table_name AS regclass)) FROM unnest(CAST(? AS varchar[])) AS t (table_name)"


def rewrite(
    connection: "PostgresConnection",
    elapsed: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> bool:
    """Write the tables that held facts anew, so that no page of them keeps a trace of what is gone.

    Outside of any transaction. False where traces may be left: another process may see still what is gone, or it, a
    full disk or a missing right does not let the tables be written.
    """
    try:
        (first_after,) = connection.execute(_NEXT).fetchone()
        is_seen = _is_seen(connection, first_after)
        end = elapsed() + _READERS_MS / 1000
        while is_seen and elapsed() < end:
            sleep(_LOOK_SECONDS)
            is_seen = _is_seen(connection, first_after)
        before = _files(connection)
        _write_anew(connection)
        # A standby may say late what it sees.
        return not is_seen and not _is_seen(connection, first_after) and not before & _files(connection)
    except psycopg.Error:
        # What was to go is gone, and an error now would tell otherwise.
        return False


def _is_seen(connection: "PostgresConnection", first_after: str) -> bool:
    """Whether anybody may see what was there before this transaction."""
    (is_seen,) = connection.execute(_SEEN_BY, (first_after,) * 4).fetchone()
    return bool(is_seen)


def _files(connection: "PostgresConnection") -> set[tuple[str, int]]:
    return set(connection.execute(_FILES, (list(_TABLES),)).fetchall())


def _write_anew(connection: "PostgresConnection") -> None:
    settings = ("lock_timeout", "statement_timeout")
    before = [connection.execute("SELECT current_setting(?)", (name,)).fetchone()[0] for name in settings]
    # A reader that is about to be done is waited for, and no other.
    for name, value in zip(settings, (f"{_READERS_MS}ms", "0"), strict=True):
        connection.execute("SELECT set_config(?, ?, false)", (name, value))
    try:
        # Those of another role are left out, with a warning.
        connection.execute(f"VACUUM (FULL) {', '.join(_TABLES)}")
    finally:
        for name, value in zip(settings, before, strict=True):
            connection.execute("SELECT set_config(?, ?, false)", (name, value))
