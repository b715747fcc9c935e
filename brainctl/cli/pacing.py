"""Keeps a run of calls below a key's rate limit, so that none of them is refused."""

import time
from collections import deque
from collections.abc import Callable

from brainctl.contract.bounds import RATE_REQUESTS, RATE_WINDOW_SECONDS


class Pace:
    """At most `requests` calls in any `window` seconds of this process; the first ones go at full speed."""

    def __init__(
        self,
        requests: int = RATE_REQUESTS,
        window: float = RATE_WINDOW_SECONDS,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._requests = requests
        self._window = window
        self._clock = clock
        self._sleep = sleep
        self._times: deque[float] = deque()

    def wait(self, notify: Callable[[float], None]) -> None:
        """Wait until one more call fits; `notify` is told the seconds where that is not now."""
        now = self._clock()
        while self._times and self._times[0] <= now - self._window:
            self._times.popleft()
        if len(self._times) >= self._requests:
            seconds = self._times[0] + self._window - now
            notify(seconds)
            self._sleep(seconds)
            now = self._clock()
            self._times.popleft()
        self._times.append(now)
