"""How the bridge gets at its brain: one at an address works by itself, one in a store is worked here."""

import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any, Final, Protocol

from brainctl.contract.brain import Brain
from brainctl.contract.errors import BrainError

if TYPE_CHECKING:
    from brainctl.cli.session import Session
    from brainctl.client.http_brain import HttpBrain
    from brainctl.engine.local_brain import LocalBrain

PAUSE_MAX: Final = 10.0
"""The longest pause between two tries. An agent that is told of an error can do better than wait a minute for it."""
OWN_LOOK_SECONDS: Final = 0.2


class Means(Protocol):
    """How a bridge gets at its brain."""

    def lend(self) -> Any:
        """A context manager around the brain, for use in the calling thread."""

    def work(self) -> None:
        """See to it that what was asked is answered."""

    def quick(self, brain: Brain) -> Brain:
        """The brain for looks at an answer: one that fails is not repeated, since the next look comes soon."""

    def pause(self, waited: float) -> float:
        """Seconds until the next look at an answer."""

    def close(self) -> None: ...


class HostedMeans:
    """A brain at an address, which works by itself. All threads share its connections."""

    def __init__(self, brain: "HttpBrain") -> None:
        self._brain = brain

    @contextmanager
    def lend(self) -> Iterator[Brain]:
        yield self._brain

    def work(self) -> None:
        """Its own server does."""

    def quick(self, brain: Brain) -> Brain:
        return self._brain.without_retries()

    def pause(self, waited: float) -> float:
        from brainctl.client.waiting import pause_after

        return pause_after(waited)

    def close(self) -> None:
        self._brain.close()


class OwnMeans:
    """A brain in a store: each call opens it for itself, and the questions are answered in this process."""

    def __init__(self, opened: "Callable[[], LocalBrain]") -> None:
        self._opened = opened
        self._stop = threading.Event()
        self._news = threading.Event()
        self._lock = threading.Lock()
        self._worker: threading.Thread | None = None

    @contextmanager
    def lend(self) -> "Iterator[LocalBrain]":
        with closing(self._opened()) as brain:
            yield brain

    def work(self) -> None:
        with self._lock:
            if self._worker is None:
                # The process stays until the answer at hand is finished: one that is cut off has failed.
                self._worker = threading.Thread(target=self._answer, name="answers", daemon=False)
                self._worker.start()
        self._news.set()

    def _answer(self) -> None:
        try:
            with self.lend() as brain:
                brain.work(self._stop, self._news)
        except BrainError:
            # Begun anew by whoever asks next; who asked now is told when the time to wait is over.
            with self._lock:
                self._worker = None

    def quick(self, brain: Brain) -> Brain:
        return brain

    def pause(self, waited: float) -> float:
        return OWN_LOOK_SECONDS

    def close(self) -> None:
        self._stop.set()
        self._news.set()


def means_of(session: "Session", over: threading.Event) -> Means:
    """The means for the session's key; a pause between two tries ends when `over` is set. Raises `no_key`, `usage`."""
    access = session.access
    if access.store is None:
        from brainctl.cli.connect import connect_http

        def pause(seconds: float) -> None:
            if seconds > PAUSE_MAX:
                raise BrainError("rate_limited", details={"retry_after_seconds": 60})
            over.wait(seconds)

        return HostedMeans(connect_http(session, pause))
    from brainctl.engine.local_brain import open_brain

    store, secret = access.store, access.secret()
    for warning in access.warnings:
        session.output.warn(warning)
    return OwnMeans(lambda: open_brain(store, secret))
