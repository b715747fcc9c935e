"""The vectors of facts in SQLite: which model makes them, which facts have none yet, and how they are written."""

import sqlite3
from collections.abc import Callable, Hashable, Iterable
from typing import NamedTuple

from brainctl.engine.facts import Vectors


class Pending(NamedTuple):
    """A fact that has no vector yet."""

    row: int
    fact_id: str
    subject: str | None
    text: str


_PENDING = (
    "FROM facts WHERE workspace = ? "
    "AND row > (SELECT coalesce(max(row), 0) FROM vectors WHERE workspace = facts.workspace)"
)


def read_model(connection: sqlite3.Connection, workspace: int) -> str | None:
    """The digest of the model whose vectors are kept; None where meanings are not wanted."""
    row = connection.execute("SELECT model FROM meanings WHERE workspace = ?", (workspace,)).fetchone()
    return str(row[0]) if row else None


def write_model(connection: sqlite3.Connection, workspace: int, model: str | None) -> None:
    """Want vectors of this model, or none. Those of another one go."""
    if read_model(connection, workspace) == model:
        return
    connection.execute("DELETE FROM vectors WHERE workspace = ?", (workspace,))
    connection.execute("DELETE FROM meanings WHERE workspace = ?", (workspace,))
    if model is not None:
        connection.execute("INSERT INTO meanings (workspace, model) VALUES (?, ?)", (workspace, model))


def read_pending(connection: sqlite3.Connection, workspace: int, most: int) -> list[Pending]:
    """Facts that have no vector yet, superseded ones too, in the order in which they are to get theirs."""
    rows = connection.execute(
        f"SELECT row, fact_id, subject, text {_PENDING} ORDER BY row LIMIT ?",  # words of this program
        (workspace, most),
    )
    return [Pending._make(row) for row in rows]


def count_pending(connection: sqlite3.Connection, workspace: int) -> int:
    (count,) = connection.execute(f"SELECT count(*) {_PENDING}", (workspace,)).fetchone()  # as above
    return int(count)


def count_vectors(connection: sqlite3.Connection, workspace: int) -> int:
    (count,) = connection.execute("SELECT count(*) FROM vectors WHERE workspace = ?", (workspace,)).fetchone()
    return int(count)


def add_vectors(
    connection: sqlite3.Connection, workspace: int, made: Iterable[tuple[Pending, bytes]]
) -> None:
    """Keep vectors of facts that are still there; what went in the meantime gets none."""
    connection.executemany(
        "INSERT OR REPLACE INTO vectors (row, workspace, vector) "
        "SELECT row, workspace, ? FROM facts WHERE workspace = ? AND row = ? AND fact_id = ?",
        [(vector, workspace, fact.row, fact.fact_id) for fact, vector in made],
    )


class Remembered:
    """The vectors that were read last through a connection, until something is written to the file."""

    def __init__(self) -> None:
        self._of: tuple[Hashable, int, int] | None = None
        self._vectors = Vectors([], b"")

    def vectors(
        self, connection: sqlite3.Connection, which: Hashable, read: Callable[[], Vectors]
    ) -> Vectors:
        # The one number changes with what others write, the other with what this connection does.
        (others,) = connection.execute("PRAGMA data_version").fetchone()
        of = which, int(others), connection.total_changes
        if of != self._of:
            self._of, self._vectors = of, read()
        return self._vectors
