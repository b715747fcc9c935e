"""What SQLite says in its own way."""

# ruff: noqa: S608 - the SQL is put together from words of this program; values travel as parameters

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from brainctl.engine.disclosure import Shelf
from brainctl.engine.store.connection import Among, Query
from brainctl.engine.store.sqlite import frequencies, shelves

_REPEATS: Final = (
    sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY,
    sqlite3.SQLITE_CONSTRAINT_UNIQUE,
    sqlite3.SQLITE_CONSTRAINT_ROWID,
)


def _quoted(term: str) -> str:
    # Quoted, a term is a word to look for whatever it says; terms hold letters and digits only.
    return f'"{term}"'


class SqliteDialect:
    """A file holds one workspace, and an index a shelf."""

    # Whoever writes has the file to itself.
    unclaimed: Final = ""
    named: Final = ""
    going: Final = ""
    # Else SQLite looks through the whole workspace for a few rows.
    by_row: Final = "NOT INDEXED"

    def by_index(self, name: str) -> str:
        # Named, since SQLite cannot know that the shelf is what keeps a look-up short.
        return f"INDEXED BY {name}"

    def among(self, queries: Sequence[Query]) -> Iterator[Among]:
        # A fact that several find is read once, and neighbours one after the other, as they lie in the file.
        if queries:
            found = " UNION ".join(f"SELECT found FROM ({sql})" for sql, _ in queries)
            parameters = [each for query in queries for each in query.parameters]
            yield Among(f"({found}) AS best CROSS JOIN facts", "facts.row = best.found", parameters)

    def matching(self, workspace: int, shelf: Shelf, terms: Sequence[str], most: int) -> Query:
        index = f"{shelf}_index"
        return self._found(index, " OR ".join(map(_quoted, terms)), f"bm25({index}), rowid", most)

    def newest(self, workspace: int, shelf: Shelf, terms: Sequence[str], most: int) -> Query:
        return self._found(f"{shelf}_index", " AND ".join(map(_quoted, terms)), "rowid DESC", most)

    def _found(self, index: str, match: str, order: str, most: int) -> Query:
        sql = f"SELECT rowid AS found FROM {index} WHERE {index} MATCH ? ORDER BY {order} LIMIT ?"
        return Query(sql, (match, most))

    def frequencies(
        self, connection: sqlite3.Connection, workspace: int, on: Sequence[Shelf], terms: Iterable[str]
    ) -> dict[str, int]:
        return frequencies.read_frequencies(connection, workspace, on, terms)

    def alike(
        self, connection: sqlite3.Connection, workspace: int, on: Sequence[Shelf], term: str, start: int
    ) -> list[tuple[str, int]]:
        return frequencies.read_alike(connection, workspace, on, term, start)

    def add_fact(self, connection: sqlite3.Connection, values: Mapping[str, Any]) -> int:
        (row,) = connection.execute(
            f"INSERT INTO facts ({', '.join(values)}) VALUES ({', '.join('?' * len(values))}) RETURNING row",
            tuple(values.values()),
        ).fetchone()
        return int(row)

    def move(
        self,
        connection: sqlite3.Connection,
        workspace: int,
        row: int,
        found_by: str,
        source: Shelf | None,
        target: Shelf | None,
    ) -> None:
        shelves.move(connection, workspace, row, found_by, source, target)

    def unhurried(self, connection: sqlite3.Connection) -> None:
        """A file hurries nobody."""

    def plan_for_one(self, connection: sqlite3.Connection) -> None:
        """A file holds one workspace."""

    def number_on(self, connection: sqlite3.Connection, workspace: int, table: str, column: str) -> None:
        """A file does so by itself."""

    def is_repeat(self, error: Exception) -> bool:
        return isinstance(error, sqlite3.IntegrityError) and error.sqlite_errorcode in _REPEATS

    def compact(self, connection: sqlite3.Connection) -> None:
        shelves.compact(connection)


class SqliteConnection(sqlite3.Connection):
    """A connection that knows its dialect."""

    dialect: Final = SqliteDialect()

    def ask(self, queries: Iterable[Query]) -> list[list[Any]]:
        # One after the other: a statement that is not read to its end has to be prepared once more for the next.
        return [self.execute(sql, parameters).fetchall() for sql, parameters in queries]

    def each(self, sql: str, parameters: Sequence[Any]) -> Iterator[Any]:
        return self.execute(sql, parameters)
