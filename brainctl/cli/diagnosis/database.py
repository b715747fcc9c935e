"""The database that holds a brain of one's own: whether it is reached and new enough, and what time it has."""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from brainctl.cli.diagnosis.finding import Finding, ok, warning

if TYPE_CHECKING:
    from brainctl.engine.store.postgres.health import Health

OFFSET_MOST: Final = 5.0
"""Seconds. Further apart than these, and what is read off both clocks does not fit together."""


class Database:
    """Looks at a database once, for several findings."""

    def __init__(self, address: str, clock: Callable[[], float] = time.time) -> None:
        self._address = address
        self._clock = clock
        self._health: Health | None = None

    def reached(self) -> Finding:
        """Whether it can be reached, and holds brains. Raises `BrainError` where it does not."""
        health = self._looked()
        return ok(f"PostgreSQL {health.version}, workspaces: {health.workspaces}; {self._address}")

    def clock(self) -> Finding:
        """Whether this machine's clock agrees with the database's, by which answers and limits are timed."""
        health = self._looked()
        if abs(health.offset) > OFFSET_MOST:
            where = "behind" if health.offset > 0 else "ahead of"
            return warning(
                f"this machine's clock is {abs(health.offset):,.0f} s {where} the database's",
                "Set the clock; a time service keeps it right.",
            )
        return ok(f"agrees with the database's to {max(abs(health.offset), 0.1):.1f} s")

    def _looked(self) -> "Health":
        if self._health is None:
            from brainctl.engine.store.opening import look_at_database

            self._health = look_at_database(self._address, self._clock)
        return self._health
