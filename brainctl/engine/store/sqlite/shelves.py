"""A fact's place in the indexes of SQLite, and the totals of each shelf."""

# ruff: noqa: S608 - the SQL is put together from words of this program; values travel as parameters

import sqlite3

from brainctl.engine.disclosure import SEARCHED_SHELVES, Shelf
from brainctl.engine.store.sqlite.frequencies import count_in, count_out


def move(
    connection: sqlite3.Connection,
    workspace: int,
    row: int,
    found_by: str,
    source: Shelf | None,
    target: Shelf | None,
) -> None:
    """Take a fact from one shelf to another, None being none. `found_by` are its terms, blanks between them."""
    terms = found_by.split()
    if source in SEARCHED_SHELVES:
        # The index keeps no text: it can only take out what it is told was in.
        connection.execute(
            f"INSERT INTO {source}_index ({source}_index, rowid, terms) VALUES ('delete', ?, ?)",
            (row, found_by),
        )
        count_out(connection, workspace, source, terms)
        _add_to_totals(connection, workspace, source, -1, -len(terms))
    if target in SEARCHED_SHELVES:
        connection.execute(f"INSERT INTO {target}_index (rowid, terms) VALUES (?, ?)", (row, found_by))
        count_in(connection, workspace, target, terms)
        _add_to_totals(connection, workspace, target, 1, len(terms))


def _add_to_totals(
    connection: sqlite3.Connection, workspace: int, shelf: Shelf, facts: int, size: int
) -> None:
    connection.execute(
        "INSERT INTO shelves (workspace, shelf, facts, terms) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE "
        "SET facts = facts + excluded.facts, terms = terms + excluded.terms",
        (workspace, shelf, facts, size),
    )


def compact(connection: sqlite3.Connection) -> None:
    """Rewrite the indexes without what was taken out of them, which they otherwise only mark as gone."""
    for shelf in SEARCHED_SHELVES:
        connection.execute(f"INSERT INTO {shelf}_index ({shelf}_index) VALUES ('optimize')")
