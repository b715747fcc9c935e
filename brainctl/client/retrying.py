"""Trying again: what is worth it, how long to wait first, and saying so."""

import os
import time
from collections.abc import Callable
from typing import Final, TypeVar

from brainctl.client.failures import ExchangeError

T = TypeVar("T")

BACKOFF_FIRST: Final = 0.5
BACKOFF_MAX: Final = 8.0
RATE_JITTER: Final = 0.2
"""Shells that were refused together must not come back together; none may come back early."""


def random_fraction() -> float:
    """A number from 0 to 1 that no two shells share."""
    return int.from_bytes(os.urandom(4)) / 0xFFFFFFFF


def say_nothing(_text: str) -> None:
    pass


class Retrying:
    """Runs an exchange up to `retries` more times.

    `rate_limited` is always worth a wait, since nothing was begun. Everything else that may pass is tried again
    only where the exchange is `repeatable`: where doing it twice does no harm.
    """

    def __init__(
        self,
        retries: int = 3,
        *,
        notify: Callable[[str], None] = say_nothing,
        sleep: Callable[[float], None] = time.sleep,
        jitter: Callable[[], float] = random_fraction,
    ) -> None:
        self.retries = retries
        self._notify = notify
        self._sleep = sleep
        self._jitter = jitter

    def run(self, attempt: Callable[[], T], *, repeatable: bool) -> T:
        """What `attempt` returns. Raises its last error where trying again is no use or no longer allowed."""
        tried = 0
        may_be_done = False
        while True:
            try:
                return attempt()
            except ExchangeError as error:
                error.retried = may_be_done
                may_be_done = error.may_be_done
                if tried >= self.retries or not _is_worth_it(error, repeatable=repeatable):
                    raise
                wait = self._wait(error, tried)
                tried += 1
                self._notify(
                    f"{_reason(error)}: trying again in {wait:.{1 if wait < 10 else 0}f} s ({tried} of {self.retries})."
                )
            self._sleep(wait)

    def _wait(self, error: ExchangeError, tried: int) -> float:
        if error.wait_seconds is not None:
            return error.wait_seconds * (1 + RATE_JITTER * self._jitter())
        return float(min(BACKOFF_MAX, BACKOFF_FIRST * 2**tried)) * (1 + self._jitter())


def _is_worth_it(error: ExchangeError, *, repeatable: bool) -> bool:
    return error.transient and (repeatable or error.wait_seconds is not None)


def _reason(error: ExchangeError) -> str:
    if error.wait_seconds is not None:
        return "Rate limited"
    if error.http_status is not None:
        return f"The brain answered with HTTP {error.http_status}"
    return error.message.removesuffix(".").partition("; ")[0]
