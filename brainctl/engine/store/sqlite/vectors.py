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


def read_model(connection: sqlite3.Connection, workspace: int) -> str | None:
    """The digest of the model whose vectors are kept; None where meanings are not wanted."""
    row = connection.execute("SELECT model FROM meanings WHERE workspace = ?", (workspace,)).fetchone()
    return str(row[0]) if row else None


def write_model(connection: sqlite3.Connection, workspace: int, model: str | None) -> None:
    """Want vectors of this model, or none. Those of another one go."""
    if read_model(connection, workspace) == model:
        return
    connection.execute("DELETE FROM vectors WHERE workspace = ?", (workspace,))
    connection.execute("DELETE FROM vectors_pending WHERE workspace = ?", (workspace,))
    connection.execute("DELETE FROM meanings WHERE workspace = ?", (workspace,))
    if model is not None:
        connection.execute("INSERT INTO meanings (workspace, model) VALUES (?, ?)", (workspace, model))
        connection.execute(
            "INSERT INTO vectors_pending (workspace, hidden, row) "
            "SELECT workspace, shelf NOT IN ('open', 'personal'), row FROM facts WHERE workspace = ?",
            (workspace,),
        )


def read_pending(connection: sqlite3.Connection, workspace: int, most: int) -> list[Pending]:
    """Facts that have no vector yet, superseded ones too: those that an external key may be shown go first."""
    rows = connection.execute(
        "SELECT facts.row, fact_id, subject, text FROM vectors_pending JOIN facts USING (row) "
        "WHERE vectors_pending.workspace = ? ORDER BY vectors_pending.hidden, vectors_pending.row LIMIT ?",
        (workspace, most),
    )
    return [Pending._make(row) for row in rows]


def count_pending(connection: sqlite3.Connection, workspace: int) -> int:
    (count,) = connection.execute(
        "SELECT count(*) FROM vectors_pending WHERE workspace = ?", (workspace,)
    ).fetchone()
    return int(count)


def count_vectors(connection: sqlite3.Connection, workspace: int) -> int:
    (count,) = connection.execute("SELECT count(*) FROM vectors WHERE workspace = ?", (workspace,)).fetchone()
    return int(count)


def add_vectors(
    connection: sqlite3.Connection, workspace: int, made: Iterable[tuple[Pending, bytes]]
) -> None:
    """Keep vectors of facts that are still there; what went in the meantime gets none."""
    made = list(made)
    connection.executemany(
        "DELETE FROM vectors_pending WHERE row = (SELECT row FROM facts WHERE row = ? AND fact_id = ?)",
        [(fact.row, fact.fact_id) for fact, _ in made],
    )
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
