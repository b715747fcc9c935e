"""How many requests a key has had in its window: exact over all threads, processes and hosts that serve one store.

Each accepted request is remembered by its time, until that is a window ago; a refused one is not, so that whoever
waits as long as they are told to gets in, however often they tried before. Where the times lie is the store's.
"""

from array import array
from bisect import bisect_right
from collections.abc import Callable
from typing import Final

from brainctl.contract.bounds import RATE_REQUESTS, RATE_WINDOW_SECONDS
from brainctl.contract.errors import BrainError
from brainctl.engine.store.opening import open_windows

_WINDOW_MS: Final = RATE_WINDOW_SECONDS * 1000


class RateWindow:
    """The windows of a store's keys. May be used from any thread. The clock is the store's own unless given."""

    def __init__(self, address: str, clock: Callable[[], float] | None = None) -> None:
        self._windows = open_windows(address, clock)

    def count(self, workspace: int, key_id: str, requests: int = 1) -> None:
        """Count so many requests of a key, all or none. Raises `rate_limited`, and `store_error`."""
        fits = False

        def rule(before: "array[int]", now_ms: int) -> "array[int]":
            nonlocal fits
            after, fits = counted(before, now_ms, requests)
            return after

        self._windows.change(workspace, key_id, rule)
        if not fits:
            raise BrainError("rate_limited", details={"retry_after_seconds": RATE_WINDOW_SECONDS})

    def close(self) -> None:
        self._windows.close()


def counted(before: "array[int]", now_ms: int, requests: int) -> "tuple[array[int], bool]":
    """The times of a window after so many more requests, in their order, and whether these were let in."""
    accepted = before[bisect_right(before, now_ms - _WINDOW_MS) :]
    if accepted and accepted[-1] > now_ms:
        # The clock was put back. Later times become this moment's, and so last for one window at most.
        accepted = array("q", (min(each, now_ms) for each in accepted))
    fits = len(accepted) + requests <= RATE_REQUESTS
    if fits:
        accepted.extend([now_ms] * requests)
    return accepted, fits
