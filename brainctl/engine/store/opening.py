"""Stores by their address: each kind of address has a database of its own."""

import os
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from brainctl.engine.ids import Entropy
from brainctl.engine.store.store import Store

if TYPE_CHECKING:
    from brainctl.engine.store.windows import Windows


def open_store(address: str, *, any_thread: bool = False) -> Store:
    """Open a brain's store, bringing an older one up to date. Raises `store_error` with what to do about it.

    With `any_thread` it may go from thread to thread, one at a time; else it stays in the one that opened it.
    """
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
    from brainctl.engine.store.sqlite.making import create_file

    return create_file(address, name, clock=clock, entropy=entropy)


def open_windows(address: str, clock: Callable[[], float] | None = None) -> "Windows":
    """The times of each key's requests, beside a store. The clock is the store's own unless given."""
    from brainctl.engine.store.sqlite.windows import FileWindows

    return FileWindows(address, clock)
