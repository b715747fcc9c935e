"""What a brain consists of, table by table: rows as they are kept, and a digest that is the same in every store."""

# ruff: noqa: S608 - the SQL is put together from words of this program; values travel as parameters

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from brainctl.engine.digest import sha256
from brainctl.engine.disclosure import SEARCHED_SHELVES
from brainctl.engine.store.answers import AnswerRow
from brainctl.engine.store.connection import Connection
from brainctl.engine.store.decisions import Decision
from brainctl.engine.store.keys import KeyRow
from brainctl.engine.store.owned import OwnedFact
from brainctl.engine.store.workers import WorkerRow

Row = tuple[Any, ...]


class Table(NamedTuple):
    """A table. Its rows are told apart by the first `key` of its `columns`, which leave the workspace out, and where
    that is none it has one row at most; `only` is the condition of the rows that count.
    """

    name: str
    columns: tuple[str, ...]
    key: int = 1
    only: str = "TRUE"

    def key_of(self, row: Row) -> Row:
        return row[: self.key]

    def place(self, column: str) -> int:
        return self.columns.index(column)


def _of(row_type: Any, *more: str) -> tuple[str, ...]:
    return (*(name for name in row_type._fields if name != "workspace"), *more)


KEYS: Final = Table("keys", _of(KeyRow))
FACTS: Final = Table("facts", _of(OwnedFact, "subject_key", "normal_digest"))
ANSWERS: Final = Table("answers", _of(AnswerRow))
MEANINGS: Final = Table("meanings", ("model",), key=0)

COPIED: Final = (
    KEYS,
    Table("people", ("person_id", "name", "name_key")),
    Table("members", ("name_key", "name")),
    Table("workers", _of(WorkerRow)),
    Table("credits", ("balance",), key=0),
    Table("capturing", ("worker",), key=0),
    FACTS,
    Table("vectors", ("row", "vector")),
    Table("vectors_pending", ("hidden", "row"), key=2),
    Table("decisions", ("place", *Decision._fields)),
    ANSWERS,
    MEANINGS,
)
"""What is copied row by row, in an order in which nothing comes before what it names."""

MADE_ANEW: Final = (
    Table("shelves", ("shelf", "facts", "terms"), only="facts > 0"),
    # A longer term is kept in a shorter form where an index could not hold it.
    Table("frequencies", ("shelf", "term", "facts"), key=2, only="facts > 0 AND length(term) <= 400"),
)
"""What a store keeps beside its facts to find them by; made as facts are written, and compared like the rest."""

NUMBERED: Final = (("facts", "row"), ("decisions", "place"), ("answers", "place"))
"""What a database numbers by itself, in the order in which it came."""


_TOLD_EVERY: Final = 1000


class Digest(NamedTuple):
    """How many rows a table has, and the sum of their SHA-256, in hexadecimal digits.

    A sum, since databases need not agree on an order of texts; the order in which things came is a column.
    """

    rows: int
    sum: str


def count_rows(connection: Connection, workspace: int, table: Table, only: str = "TRUE") -> int:
    (count,) = connection.execute(
        f"SELECT count(*) FROM {table.name} WHERE workspace = ? AND {table.only} AND {only}", (workspace,)
    ).fetchone()
    return int(count)


def each_row(connection: Connection, workspace: int, table: Table, only: str = "TRUE") -> Iterator[Row]:
    """The rows of a workspace in their order, in little memory however many there are."""
    order = f" ORDER BY {_key(table)}" if table.key else ""
    return _each(connection, workspace, table, f"{only}{order}")


def _each(connection: Connection, workspace: int, table: Table, which: str) -> Iterator[Row]:
    return connection.each(
        f"SELECT {_columns(table)} FROM {table.name} WHERE workspace = ? AND {table.only} AND {which}",
        (workspace,),
    )


def digest_of(
    connection: Connection, workspace: int, table: Table, tell: Callable[[int], None] = lambda _: None
) -> Digest:
    """The same for the same rows, in whichever store; `tell` is told now and then how many rows are done."""
    rows = total = 0
    for row in _each(connection, workspace, table, "TRUE"):
        # Numbers, texts and bytes come as the same from every database, and Python writes each in one way.
        total += int.from_bytes(sha256(repr(row).encode()), "big")
        rows += 1
        if not rows % _TOLD_EVERY:
            tell(rows)
    tell(rows)
    return Digest(rows, f"{total % 2**256:064x}")


def rows_of(connection: Connection, workspace: int, table: Table, keys: Sequence[Row]) -> list[Row]:
    """The rows that have one of these keys."""
    if not table.key:
        return list(each_row(connection, workspace, table))
    one = f"({', '.join('?' * table.key)})"
    found = connection.execute(
        f"SELECT {_columns(table)} FROM {table.name} WHERE workspace = ? "
        f"AND ({_key(table)}) IN (VALUES {', '.join([one] * len(keys))})",
        (workspace, *(value for key in keys for value in key)),
    )
    return found.fetchall()


def insert_rows(connection: Connection, workspace: int, table: Table, rows: Sequence[Row]) -> None:
    """Write rows as they are; facts with their place in the indexes and the totals."""
    connection.executemany(
        f"INSERT INTO {table.name} (workspace, {_columns(table)}) "
        f"VALUES ({', '.join('?' * (1 + len(table.columns)))})",
        [(workspace, *row) for row in rows],
    )
    if table is FACTS:
        for row, shelf, terms in _places(rows, "row", "shelf", "terms"):
            if shelf in SEARCHED_SHELVES:
                connection.dialect.move(connection, workspace, row, terms, None, shelf)


def update_column(
    connection: Connection, workspace: int, table: Table, column: str, values: Iterable[tuple[Any, Any]]
) -> None:
    """Give a column of rows another value each: pairs of the key and the value."""
    connection.executemany(
        f"UPDATE {table.name} SET {column} = ? WHERE workspace = ? AND {_key(table)} = ?",
        [(value, workspace, key) for key, value in values],
    )


def _places(rows: Iterable[Row], *columns: str) -> Iterator[Row]:
    places = [FACTS.place(column) for column in columns]
    return (tuple(row[place] for place in places) for row in rows)


def _columns(table: Table) -> str:
    return ", ".join(table.columns)


def _key(table: Table) -> str:
    return ", ".join(table.columns[: table.key])
