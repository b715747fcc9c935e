"""In how many facts of a shelf each term occurs, kept as facts come and go."""

# ruff: noqa: S608 - the SQL is put together from words of this program; values travel as parameters

import sqlite3
from collections.abc import Iterable, Sequence

from brainctl.engine.disclosure import Shelf


def count_in(connection: sqlite3.Connection, workspace: int, shelf: Shelf, terms: Iterable[str]) -> None:
    """A fact of these terms comes to a shelf."""
    connection.executemany(
        "INSERT INTO frequencies (workspace, shelf, term, facts) VALUES (?, ?, ?, 1) "
        "ON CONFLICT DO UPDATE SET facts = facts + 1",
        [(workspace, shelf, term) for term in set(terms)],
    )


def count_out(connection: sqlite3.Connection, workspace: int, shelf: Shelf, terms: Iterable[str]) -> None:
    """A fact of these terms leaves a shelf; a word that nothing has any more leaves the file with it."""
    which = [(workspace, shelf, term) for term in set(terms)]
    named = "workspace = ? AND shelf = ? AND term = ?"
    connection.executemany(f"DELETE FROM frequencies WHERE {named} AND facts = 1", which)
    connection.executemany(f"UPDATE frequencies SET facts = facts - 1 WHERE {named}", which)


def read_frequencies(
    connection: sqlite3.Connection, workspace: int, shelves: Sequence[Shelf], terms: Iterable[str]
) -> dict[str, int]:
    """In how many facts of some shelves each of the terms occurs."""
    found: dict[str, int] = {}
    for term in terms:
        rows = connection.execute(
            "SELECT facts FROM frequencies WHERE workspace = ? AND term = ? "
            f"AND shelf IN ({', '.join('?' * len(shelves))})",
            (workspace, term, *shelves),
        )
        found[term] = sum(facts for (facts,) in rows)
    return found


def read_alike(
    connection: sqlite3.Connection, workspace: int, shelves: Sequence[Shelf], term: str, start: int
) -> list[tuple[str, int]]:
    """The terms of some shelves that begin with the same letters and are about as long, with their frequencies."""
    rows = connection.execute(
        "SELECT term, sum(facts) FROM frequencies WHERE workspace = ? AND term >= ? AND term < ? "
        "AND length(term) BETWEEN ? AND ? "
        f"AND shelf IN ({', '.join('?' * len(shelves))}) GROUP BY term",
        (
            workspace,
            term[:start],
            term[: start - 1] + chr(ord(term[start - 1]) + 1),
            len(term) - 1,
            len(term) + 1,
            *shelves,
        ),
    )
    return rows.fetchall()
