"""Stores by their address: each kind of address has a database of its own."""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from brainctl.contract.errors import BrainError
from brainctl.engine.ids import Entropy
from brainctl.engine.store.store import Store

if TYPE_CHECKING:
    from brainctl.engine.store.postgres.health import Health
    from brainctl.engine.store.windows import Windows

DATABASES: Final = ("postgresql://", "postgres://")
"""How the address of a database begins; any other address is the path of a file."""


def is_database(address: str) -> bool:
    return address.startswith(DATABASES)


@contextmanager
def extra() -> Iterator[None]:
    """Import what is an extra. Raises `store_error` where it is not installed."""
    try:
        yield
    except ImportError:
        raise BrainError(
            "store_error",
            "Brains in PostgreSQL need the extra of that name; install it with "
            "`pip install 'alfera-brainctl[postgres]'`",
        ) from None


def find_store(address: str) -> Store | None:
    """Open a brain's store; None where there is none yet. Raises `store_error`."""
    if is_database(address):
        with extra():
            from brainctl.engine.store.postgres.store import find_in_database
        return find_in_database(address)
    return open_store(address) if os.path.lexists(address) else None


def look_at_database(address: str, clock: Callable[[], float]) -> "Health":
    """How a database is. Raises `store_error` where it cannot be used."""
    with extra():
        from brainctl.engine.store.postgres.health import look
    return look(address, clock)


def open_store(address: str, *, any_thread: bool = False) -> Store:
    """Open a brain's store, bringing an older one up to date. Raises `store_error` with what to do about it.

    With `any_thread` it may go from thread to thread, one at a time; else it stays in the one that opened it.
    """
    if is_database(address):
        with extra():
            from brainctl.engine.store.postgres.store import open_database
        return open_database(address, any_thread=any_thread)
    from brainctl.engine.store.sqlite.store import open_file

    return open_file(address, any_thread=any_thread)


def create_store(
    address: str,
    name: str = "local",
    *,
    clock: Callable[[], float] = time.time,
    entropy: Entropy = os.urandom,
) -> Store:
    """Make a brain with one empty workspace, and open it. Raises `store_error` where there is one already."""
    if is_database(address):
        with extra():
            from brainctl.engine.store.postgres.store import create_in_database
        return create_in_database(address, name, clock=clock)
    from brainctl.engine.store.sqlite.making import create_file

    return create_file(address, name, clock=clock, entropy=entropy)


def open_windows(address: str, clock: Callable[[], float] | None = None) -> "Windows":
    """The times of each key's requests, beside a store. The clock is the store's own unless given."""
    if is_database(address):
        with extra():
            from brainctl.engine.store.postgres.windows import TableWindows
        return TableWindows(address, clock)
    from brainctl.engine.store.sqlite.windows import FileWindows

    return FileWindows(address, clock)
