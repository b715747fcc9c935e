"""Giving facts their vectors in the background: one process of several, a little at a time, until all have theirs."""

import os
import time
from collections.abc import Callable
from threading import Event as Flag
from threading import Thread
from typing import Final

from brainctl.contract.errors import BrainError
from brainctl.engine import times
from brainctl.engine.ids import Entropy, new_id
from brainctl.engine.semantic.indexing import catch_up
from brainctl.engine.semantic.model import load_model
from brainctl.engine.store.indexing import leave_indexing, take_indexing
from brainctl.engine.store.store import Store
from brainctl.engine.store.stores import Stores

LEASE_SECONDS: Final = 30.0
"""How long a process that says nothing more is still taken to be at it."""
STRETCH_SECONDS: Final = 1.0
LOOK_SECONDS: Final = 5.0
"""How often a serving process looks whether facts wait."""


def index(
    store: Store,
    workspace: int,
    *,
    is_over: Callable[[], bool] = lambda: False,
    tell: Callable[[int], None] | None = None,
    clock: Callable[[], float] = time.time,
    entropy: Entropy = os.urandom,
) -> bool:
    """Give vectors to all facts that have none, and say whether all have theirs: not so where another process is at it,
    or `is_over` said so meanwhile. Raises `store_error`, also where the model cannot be used.
    """
    load_model()
    holder = new_id("index", times.now_ms(clock()), entropy)
    try:
        while True:
            now_ms = times.now_ms(clock())
            with store.transaction(("indexing", workspace)) as connection:
                until_ms = now_ms + int(LEASE_SECONDS * 1000)
                if not take_indexing(connection, workspace, holder, now_ms, until_ms):
                    return False
            if catch_up(store, workspace, STRETCH_SECONDS, tell):
                return True
            if is_over():
                return False
    finally:
        with store.transaction() as connection:
            leave_indexing(connection, workspace, holder)


class Indexer:
    """A thread of a serving process that sees to facts without vectors, from `start` to `stop`."""

    def __init__(self, stores: Stores, log: Callable[[str], None]) -> None:
        self._stores = stores
        self._log = log
        self._stopping = Flag()
        self._told: str | None = None
        self._thread = Thread(target=self._work, name="indexing", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stopping.set()
        self._thread.join()

    def _work(self) -> None:
        while not self._stopping.is_set():
            try:
                with self._stores.lent() as store:
                    for workspace in filter(store.awaits_meanings, store.workspaces()):
                        index(store, workspace, is_over=self._stopping.is_set)
            except BrainError as error:
                # Told once: without its model a brain goes on by words, and nobody wants to read that all day.
                if error.message != self._told:
                    self._log(f"Facts wait to be found by their meaning: {error.message}")
                self._told = error.message
            self._stopping.wait(LOOK_SECONDS)
