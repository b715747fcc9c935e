"""A brain's file, open as often as it is used at once: for programs of many threads."""

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

from brainctl.engine.store.sqlite.store import SqliteStore, open_store


class Stores:
    """Hands an open store to whichever thread needs one, and takes it back. May be used from any thread.

    As many are kept open as were ever lent out at once; the one that came back last is lent first, since its
    cache is warm.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self._free: deque[SqliteStore] = deque()

    @contextmanager
    def lent(self) -> Iterator[SqliteStore]:
        """A store for this thread alone. Raises `store_error`."""
        try:
            store = self._free.pop()
        except IndexError:
            store = open_store(self.path, any_thread=True)
        try:
            yield store
        finally:
            self._free.append(store)

    def close(self) -> None:
        """Close what is not lent out now."""
        while self._free:
            self._free.pop().close()
