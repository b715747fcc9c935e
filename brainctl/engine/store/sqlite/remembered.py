"""Vectors that need not be read from a file again."""

import sqlite3
from collections.abc import Callable, Hashable

from brainctl.engine.facts import Vectors


class Remembered:
    """The vectors that were read last through a connection, until something is written to the file."""

    def __init__(self) -> None:
        self._of: tuple[Hashable, int, int] | None = None
        self._vectors = Vectors([], b"")

    def vectors(
        self, connection: sqlite3.Connection, which: Hashable, read: Callable[[], Vectors]
    ) -> Vectors:
        # The one number changes with what others write, the other with what this connection does.
        (others,) = connection.execute("PRAGMA data_version").fetchone()
        of = which, int(others), connection.total_changes
        if of != self._of:
            self._of, self._vectors = of, read()
        return self._vectors
