"""The threads of a serving process that work off the queue, and what becomes of their runs when it stops."""

import time
from collections.abc import Callable, Iterator
from threading import Event as Flag
from threading import Lock, Semaphore, Thread
from typing import Final

from brainctl.contract.errors import BrainError
from brainctl.engine.answers import ledger
from brainctl.engine.answers.runs import Means
from brainctl.engine.answers.workshop import Workshop
from brainctl.engine.store.answers import AnswerRow
from brainctl.engine.store.store import Store
from brainctl.engine.store.stores import Stores
from brainctl.engine.worker.worker import Said, Task, Worker

_AFTER_TROUBLE_SECONDS: Final = 1.0
_LOOK_SECONDS: Final = 0.02


class AtHand:
    """The answers that this process is running, queued and streamed ones. May be used from any thread."""

    def __init__(self, hire: Callable[[Store, AnswerRow], Worker]) -> None:
        self._hire = hire
        self._lock = Lock()
        self._rows: dict[str, AnswerRow] = {}

    def hire(self, store: Store, row: AnswerRow) -> Worker:
        """The worker of an answer, which is at hand until that worker has spoken."""
        worker = self._hire(store, row)
        with self._lock:
            self._rows[row.answer_id] = row
        return _Watched(worker, lambda: self._forget(row))

    def rows(self) -> list[AnswerRow]:
        with self._lock:
            return list(self._rows.values())

    def _forget(self, row: AnswerRow) -> None:
        with self._lock:
            self._rows.pop(row.answer_id, None)


class _Watched:
    def __init__(self, worker: Worker, at_the_end: Callable[[], None]) -> None:
        self._worker = worker
        self._at_the_end = at_the_end

    def run(self, task: Task) -> Iterator[Said]:
        try:
            yield from self._worker.run(task)
        finally:
            self._at_the_end()


class Crew:
    """So many threads that run queued answers, from `start` to `stop`."""

    def __init__(
        self, stores: Stores, workshop: Workshop, at_hand: AtHand, means: Means, threads: int
    ) -> None:
        self._stores = stores
        self._workshop = workshop
        self._at_hand = at_hand
        self._means = means
        self._stopping = Flag()
        self._news = Semaphore(0)
        # Daemons, since a run may hang: its answer is ended by `stop`, and the thread with the process.
        self._threads = [
            Thread(target=self._work, name=f"queue {place}", daemon=True) for place in range(threads)
        ]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def wake(self) -> None:
        """Say that something was queued: what other processes queue is found by looking, twice a second."""
        self._news.release()

    def stop(self, grace_seconds: float, elapsed: Callable[[], float] = time.monotonic) -> None:
        """Take nothing more from the queue, wait so long for the answers at hand, and end the others as failed.

        What is still queued stays so, for whoever serves the brain next.
        """
        self._stopping.set()
        for _ in self._threads:
            self._news.release()
        deadline = elapsed() + grace_seconds
        while elapsed() < deadline and (self._at_hand.rows() or any(map(Thread.is_alive, self._threads))):
            time.sleep(_LOOK_SECONDS)
        for row in self._at_hand.rows():
            self._means.log(f"{row.answer_id} failed: the server was stopped before it was finished")
            try:
                with self._stores.lent() as store:
                    ledger.fail(store, row, watch=self._means.watch)
            except BrainError as trouble:
                # Its lease will run out, and whoever looks next will end it.
                self._means.log(f"{row.answer_id} could not be ended: {trouble}")

    def _work(self) -> None:
        while not self._stopping.is_set():
            try:
                self._workshop.work(self._stopping, lambda seconds: self._news.acquire(timeout=seconds))
            except Exception as error:  # noqa: BLE001  # a full disk or a locked file ends; the queue goes on
                self._means.log(f"The queue could not be worked: {type(error).__name__}: {error}")
                self._stopping.wait(_AFTER_TROUBLE_SECONDS)
