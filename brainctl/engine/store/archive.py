"""What an archive holds beside facts and people."""

# ruff: noqa: S608 - the SQL is put together from words of this program; values travel as parameters

from collections.abc import Iterator
from typing import Final

from brainctl.engine.store.answers import AnswerRow
from brainctl.engine.store.connection import Connection
from brainctl.engine.store.keys import KeyRow, read_keys

_ANSWER: Final = ", ".join(AnswerRow._fields)


def read_name(connection: Connection, workspace: int) -> str:
    (name,) = connection.execute("SELECT name FROM workspaces WHERE workspace = ?", (workspace,)).fetchone()
    return str(name)


def write_name(connection: Connection, workspace: int, name: str) -> None:
    connection.execute("UPDATE workspaces SET name = ? WHERE workspace = ?", (name, workspace))


def has_facts(connection: Connection, workspace: int) -> bool:
    """Whether there is any fact, a superseded one included."""
    row = connection.execute("SELECT 1 FROM facts WHERE workspace = ? LIMIT 1", (workspace,)).fetchone()
    return row is not None


def read_named_keys(connection: Connection, workspace: int, *, answers: bool) -> list[KeyRow]:
    """The keys that facts name as having taught them, and with `answers` those that asked, the oldest first."""
    connection.dialect.plan_for_one(connection)
    used = {
        key_id
        for (key_id,) in connection.execute(
            "SELECT DISTINCT taught_by FROM facts WHERE workspace = ?", (workspace,)
        )
    }
    if answers:
        used.update(
            key_id
            for (key_id,) in connection.execute(
                "SELECT DISTINCT key_id FROM answers WHERE workspace = ? AND finished IS NOT NULL",
                (workspace,),
            )
        )
    return [key for key in read_keys(connection, workspace) if key.key_id in used]


def read_finished(connection: Connection, workspace: int) -> Iterator[AnswerRow]:
    """The answers that are over, in the order in which they were asked for."""
    return map(
        AnswerRow._make,
        connection.each(
            f"SELECT {_ANSWER} FROM answers WHERE workspace = ? AND finished IS NOT NULL ORDER BY place",
            (workspace,),
        ),
    )


def read_successor(connection: Connection, workspace: int, fact_id: str) -> str | None:
    """What superseded a fact; None where nothing has."""
    (by,) = connection.execute(
        "SELECT superseded_by FROM facts WHERE workspace = ? AND fact_id = ?", (workspace, fact_id)
    ).fetchone()
    return None if by is None else str(by)


def write_successor(connection: Connection, workspace: int, fact_id: str, by: str) -> None:
    """Tell what superseded a fact of which nothing but that it is superseded was known."""
    connection.execute(
        "UPDATE facts SET superseded_by = ? WHERE workspace = ? AND fact_id = ?", (by, workspace, fact_id)
    )
