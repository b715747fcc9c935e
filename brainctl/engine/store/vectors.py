"""The vectors of facts: which model makes them, which facts have none yet, and how they are written."""

from collections.abc import Iterable
from typing import NamedTuple

from brainctl.engine.store.connection import Connection


class Pending(NamedTuple):
    """A fact that has no vector yet."""

    row: int
    fact_id: str
    subject: str | None
    text: str


def read_model(connection: Connection, workspace: int) -> str | None:
    """The digest of the model whose vectors are kept; None where meanings are not wanted."""
    row = connection.execute("SELECT model FROM meanings WHERE workspace = ?", (workspace,)).fetchone()
    return str(row[0]) if row else None


def write_model(connection: Connection, workspace: int, model: str | None) -> None:
    """Want vectors of this model, or none. Those of another one go."""
    if read_model(connection, workspace) == model:
        return
    # The wish first: where there is none, nobody needs to know that vectors change.
    for table in ("meanings", "vectors", "vectors_pending"):
        connection.execute(f"DELETE FROM {table} WHERE workspace = ?", (workspace,))  # noqa: S608 - words of this program
    if model is not None:
        connection.execute("INSERT INTO meanings (workspace, model) VALUES (?, ?)", (workspace, model))
        connection.execute(
            "INSERT INTO vectors_pending (workspace, hidden, row) "
            "SELECT workspace, CASE WHEN shelf IN ('open', 'personal') THEN 0 ELSE 1 END, row "
            "FROM facts WHERE workspace = ?",
            (workspace,),
        )


def read_pending(connection: Connection, workspace: int, most: int) -> list[Pending]:
    """Facts that have no vector yet, superseded ones too: those that an external key may be shown go first."""
    rows = connection.execute(
        "SELECT facts.row, fact_id, subject, text FROM vectors_pending JOIN facts USING (workspace, row) "
        "WHERE vectors_pending.workspace = ? ORDER BY vectors_pending.hidden, vectors_pending.row LIMIT ?",
        (workspace, most),
    )
    return [Pending._make(row) for row in rows]


def count_pending(connection: Connection, workspace: int) -> int:
    (count,) = connection.execute(
        "SELECT count(*) FROM vectors_pending WHERE workspace = ?", (workspace,)
    ).fetchone()
    return int(count)


def count_vectors(connection: Connection, workspace: int) -> int:
    (count,) = connection.execute("SELECT count(*) FROM vectors WHERE workspace = ?", (workspace,)).fetchone()
    return int(count)


def add_vectors(connection: Connection, workspace: int, made: Iterable[tuple[Pending, bytes]]) -> None:
    """Keep vectors of facts that are still there; what went in the meantime gets none."""
    made = list(made)
    connection.executemany(
        "DELETE FROM vectors_pending WHERE workspace = ? "
        "AND row = (SELECT row FROM facts WHERE workspace = ? AND row = ? AND fact_id = ?)",
        [(workspace, workspace, fact.row, fact.fact_id) for fact, _ in made],
    )
    connection.executemany(
        "DELETE FROM vectors WHERE workspace = ? AND row = ?", [(workspace, fact.row) for fact, _ in made]
    )
    connection.executemany(
        "INSERT INTO vectors (row, workspace, vector) "
        "SELECT row, workspace, ? FROM facts WHERE workspace = ? AND row = ? AND fact_id = ?",
        [(vector, workspace, fact.row, fact.fact_id) for fact, vector in made],
    )
