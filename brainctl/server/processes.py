"""Several processes that serve one socket, and the one that keeps them."""

import os
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from types import FrameType
from typing import Final, NoReturn

from brainctl.contract.errors import BrainError
from brainctl.server.listening import stop_signals

_SOON_SECONDS: Final = 2.0
"""A process that ends sooner than that has not begun to serve: another one would fare no better."""

Serve = Callable[[int, int], int]
"""Serves as the process of this place until told to stop, or until the pipe of this descriptor closes; gives the exit code."""


def can_be_many() -> bool:
    return hasattr(os, "fork")


class Keeper:
    """Keeps so many processes, and puts another in the place of one that dies.

    They part by fork, and so have what was made before: the socket, and the memory in which they count together.
    No thread and no connection to a database may be open then. `let_go` gives up the socket once they are told to
    stop: a socket that anybody holds goes on taking in callers, whom nobody would answer.
    """

    def __init__(
        self,
        processes: int,
        serve: Serve,
        let_go: Callable[[], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._places = range(processes)
        self._serve = serve
        self._let_go = let_go
        self._clock = clock
        self._running: dict[int, tuple[int, float]] = {}
        self._is_stopping = False
        self._failed = False

    def run(self) -> None:
        """Serve until told to stop. Raises `fault` where the processes cannot be kept up."""
        # Its other end is with us alone: it closes when we are gone, however that came about.
        reading, writing = os.pipe()
        before = {each: signal.signal(each, self._on_signal) for each in stop_signals()}
        try:
            for place in self._places:
                self._start(place, reading, writing)
            while self._running:
                self._await_one(reading, writing)
        finally:
            for each, handler in before.items():
                signal.signal(each, handler)
            os.close(reading)
            os.close(writing)
        if self._failed:
            raise BrainError("fault", "A serving process ended as soon as it was started; see its log above.")

    def _start(self, place: int, reading: int, writing: int) -> None:
        # Blocked, so that no signal is lost between the fork and the child's own handlers.
        signal.pthread_sigmask(signal.SIG_BLOCK, stop_signals())
        try:
            if self._is_stopping:
                # Told so while the others were being started: nobody would tell this one.
                return
            process = os.fork()
            if process == 0:
                os.close(writing)
                self._be(place, reading)
            self._running[process] = place, self._clock()
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, stop_signals())

    def _be(self, place: int, reading: int) -> NoReturn:
        code = 1
        try:
            for each in stop_signals():
                # Until the server has handlers of its own, being told to stop is the end.
                signal.signal(each, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, stop_signals())
            code = self._serve(place, reading)
        finally:
            # Not back into what the parent is in the middle of.
            os._exit(code)

    def _await_one(self, reading: int, writing: int) -> None:
        process, status = os.waitpid(-1, 0)
        if process not in self._running:
            return
        place, started = self._running.pop(process)
        if self._is_stopping:
            return
        # Somebody else did that to it: another one may well fare better.
        was_killed = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
        if self._clock() - started < _SOON_SECONDS and not was_killed:
            self._failed = True
            self._stop(signal.SIGTERM)
        else:
            self._start(place, reading, writing)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self._stop(signal.Signals(number))

    def _stop(self, number: signal.Signals) -> None:
        self._is_stopping = True
        self._let_go()
        for process in self._running:
            # It may have been buried this moment, and not yet been struck off.
            with suppress(ProcessLookupError):
                os.kill(process, number)
