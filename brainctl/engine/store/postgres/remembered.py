"""Vectors that need not be read from a database again."""

from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING

from brainctl.engine.facts import Vectors

if TYPE_CHECKING:
    from brainctl.engine.disclosure import Viewer
    from brainctl.engine.store.postgres.connection import PostgresConnection


class Remembered:
    """The vectors that were read last, until something changes them."""

    def __init__(self) -> None:
        self._of: tuple[Hashable, ...] | None = None
        self._vectors = Vectors([], b"")

    def vectors(
        self, connection: "PostgresConnection", which: "Viewer", read: Callable[[], Vectors]
    ) -> Vectors:
        found = connection.execute(
            "SELECT model, changes FROM meanings WHERE workspace = ?", (which.workspace,)
        ).fetchone()
        of = (which, *(found or ()))
        if of != self._of:
            self._of, self._vectors = of, read()
        return self._vectors
