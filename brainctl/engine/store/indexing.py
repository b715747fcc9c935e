"""Which process gives facts their vectors: a lease, which is another's once it has run out."""

from brainctl.engine.store.connection import Connection


def take_indexing(connection: Connection, workspace: int, holder: str, now_ms: int, until_ms: int) -> bool:
    """Take the lease, or keep it; False where another holds it still. Times are milliseconds since 1970."""
    row = connection.execute(
        "SELECT holder, until FROM indexing WHERE workspace = ?", (workspace,)
    ).fetchone()
    if row is not None and row[0] != holder and row[1] > now_ms:
        return False
    connection.execute(
        "INSERT INTO indexing (workspace, holder, until) VALUES (?, ?, ?) "
        "ON CONFLICT (workspace) DO UPDATE SET holder = excluded.holder, until = excluded.until",
        (workspace, holder, until_ms),
    )
    return True


def leave_indexing(connection: Connection, workspace: int, holder: str) -> None:
    connection.execute("DELETE FROM indexing WHERE workspace = ? AND holder = ?", (workspace, holder))


def is_indexing(connection: Connection, workspace: int, now_ms: int) -> bool:
    """Whether some process is at it."""
    row = connection.execute(
        "SELECT 1 FROM indexing WHERE workspace = ? AND until > ?", (workspace, now_ms)
    ).fetchone()
    return row is not None
