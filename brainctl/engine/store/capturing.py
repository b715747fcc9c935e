"""Whether a model helps to capture: a row in, a row out."""

from brainctl.engine.store.connection import Connection


def read_capturing(connection: Connection, workspace: int) -> str | None:
    """The slug of the worker whose model is asked about what is taught; None where the rules alone decide."""
    row = connection.execute("SELECT worker FROM capturing WHERE workspace = ?", (workspace,)).fetchone()
    return str(row[0]) if row else None


def write_capturing(connection: Connection, workspace: int, worker: str | None) -> None:
    connection.execute("DELETE FROM capturing WHERE workspace = ?", (workspace,))
    if worker is not None:
        connection.execute("INSERT INTO capturing (workspace, worker) VALUES (?, ?)", (workspace, worker))
