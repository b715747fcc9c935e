"""Who may send a request when, so that a key stays below its rate limit: slots in a sliding window, first come first served."""

from typing import Any, Final, NamedTuple, Self

from brainctl.contract.bounds import RATE_REQUESTS, RATE_WINDOW_SECONDS
from brainctl.contract.errors import BrainError

MARGIN: Final = 0.001
"""The part of a window that two clocks may drift apart in it."""

LATEST_SECONDS: Final = 86_400
"""No request is put off for longer; a file that says so is damaged."""


class Limit(NamedTuple):
    """At most so many requests in any so many seconds."""

    requests: int = RATE_REQUESTS
    seconds: float = RATE_WINDOW_SECONDS

    @property
    def window(self) -> float:
        return self.seconds * (1 + MARGIN)


def limit_of(variable: str | None) -> Limit | None:
    """The limit that BRAINCTL_PACING sets: None for `off`, `N/S` for a brain with one of its own. Raises `usage`."""
    if not variable:
        return Limit()
    if variable == "off":
        return None
    requests, slash, seconds = variable.partition("/")
    try:
        # Python would read digits with underscores between them as a number too.
        limit = Limit(0, 0) if "_" in variable else Limit(int(requests), float(seconds))
    except ValueError:
        limit = Limit(0, 0)
    if not slash or limit.requests < 1 or not 0 < limit.seconds <= LATEST_SECONDS:
        raise BrainError(
            "usage",
            "BRAINCTL_PACING is off, or a number of requests and the seconds they may be sent in, such as 120/60; "
            f"got {variable!r}.",
        )
    return limit


class Slots:
    """The requests of the last window and those to come, in the order they were asked for. Times are seconds of one clock.

    A slot is a ticket and a time: when its request may leave, and once it was answered, when that was. The brain
    counted it somewhere in between, so a request that leaves a window later is certainly in another window.
    """

    def __init__(self) -> None:
        self._slots: dict[int, float] = {}
        self._next = 0
        self._not_before = 0.0
        self._written = 0.0

    @classmethod
    def read(cls, document: Any, now: float) -> Self:
        """What `document` gave. Raises `ValueError`, `TypeError` or `KeyError` for anything else, and for times before a
        restart of the machine, whose clock began anew.
        """
        slots = cls()
        slots._slots = {int(ticket): float(time) for ticket, time in document["slots"]}
        slots._next = int(document["next"])
        slots._not_before = float(document["not_before"])
        slots._written = float(document["written"])
        latest = now + LATEST_SECONDS
        if not slots._written <= now or not all(
            time <= latest for time in (slots._not_before, *slots._slots.values())
        ):
            raise ValueError
        return slots

    def document(self, now: float) -> dict[str, Any]:
        return {
            "written": now,
            "not_before": self._not_before,
            "next": self._next,
            "slots": list(self._slots.items()),
        }

    def reserve(self, limit: Limit, now: float) -> tuple[int, float]:
        """A ticket for one request, and when it may leave: never before one that was asked for earlier."""
        self._slots = {ticket: time for ticket, time in self._slots.items() if time > now - limit.window}
        ticket = self._next
        self._next += 1
        times = sorted(self._slots.values())
        due = max(now, self._not_before, times[-1] if times else now)
        self._slots[ticket] = due = max(due, _free_at(times, limit))
        return ticket, due

    def due(self, ticket: int, limit: Limit) -> float:
        """When the request may leave as things are now: those before it may have taken longer, or have been refused."""
        if ticket not in self._slots:
            return 0.0
        earlier = sorted(time for other, time in self._slots.items() if other < ticket)
        self._slots[ticket] = due = max(self._slots[ticket], self._not_before, _free_at(earlier, limit))
        return due

    def answered(self, ticket: int, now: float) -> None:
        if ticket in self._slots:
            self._slots[ticket] = now

    def give_back(self, ticket: int) -> None:
        """The request was not sent after all."""
        self._slots.pop(ticket, None)

    def hold(self, until: float) -> None:
        """The brain refused one: none leaves before."""
        self._not_before = max(self._not_before, until)


def _free_at(times: list[float], limit: Limit) -> float:
    """When one more fits after these, which are sorted."""
    return times[-limit.requests] + limit.window if len(times) >= limit.requests else 0.0
