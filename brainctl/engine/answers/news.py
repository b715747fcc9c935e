"""Who waits in this process hears at once of what was queued or has ended, wherever that was."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock

Hear = Callable[[str | None], None]
"""Is told the id of an answer; None where there may have been news that nobody heard. Must neither wait nor raise."""


class News:
    """Passes news on to all who listen now. May be used from any thread."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._listeners: tuple[Hear, ...] = ()

    def tell(self, answer_id: str | None) -> None:
        """Say that an answer was queued or has ended."""
        for hear in self._listeners:
            hear(answer_id)

    @contextmanager
    def heard(self, hear: Hear) -> Iterator[None]:
        """Tell this one too, inside."""
        with self._lock:
            self._listeners = (*self._listeners, hear)
        try:
            yield
        finally:
            with self._lock:
                self._listeners = tuple(each for each in self._listeners if each is not hear)
