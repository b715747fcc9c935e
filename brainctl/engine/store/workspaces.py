"""The workspaces of a store: each is a brain of its own. A file holds one of them, a database any number."""

# ruff: noqa: S608 - the SQL is put together from words of this program; values travel as parameters

from typing import Final, NamedTuple

from brainctl.engine.store.connection import Connection
from brainctl.engine.store.keys import hold_keys


class WorkspaceRow(NamedTuple):
    """A workspace as it is kept; `created` is milliseconds since 1970."""

    workspace: int
    name: str
    created: int


class Held(NamedTuple):
    """How much a workspace holds: current facts, live keys, and answers."""

    facts: int
    keys: int
    answers: int


_COLUMNS: Final = ", ".join(WorkspaceRow._fields)


def read_workspaces(connection: Connection) -> list[WorkspaceRow]:
    """All of them, by name."""
    rows = connection.execute(f"SELECT {_COLUMNS} FROM workspaces ORDER BY name, workspace")
    return [WorkspaceRow._make(row) for row in rows]


def find_workspace(connection: Connection, name: str) -> WorkspaceRow | None:
    row = connection.execute(
        f"SELECT {_COLUMNS} FROM workspaces WHERE name = ? ORDER BY workspace LIMIT 1", (name,)
    ).fetchone()
    return WorkspaceRow._make(row) if row else None


def read_workspace(connection: Connection, workspace: int) -> WorkspaceRow | None:
    row = connection.execute(
        f"SELECT {_COLUMNS} FROM workspaces WHERE workspace = ?", (workspace,)
    ).fetchone()
    return WorkspaceRow._make(row) if row else None


def name_workspace(connection: Connection, workspace: int, name: str, created: int) -> None:
    connection.execute(
        "UPDATE workspaces SET name = ?, created = ? WHERE workspace = ?", (name, created, workspace)
    )


def count_held(connection: Connection, workspace: int) -> Held:
    connection.dialect.plan_for_one(connection)
    return Held._make(
        connection.execute(
            "SELECT (SELECT count(*) FROM facts WHERE workspace = ? AND superseded_by IS NULL), "
            "(SELECT count(*) FROM keys WHERE workspace = ? AND revoked IS NULL), "
            "(SELECT count(*) FROM answers WHERE workspace = ?)",
            (workspace, workspace, workspace),
        ).fetchone()
    )


EMPTIED: Final = (
    "answers",
    "decisions",
    "meanings",
    "vectors_pending",
    "vectors",
    "facts",
    "frequencies",
    "shelves",
    "credits",
    "capturing",
    "indexing",
    "workers",
    "members",
    "people",
    "keys",
    "workspaces",
)
"""The tables of a workspace, in an order in which nothing is left that names what is gone."""


def delete_workspace(connection: Connection, workspace: int) -> None:
    """Take out a workspace with every row of it. A file's indexes know of no workspaces: a file is deleted instead."""
    # What is being written for a key is done before anything goes, and nothing comes after that.
    hold_keys(connection, workspace)
    for table in EMPTIED:
        connection.execute(f"DELETE FROM {table} WHERE workspace = ?", (workspace,))
