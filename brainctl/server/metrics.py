"""Counters of a served brain, in the text form that Prometheus reads.

They lie in one block of memory with a row for each process, which alone writes to it; whichever process is asked
adds the rows up.
"""

import mmap
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import Final

BUCKETS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 60.0)
"""Upper bounds in seconds."""
STATUSES: Final = (200, 202, 204, 400, 401, 402, 403, 404, 405, 409, 422, 429, 500, 503, 0)
"""The last one stands for all others."""
OTHER: Final = "other"
"""The route of what has none."""

TEXT_TYPE: Final = b"text/plain; version=0.0.4; charset=utf-8"

_HELP: Final = {
    "facts": "Current facts in the brain.",
    "queue_depth": "Answers that wait to be run.",
}


class Metrics:
    """The counters of one process among `processes`. Made before the processes part, so that they share the memory."""

    def __init__(self, routes: Sequence[str], processes: int = 1) -> None:
        self._routes = (*routes, OTHER)
        self._a_route = len(STATUSES) + len(BUCKETS) + 2
        self._a_process = 1 + len(self._routes) * self._a_route
        self._values = memoryview(mmap.mmap(-1, 8 * processes * self._a_process)).cast("d")
        self._own = 0

    def be_process(self, place: int) -> None:
        """Write to this process's row from now on. A row outlives a process: counters never fall."""
        self._own = place * self._a_process
        self._values[self._own] = 0.0

    def request(self, route: str, status: int, seconds: float) -> None:
        at = self._own + self._place(route)
        counted = status if status in STATUSES else 0
        self._values[at + STATUSES.index(counted)] += 1
        at += len(STATUSES)
        self._values[at + bisect_left(BUCKETS, seconds)] += 1
        self._values[at + len(BUCKETS) + 1] += seconds

    def stream(self, change: int) -> None:
        """A stream was opened (1) or has ended (-1)."""
        self._values[self._own] += change

    def text(self, figures: Mapping[str, int]) -> bytes:
        """All of it, with what the brain says of itself."""
        lines = [
            "# HELP brainctl_http_requests_total Requests by route and status.",
            "# TYPE brainctl_http_requests_total counter",
        ]
        for route in self._routes:
            for place, status in enumerate(STATUSES):
                if count := self._sum(self._place(route) + place):
                    labels = f'route="{route}",code="{status or OTHER}"'
                    lines.append(f"brainctl_http_requests_total{{{labels}}} {int(count)}")
        lines += [
            "# HELP brainctl_http_request_seconds How long requests took; a stream, to its end.",
            "# TYPE brainctl_http_request_seconds histogram",
        ]
        for route in self._routes:
            lines += self._histogram(route)
        lines += [
            "# HELP brainctl_active_streams Answers that are being streamed now.",
            "# TYPE brainctl_active_streams gauge",
            f"brainctl_active_streams {int(self._sum(0))}",
        ]
        for name, value in figures.items():
            lines += [
                f"# HELP brainctl_{name} {_HELP.get(name, name)}",
                f"# TYPE brainctl_{name} gauge",
                f"brainctl_{name} {value}",
            ]
        return "\n".join([*lines, ""]).encode()

    def _histogram(self, route: str) -> list[str]:
        at = self._place(route) + len(STATUSES)
        lines = []
        count = 0.0
        for place, bound in enumerate((*(f"{bucket:g}" for bucket in BUCKETS), "+Inf")):
            count += self._sum(at + place)
            lines.append(f'brainctl_http_request_seconds_bucket{{route="{route}",le="{bound}"}} {int(count)}')
        if not count:
            return []
        seconds = self._sum(at + len(BUCKETS) + 1)
        return [
            *lines,
            f'brainctl_http_request_seconds_sum{{route="{route}"}} {seconds:.6f}',
            f'brainctl_http_request_seconds_count{{route="{route}"}} {int(count)}',
        ]

    def _place(self, route: str) -> int:
        return 1 + self._routes.index(route) * self._a_route

    def _sum(self, place: int) -> float:
        return sum(self._values[place :: self._a_process])
