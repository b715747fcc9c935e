"""Where answers are run: any process that can open the brain's file may take from its queue."""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from queue import Empty, SimpleQueue
from threading import Event as Flag
from threading import Thread
from threading import enumerate as enumerate_threads
from typing import Final

from brainctl.contract.errors import BrainError
from brainctl.contract.events import COMPLETED, DONE, FAILED, Event
from brainctl.engine.answers import ledger
from brainctl.engine.answers.runs import Means, run
from brainctl.engine.answers.workers import hire
from brainctl.engine.ids import Entropy
from brainctl.engine.store.answers import AnswerRow
from brainctl.engine.store.opening import open_store
from brainctl.engine.store.store import Store

_THREAD: Final = "answers"
_WAKE_SECONDS: Final = 0.5
"""On some systems an endless wait cannot be interrupted from the keyboard; one of half a second can."""


def to_log(message: str) -> None:
    """Tell the log of whoever runs the brain. Silent unless they have set one up."""
    import logging

    logger = logging.getLogger("brainctl.engine")
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())
    logger.warning(message)


def is_busy(seconds: float) -> bool:
    """Whether this process still works on answers after so many seconds; the interpreter ends only when it does not."""
    over = time.monotonic() + seconds
    at_work = [thread for thread in enumerate_threads() if thread.name == _THREAD]
    for thread in at_work:
        thread.join(max(over - time.monotonic(), 0.0))
    return any(thread.is_alive() for thread in at_work)


class Workshop:
    """Runs the answers of one workspace. All of it may be used from any thread."""

    def __init__(self, path: str, workspace: int, means: Means) -> None:
        self._path = path
        self._workspace = workspace
        self.means = means

    def start(self, row: AnswerRow, *, sources: bool) -> Iterator[Event]:
        """Run a streamed answer, and give its events after `created` as they come, `done` last.

        The run goes on to its end whether or not anybody listens: the process waits for it before it exits.
        """
        # Unbounded, so that nobody who stops listening can stop the run; an answer's length is bounded.
        heard: SimpleQueue[Event] = SimpleQueue()

        def in_any_case() -> None:
            # Heard only where the run could not even begin.
            heard.put(Event(FAILED, BrainError("run_failed").envelope()))
            heard.put(Event(DONE, {"ok": True}))

        self._begin(lambda store: run(store, row, self.means, heard.put), in_any_case)
        return _listen(heard, sources=sources)

    def _begin(self, task: Callable[[Store], None], at_the_end: Callable[[], None]) -> None:
        def work() -> None:
            try:
                with closing(open_store(self._path)) as store:
                    task(store)
            except Exception as error:  # noqa: BLE001  # the log is told; nobody is there to catch it
                self.means.log(f"The work on answers stopped: {type(error).__name__}: {error}")
            finally:
                at_the_end()

        Thread(target=work, name=_THREAD, daemon=False).start()

    def run_next(self) -> bool:
        """Run the oldest waiting answer that may run now; False where there is none."""
        with closing(open_store(self._path)) as store:
            return self._run_next(store)

    def _run_next(self, store: Store) -> bool:
        row = ledger.claim(store, self._workspace, self.means.new_lease(), watch=self.means.watch)
        if row is None:
            return False
        run(store, row, self.means)
        return True

    def work(self, stop: Flag, pause: Callable[[float], object] | None = None) -> None:
        """Run answers as they come, one after the other, until told to stop; the one at hand is run to its end.

        `pause` lets so many seconds go by before the queue is looked at again, or fewer where there is news.
        """
        with closing(open_store(self._path)) as store:
            self._work(store, stop, lambda: None, pause or stop.wait)

    def _work(
        self,
        store: Store,
        stop: Flag,
        tell: Callable[[], None],
        pause: Callable[[float], object],
    ) -> None:
        while not stop.is_set():
            try:
                worked = self._run_next(store)
            except BrainError as trouble:
                # A file that is locked or a disk that is full for a while is no reason to leave the queue for good.
                self.means.log(f"The queue of answers could not be looked at: {trouble}")
                worked = False
            if worked:
                tell()
            else:
                pause(self.means.pace.look)

    def work_until(self, is_finished: Callable[[], bool], seconds: float | None = None) -> None:
        """Run what waits, in order, until `is_finished` or the time is over; the answer at hand still goes on then.

        `is_finished` is asked in this thread, twice a second and whenever an answer has ended.
        """
        stop, news = Flag(), Flag()
        started = self.means.elapsed()
        self._begin(lambda store: self._work(store, stop, news.set, stop.wait), news.set)
        try:
            while not is_finished():
                left = None if seconds is None else seconds - (self.means.elapsed() - started)
                if left is not None and left <= 0:
                    return
                news.wait(self.means.pace.look if left is None else min(left, self.means.pace.look))
                news.clear()
        finally:
            stop.set()


def open_workshop(
    path: str,
    workspace: int,
    *,
    clock: Callable[[], float] = time.time,
    entropy: Entropy = os.urandom,
) -> Workshop:
    """A workshop whose answers are given by the workspace's own workers."""
    return Workshop(path, workspace, Means(hire, to_log, clock=clock, entropy=entropy))


def _listen(heard: "SimpleQueue[Event]", *, sources: bool) -> Iterator[Event]:
    while True:
        try:
            event = heard.get(timeout=_WAKE_SECONDS)
        except Empty:
            continue
        if event.event == COMPLETED and not sources:
            event.data.pop("sources")
        yield event
        if event.event == DONE:
            return
