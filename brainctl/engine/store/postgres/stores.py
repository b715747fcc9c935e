"""A database's stores, for programs of many threads."""

from collections.abc import Callable
from contextlib import AbstractContextManager

from brainctl.engine.store.postgres.clock import DatabaseClock
from brainctl.engine.store.postgres.listening import Listening
from brainctl.engine.store.postgres.store import open_database
from brainctl.engine.store.store import Store
from brainctl.engine.store.stores import KeptStores


class DatabaseStores(KeptStores):
    """As many connections as were ever needed at once, which know the time together."""

    def __init__(self, address: str) -> None:
        super().__init__(address)
        self._clock = DatabaseClock()

    def clock(self) -> float:
        """Raises `store_error` where the database was never reached."""
        if not self._clock.is_known:
            with self.lent() as store:
                store.clock()
        return self._clock()

    def _open(self) -> Store:
        return open_database(self.address, any_thread=True, clock=self._clock)

    def listening(
        self, hear: Callable[[str | None], None], log: Callable[[str], None]
    ) -> AbstractContextManager[object]:
        return Listening(self.address, hear, log)
