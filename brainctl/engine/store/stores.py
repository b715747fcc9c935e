"""A brain's store, open as often as it is used at once: for programs of many threads."""

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

from brainctl.engine.store.opening import open_store
from brainctl.engine.store.store import Store


class Stores:
    """Hands an open store to whichever thread needs one, and takes it back. May be used from any thread.

    As many are kept open as were ever lent out at once; the one that came back last is lent first, since its
    cache is warm.
    """

    def __init__(self, address: str) -> None:
        self.address = address
        self._free: deque[Store] = deque()

    @contextmanager
    def lent(self) -> Iterator[Store]:
        """A store for this thread alone. Raises `store_error`."""
        try:
            store = self._free.pop()
        except IndexError:
            store = open_store(self.address, any_thread=True)
        try:
            yield store
        finally:
            self._free.append(store)

    def close(self) -> None:
        """Close what is not lent out now."""
        while self._free:
            self._free.pop().close()
