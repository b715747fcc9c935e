"""New facts: written one by one where they are few, and in one stream where they are many."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from psycopg import Connection

_AT_ONCE_MOST: Final = 1000
_STREAM_FROM: Final = 20
_MORE_NUMBERS: Final = 500


class Arrivals:
    """The facts of one transaction that are not sent yet. They are sent before anything else is asked.

    Each has its number from the beginning, for which the others of a transaction need not be waited for.
    """

    def __init__(self, connection: "Connection[Any]") -> None:
        self._connection = connection
        self.clear()

    def clear(self) -> None:
        self._columns: tuple[str, ...] = ()
        self.waiting: list[tuple[Any, ...]] = []
        self._numbers: list[int] = []
        self._are_many = False

    def add(self, values: Mapping[str, Any]) -> int:
        """Write a fact some time before the next statement, and give the number of its row."""
        row = self._next_number()
        self._columns = ("row", *values)
        self.waiting.append(
            (row, *(int(each) if isinstance(each, bool) else each for each in values.values()))
        )
        if len(self.waiting) >= _AT_ONCE_MOST:
            self.send()
        return row

    def _next_number(self) -> int:
        if not self._numbers:
            # Who adds a second one is likely to add many; numbers that nobody takes are no loss.
            rows = self._connection.execute(
                b"SELECT nextval('facts_row_seq') FROM generate_series(1, %s)",
                (_MORE_NUMBERS if self._are_many else 1,),
            )
            self._numbers = sorted((number for (number,) in rows), reverse=True)
            self._are_many = True
        return self._numbers.pop()

    def send(self) -> None:
        """Send what is waiting."""
        waiting, self.waiting = self.waiting, []
        columns = ", ".join(self._columns)
        with self._connection.cursor() as cursor:
            if len(waiting) < _STREAM_FROM:
                marks = ", ".join(["%s"] * len(self._columns))
                cursor.executemany(f"INSERT INTO facts ({columns}) VALUES ({marks})".encode(), waiting)  # noqa: S608 - the names of columns
                return
            with cursor.copy(f"COPY facts ({columns}) FROM STDIN".encode()) as stream:
                for row in waiting:
                    stream.write_row(row)
