"""What the store's SQL asks of a database: connections that speak it, and what each database says in its own way.

The SQL of this folder runs on every database; what does not stands in the database's own folder.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from brainctl.engine.disclosure import Shelf


class Cursor(Protocol):
    @property
    def rowcount(self) -> int: ...

    def fetchone(self) -> Any: ...

    def fetchall(self) -> list[Any]: ...

    def fetchmany(self, size: int, /) -> list[Any]: ...

    def __iter__(self) -> Iterator[Any]: ...


class Query(NamedTuple):
    sql: str
    parameters: Sequence[Any]


class Among(NamedTuple):
    """What stands behind FROM and behind WHERE to look up some facts."""

    source: str
    where: str
    parameters: Sequence[Any]


class Connection(Protocol):
    """An open connection inside a transaction. A `?` stands for each parameter."""

    @property
    def dialect(self) -> "Dialect": ...

    def execute(self, sql: str, parameters: Sequence[Any] = ..., /) -> Cursor: ...

    def executemany(self, sql: str, parameters: Iterable[Sequence[Any]], /) -> object: ...

    def ask(self, queries: Iterable[Query], /) -> list[list[Any]]:
        """The rows of each of the queries, for which all are sent before the first is waited for where that helps."""

    def each(self, sql: str, parameters: Sequence[Any], /) -> Iterator[Any]:
        """The rows one after the other, in little memory however many there are."""


class Dialect(Protocol):
    """What a database says in its own way, above all how facts are found by their words.

    `unclaimed` ends a query that takes a row to change it: rows that others have taken are left out. `named` ends one
    that takes a row to write others that name it, and `going` one that takes rows to remove them: they wait for each
    other. The queries it
    gives have one column, `found`: the rows of some facts.
    """

    @property
    def unclaimed(self) -> str: ...

    @property
    def named(self) -> str: ...

    @property
    def going(self) -> str: ...

    @property
    def by_row(self) -> str:
        """Follows the name of a table: its rows are looked up by their numbers, where the database needs to be told."""

    def by_index(self, name: str) -> str:
        """Follows the name of a table: its rows are looked up by this index, where the database needs to be told."""

    def among(self, queries: Sequence[Query]) -> Iterable[Among]:
        """How to look up the facts whose rows any of the queries finds, and to do it last: in one statement or more."""

    def matching(self, workspace: int, shelf: Shelf, terms: Sequence[str], most: int) -> Query:
        """The best facts of a shelf that have any of the terms, by BM25 over that shelf alone."""

    def newest(self, workspace: int, shelf: Shelf, terms: Sequence[str], most: int) -> Query:
        """The newest facts of a shelf that have all of the terms."""

    def frequencies(
        self, connection: Any, workspace: int, shelves: Sequence[Shelf], terms: Iterable[str]
    ) -> dict[str, int]:
        """In how many facts of some shelves each of the terms occurs."""

    def alike(
        self, connection: Any, workspace: int, shelves: Sequence[Shelf], term: str, start: int
    ) -> list[tuple[str, int]]:
        """The terms of some shelves that begin with the same letters and are about as long, with their frequencies."""

    def add_fact(self, connection: Any, values: Mapping[str, Any]) -> int:
        """Write the columns of a fact, and give the number of its row: behind those of all others of its workspace."""

    def move(
        self,
        connection: Any,
        workspace: int,
        row: int,
        found_by: str,
        source: Shelf | None,
        target: Shelf | None,
    ) -> None:
        """Take a fact from one shelf's index and totals to another's, None being none. `found_by` are its terms."""

    def unhurried(self, connection: Any) -> None:
        """Let this transaction take as long as it takes."""

    def plan_for_one(self, connection: Any) -> None:
        """Let what this transaction asks be planned for its own workspace, however large others are."""

    def number_on(self, connection: Any, workspace: int, table: str, column: str) -> None:
        """Number what is added to a table from now on behind the rows that brought numbers of their own."""

    def is_repeat(self, error: Exception) -> bool:
        """Whether an error says that a row was to be written that may not be there beside another one."""

    def compact(self, connection: Any) -> None:
        """Leave no trace in the indexes of what was taken out of them."""
