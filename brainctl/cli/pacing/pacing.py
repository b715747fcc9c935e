"""Keeps all requests that this machine makes with one key below its rate limit, so that none of them is refused."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from brainctl.cli.pacing.rate_file import SharedSlots
from brainctl.cli.pacing.rate_slots import Limit
from brainctl.client.failures import ExchangeError, TurnTooLateError

SAID_FROM: Final = 1.0
"""Seconds of waiting that are worth a line."""


class Pace:
    """Gives each request its turn. `notify` is told of a wait before it begins."""

    def __init__(
        self,
        slots: SharedSlots,
        limit: Limit,
        *,
        notify: Callable[[str], None],
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._slots = slots
        self._limit = limit
        self._notify = notify
        self._sleep = sleep
        self._clock = clock

    @contextmanager
    def turn(self, longest: float | None = None) -> Iterator[None]:
        """One exchange: begins when it may, and tells the others what came of it.

        Raises `TurnTooLateError` where that would be more than `longest` seconds from now; nobody is kept waiting for it.
        """
        ticket = self._waited_for(longest)
        try:
            yield
        except ExchangeError as error:
            seconds = error.wait_seconds
            if seconds is not None:
                self._slots.change(lambda slots, now: slots.hold(now + seconds))
            raise
        finally:
            self._slots.change(lambda slots, now: slots.answered(ticket, now))

    def _waited_for(self, longest: float | None) -> int:
        latest = None if longest is None else self._clock() + longest
        ticket, due = self._slots.change(lambda slots, now: slots.reserve(self._limit, now))
        try:
            while (seconds := due - self._clock()) > 0:
                if latest is not None and due > latest:
                    raise TurnTooLateError
                if seconds >= SAID_FROM:
                    self._notify(f"Waiting {seconds:.0f} s for this key's rate limit.")
                self._sleep(seconds)
                before = due
                due = self._slots.change(lambda slots, _: slots.due(ticket, self._limit))
                if due <= before:
                    break
        except BaseException:
            self._slots.change(lambda slots, _: slots.give_back(ticket))
            raise
        return ticket
