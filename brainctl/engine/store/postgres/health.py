"""How a database is: reached, new enough, and by which clock."""

from collections.abc import Callable
from typing import NamedTuple

from brainctl.engine.store.postgres.connection import PostgresConnection
from brainctl.engine.store.postgres.failures import told_of
from brainctl.engine.store.postgres.store import open_database, refuse_old_server


class Health(NamedTuple):
    """The server's version, how many workspaces there are, and by how many seconds its clock is ahead of ours."""

    version: str
    workspaces: int
    offset: float


def look(address: str, clock: Callable[[], float]) -> Health:
    """Raises `store_error` where the database cannot be reached, is too old, or holds no brain."""
    store = open_database(address)
    try:
        with told_of(address), store.reading() as connection:
            refuse_old_server(connection)
            (version,) = connection.execute("SELECT current_setting('server_version')").fetchone()
            # Asked for the second time a statement is quick, so that half of the way is hardly anything.
            offsets = [_offset(connection, clock) for _ in range(2)]
        return Health(str(version).split()[0], len(store.workspaces()), offsets[-1])
    finally:
        store.close()


def _offset(connection: PostgresConnection, clock: Callable[[], float]) -> float:
    before = clock()
    (there,) = connection.execute(
        "SELECT CAST(extract(epoch FROM clock_timestamp()) AS double precision)"
    ).fetchone()
    return float(there) - (before + clock()) / 2
