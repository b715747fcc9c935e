"""Configured workers: rows in, rows out."""

# ruff: noqa: S608 - the SQL is put together from words of this program; values travel as parameters

from typing import Final, NamedTuple

from brainctl.engine.store.connection import Connection


class WorkerRow(NamedTuple):
    """A model behind an OpenAI-compatible address. `key_env` names the variable that holds its key, if it has one."""

    slug: str
    model: str
    base_url: str
    key_env: str | None


_COLUMNS: Final = ", ".join(WorkerRow._fields)


def read_worker(connection: Connection, workspace: int, slug: str) -> WorkerRow | None:
    row = connection.execute(
        f"SELECT {_COLUMNS} FROM workers WHERE workspace = ? AND slug = ?", (workspace, slug)
    ).fetchone()
    return WorkerRow(*row) if row else None


def read_workers(connection: Connection, workspace: int) -> list[WorkerRow]:
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM workers WHERE workspace = ? ORDER BY slug", (workspace,)
    )
    return [WorkerRow(*row) for row in rows]


def write_worker(connection: Connection, workspace: int, worker: WorkerRow) -> None:
    connection.execute(
        f"INSERT INTO workers (workspace, {_COLUMNS}) VALUES (?, ?, ?, ?, ?) ON CONFLICT (workspace, slug) DO UPDATE "
        "SET model = excluded.model, base_url = excluded.base_url, key_env = excluded.key_env",
        (workspace, *worker),
    )


def delete_worker(connection: Connection, workspace: int, slug: str) -> bool:
    return (
        connection.execute("DELETE FROM workers WHERE workspace = ? AND slug = ?", (workspace, slug)).rowcount
        > 0
    )
