"""What an archive holds beside facts and people, in SQLite, and the notes that checking one takes."""

# ruff: noqa: S608 - the SQL is put together from words of this program; values travel as parameters

import sqlite3
from collections.abc import Iterator
from typing import Final, Self

from brainctl.engine.store.sqlite.answers import AnswerRow
from brainctl.engine.store.sqlite.keys import KeyRow, read_keys

_ANSWER: Final = ", ".join(AnswerRow._fields)


def read_name(connection: sqlite3.Connection, workspace: int) -> str:
    (name,) = connection.execute("SELECT name FROM workspaces WHERE workspace = ?", (workspace,)).fetchone()
    return str(name)


def write_name(connection: sqlite3.Connection, workspace: int, name: str) -> None:
    connection.execute("UPDATE workspaces SET name = ? WHERE workspace = ?", (name, workspace))


def has_facts(connection: sqlite3.Connection, workspace: int) -> bool:
    """Whether there is any fact, a superseded one included."""
    row = connection.execute("SELECT 1 FROM facts WHERE workspace = ? LIMIT 1", (workspace,)).fetchone()
    return row is not None


def read_balance(connection: sqlite3.Connection, workspace: int) -> int | None:
    row = connection.execute("SELECT balance FROM credits WHERE workspace = ?", (workspace,)).fetchone()
    return int(row[0]) if row else None


def write_first_balance(connection: sqlite3.Connection, workspace: int, balance: int) -> None:
    """Count from this number, unless something is counted already."""
    connection.execute(
        "INSERT OR IGNORE INTO credits (workspace, balance) VALUES (?, ?)", (workspace, balance)
    )


def read_named_keys(connection: sqlite3.Connection, workspace: int, *, answers: bool) -> list[KeyRow]:
    """The keys that facts name as having taught them, and with `answers` those that asked, the oldest first."""
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


def read_finished(connection: sqlite3.Connection, workspace: int) -> Iterator[AnswerRow]:
    """The answers that are over, in the order in which they were asked for."""
    return map(
        AnswerRow._make,
        connection.execute(
            f"SELECT {_ANSWER} FROM answers WHERE workspace = ? AND finished IS NOT NULL ORDER BY place",
            (workspace,),
        ),
    )


def read_successor(connection: sqlite3.Connection, fact_id: str) -> str | None:
    """What superseded a fact; None where nothing has."""
    (by,) = connection.execute("SELECT superseded_by FROM facts WHERE fact_id = ?", (fact_id,)).fetchone()
    return None if by is None else str(by)


def write_successor(connection: sqlite3.Connection, fact_id: str, by: str) -> None:
    """Tell what superseded a fact of which nothing but that it is superseded was known."""
    connection.execute("UPDATE facts SET superseded_by = ? WHERE fact_id = ?", (by, fact_id))


class Seen:
    """The facts of an archive met so far, kept on disk: an archive may hold more than memory does."""

    def __init__(self) -> None:
        # An empty name: a file of SQLite's own that nobody else sees and that goes when it is closed.
        self._connection = sqlite3.connect("", isolation_level=None)
        self._connection.execute(
            "CREATE TABLE seen (fact_id TEXT PRIMARY KEY, said BLOB NOT NULL) WITHOUT ROWID"
        )
        self._connection.execute("CREATE TABLE links (line INTEGER NOT NULL, target TEXT NOT NULL)")
        self._connection.execute("BEGIN")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def add(self, fact_id: str, said: bytes) -> bytes | None:
        """Note a fact and a digest of what it says; the reply is the digest noted before, if it was met before."""
        try:
            self._connection.execute("INSERT INTO seen VALUES (?, ?)", (fact_id, said))
        except sqlite3.IntegrityError:
            (before,) = self._connection.execute(
                "SELECT said FROM seen WHERE fact_id = ?", (fact_id,)
            ).fetchone()
            return bytes(before)
        return None

    def link(self, line: int, target: str) -> None:
        """Note that a line's fact was superseded by another."""
        self._connection.execute("INSERT INTO links VALUES (?, ?)", (line, target))

    def link_count(self) -> int:
        (count,) = self._connection.execute("SELECT count(*) FROM links").fetchone()
        return int(count)

    def loose(self) -> Iterator[tuple[int, str]]:
        """The links to facts that were not met, as lines and ids."""
        yield from self._connection.execute(
            "SELECT line, target FROM links WHERE target NOT IN (SELECT fact_id FROM seen) ORDER BY line"
        )
