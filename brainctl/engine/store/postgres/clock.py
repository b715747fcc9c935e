"""One clock for all hosts: the database's."""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from brainctl.engine.store.postgres.connection import PostgresConnection

_ASK_AGAIN_SECONDS: Final = 10.0
_NOW: Final = "SELECT CAST(extract(epoch FROM clock_timestamp()) AS float8)"


class DatabaseClock:
    """The database's clock as it is known here: asked now and then, and counted on from what it said.

    Counted by `elapsed`, which nobody sets: this machine's own time of day has no say. May be used from any thread.
    """

    def __init__(self, elapsed: Callable[[], float] = time.monotonic) -> None:
        self._elapsed = elapsed
        self._told: tuple[float, float] | None = None

    def __call__(self) -> float:
        """Seconds since 1970. It has been asked before."""
        assert self._told is not None
        said, at = self._told
        return said + (self._elapsed() - at)

    @property
    def is_known(self) -> bool:
        return self._told is not None

    @property
    def is_due(self) -> bool:
        """Whether it should be asked again."""
        return self._told is None or self._elapsed() - self._told[1] >= _ASK_AGAIN_SECONDS

    def ask(self, connection: "PostgresConnection") -> None:
        """Ask the database. Raises psycopg's errors."""
        before = self._elapsed()
        (said,) = connection.execute(_NOW).fetchone()
        # It looked at its clock somewhere on the way there and back: most likely in the middle.
        self._told = said, (before + self._elapsed()) / 2
