"""A brain's store, open as often as it is used at once: for programs of many threads."""

import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Final, Protocol

from brainctl.engine.store.opening import extra, is_database, open_store
from brainctl.engine.store.store import Store


class Stores(Protocol):
    """Hands an open store to whichever thread needs one, and takes it back. May be used from any thread."""

    @property
    def address(self) -> str: ...

    def clock(self) -> float:
        """Seconds since 1970, as all tell them who use the store."""

    @property
    def is_away(self) -> bool:
        """Whether who listens to the store knows that it cannot be reached now. Asked at once, without a try."""

    def lent(self) -> AbstractContextManager[Store]:
        """A store for this thread alone, for a moment. Raises `store_error`."""

    def listening(
        self, hear: Callable[[str | None], None], log: Callable[[str], None]
    ) -> AbstractContextManager[object]:
        """Inside, `hear` is told of each answer that any process says was queued or has ended, by its id.

        None stands for what may have been missed. It may be called from another thread, and does nothing where the
        store passes on no news. `log` is told why there is none for a while.
        """

    def close(self) -> None:
        """Close what is not lent out now, and the rest as it comes back."""


IDLE_SECONDS: Final = 60.0
"""How long one is kept open that nobody needs."""


class KeptStores:
    """Keeps as many open as were lent out at once in the last minute.

    The one that came back last is lent first, since its cache is warm.
    """

    def __init__(self, address: str, clock: Callable[[], float] = time.monotonic) -> None:
        self.address = address
        self._monotonic = clock
        self._free: deque[tuple[Store, float]] = deque()
        self._is_closed = False

    def clock(self) -> float:
        return time.time()

    @property
    def is_away(self) -> bool:
        return False

    @contextmanager
    def lent(self) -> Iterator[Store]:
        try:
            store, _ = self._free.pop()
        except IndexError:
            store = self._open()
        try:
            yield store
        finally:
            self._free.append((store, self._monotonic()))
            if self._is_closed:
                self.close()
            else:
                self._let_go()

    def _let_go(self) -> None:
        """Close the one that nobody has needed for longest, if that is long enough."""
        try:
            store, since = self._free.popleft()
        except IndexError:
            return
        if self._monotonic() - since > IDLE_SECONDS:
            store.close()
        else:
            self._free.appendleft((store, since))
            if self._is_closed:
                self.close()

    def _open(self) -> Store:
        return open_store(self.address, any_thread=True)

    def listening(
        self, hear: Callable[[str | None], None], log: Callable[[str], None]
    ) -> AbstractContextManager[object]:
        return nullcontext()

    def close(self) -> None:
        self._is_closed = True
        while self._free:
            store, _ = self._free.pop()
            store.close()


def open_stores(address: str) -> Stores:
    """The stores of an address; each is opened when it is first needed."""
    if is_database(address):
        with extra():
            from brainctl.engine.store.postgres.stores import DatabaseStores
        return DatabaseStores(address)
    return KeptStores(address)
