"""Where answers are run: any process that can open the brain's store may take from its queue."""

import os
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from queue import Empty, SimpleQueue
from threading import Event as Flag
from threading import Thread
from threading import enumerate as enumerate_threads
from typing import Final

from brainctl.contract.errors import BrainError
from brainctl.contract.events import COMPLETED, DONE, FAILED, Event
from brainctl.engine.answers import ledger
from brainctl.engine.answers.news import Hear, News
from brainctl.engine.answers.runs import Means, run
from brainctl.engine.answers.workers import hire
from brainctl.engine.ids import Entropy
from brainctl.engine.store.answers import AnswerRow
from brainctl.engine.store.stores import Stores, open_stores

_THREAD: Final = "answers"
_WAKE_SECONDS: Final = 0.5
"""On some systems an endless wait cannot be interrupted from the keyboard; one of half a second can."""
_SOON_SECONDS: Final = 0.001


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
    while at_work := [thread for thread in enumerate_threads() if thread.name == _THREAD]:
        left = over - time.monotonic()
        if left <= 0:
            return True
        try:
            at_work[0].join(left)
        except RuntimeError:
            # It is just being started, and cannot be waited for yet.
            time.sleep(_SOON_SECONDS)
    return False


class Workshop:
    """Runs the answers of one workspace, or with None those of all, in turn. All of it may be used from any thread.

    `news` is told what was ended here, and tells whoever waits.
    """

    def __init__(self, stores: Stores, workspace: int | None, means: Means, news: News | None = None) -> None:
        self._stores = stores
        self._workspace = workspace
        self._turns = Turns()
        self.means = means
        self.news = news or News()

    def close(self) -> None:
        """Let go of the stores, as soon as no run needs them."""
        self._stores.close()

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

        self._begin(lambda: self._run(row, heard.put), in_any_case)
        return _listen(heard, sources=sources)

    def _begin(self, task: Callable[[], None], at_the_end: Callable[[], None]) -> None:
        def work() -> None:
            try:
                task()
            except Exception as error:  # noqa: BLE001  # the log is told; nobody is there to catch it
                self.means.log(f"The work on answers stopped: {type(error).__name__}: {error}")
            finally:
                at_the_end()

        Thread(target=work, name=_THREAD, daemon=False).start()

    def _run(self, row: AnswerRow, hear: Callable[[Event], None] = lambda _: None) -> None:
        try:
            run(self._stores, row, self.means, hear)
        finally:
            self.news.tell(row.answer_id)

    def run_next(self) -> bool:
        """Run the oldest waiting answer that may run now; False where there is none."""
        row = self._claim()
        if row is None:
            return False
        self._run(row)
        return True

    def _claim(self) -> AnswerRow | None:
        with self._stores.lent() as store:
            workspaces: Iterable[int] = (
                self._turns.order(ledger.busy_workspaces(store, watch=self.means.watch))
                if self._workspace is None
                else (self._workspace,)
            )
            for workspace in workspaces:
                row = ledger.claim(store, workspace, self.means.new_lease(), watch=self.means.watch)
                if row is not None:
                    self._turns.took(workspace)
                    return row
        return None

    def work(self, stop: Flag, pause: Callable[[float], object] | None = None) -> None:
        """Run answers as they come, one after the other, until told to stop; the one at hand is run to its end.

        `pause` lets so many seconds go by before the queue is looked at again, or fewer where there is news.
        """
        pause = pause or stop.wait
        is_troubled = False
        while not stop.is_set():
            try:
                worked, is_troubled = self.run_next(), False
            except BrainError as trouble:
                # A database that is locked, full or away for a while is no reason to leave the queue for good.
                if not is_troubled:
                    self.means.log(f"The queue of answers could not be looked at: {trouble}")
                worked, is_troubled = False, True
            if not worked:
                pause(self.means.pace.look)

    def work_alone(self, stop: Flag, news: Flag) -> None:
        """Work as `work` does, where nobody else of this process does: at news of an answer, and twice a second.

        Whoever sets `news` makes it look at once, also whether it is to stop.
        """

        def pause(most: float) -> None:
            news.wait(most)
            news.clear()

        with self._hearing(lambda _: news.set()):
            self.work(stop, pause)

    @contextmanager
    def _hearing(self, hear: Hear) -> Iterator[None]:
        with self.news.heard(hear), self._stores.listening(self.news.tell, self.means.log):
            yield

    def work_until(self, is_finished: Callable[[], bool], seconds: float | None = None) -> None:
        """Run what waits, in order, until `is_finished` or the time is over; the answer at hand still goes on then.

        `is_finished` is asked in this thread: at news of an answer, and twice a second.
        """
        stop, news, ended = Flag(), Flag(), Flag()
        started = self.means.elapsed()
        with self.news.heard(lambda _: ended.set()):
            self._begin(lambda: self.work_alone(stop, news), ended.set)
            try:
                while not is_finished():
                    left = None if seconds is None else seconds - (self.means.elapsed() - started)
                    if left is not None and left <= 0:
                        return
                    ended.wait(self.means.pace.look if left is None else min(left, self.means.pace.look))
                    ended.clear()
            finally:
                stop.set()
                news.set()


class Turns:
    """Whose turn it is among workspaces: whoever has fewest answers running, and of several the one after the last.

    So a workspace that asks a great deal takes what nobody else wants, and keeps nobody waiting for more than one
    answer to end.
    """

    def __init__(self) -> None:
        self._last = 0

    def order(self, busy: Iterable[tuple[int, int]]) -> list[int]:
        """Workspaces, given how many answers of each are running, the one whose turn it is first."""
        last = self._last
        return [
            workspace
            for _, _, workspace in sorted(
                (running, workspace <= last, workspace) for workspace, running in busy
            )
        ]

    def took(self, workspace: int) -> None:
        self._last = workspace


def open_workshop(
    address: str,
    workspace: int,
    *,
    clock: Callable[[], float] | None = None,
    entropy: Entropy = os.urandom,
) -> Workshop:
    """A workshop whose answers are given by the workspace's own workers. The clock is the store's own unless given."""
    stores = open_stores(address)
    return Workshop(stores, workspace, Means(hire, to_log, clock=clock or stores.clock, entropy=entropy))


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
