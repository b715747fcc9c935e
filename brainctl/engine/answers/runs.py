"""Running one answer: its worker speaks in a thread of its own, while whoever runs it keeps the lease, the time
and the books.

A worker that hangs cannot be stopped, but it can be left: its answer ends in time whatever it does.
"""

import os
import time
from collections.abc import Callable
from queue import Empty, SimpleQueue
from threading import Event as Flag
from threading import Thread
from typing import Final, NamedTuple

from brainctl.contract.errors import BrainError
from brainctl.contract.events import COMPLETED, DELTA, DONE, FAILED, Event
from brainctl.engine import times
from brainctl.engine.answers import ledger
from brainctl.engine.answers.briefing import brief
from brainctl.engine.answers.ledger import Watch
from brainctl.engine.ids import Entropy
from brainctl.engine.store.answers import AnswerRow
from brainctl.engine.store.store import Store
from brainctl.engine.worker.worker import Delta, Said, Task, Worker, WorkerError
from brainctl.engine.worker.worker import Final as LastWord

OUTPUT_MAX: Final = 64 * 1024
"""The most characters that an answer keeps; what a worker says beyond is cut off."""


class Pace(NamedTuple):
    """Seconds. A `lease` is renewed at every `beat` and survives some that are missed; a `run` takes no longer than
    that; an empty queue is looked at again after `look`.
    """

    lease: float = 30.0
    beat: float = 5.0
    run: float = 300.0
    look: float = 0.5


class Means(NamedTuple):
    """What runs need from outside. `hire` gives the worker of an answer; `log` is told why a run failed."""

    hire: Callable[[Store, AnswerRow], Worker]
    log: Callable[[str], None]
    pace: Pace = Pace()
    clock: Callable[[], float] = time.time
    elapsed: Callable[[], float] = time.monotonic
    entropy: Entropy = os.urandom

    @property
    def watch(self) -> Watch:
        return Watch(lambda: times.now_ms(self.clock()), round(self.pace.lease * 1000))

    def new_lease(self) -> str:
        """A lease's name, which nobody else can have."""
        return self.entropy(16).hex()


class _Broken(NamedTuple):
    """The worker raised something instead of a last word, or said none."""

    why: str


class _LostError(Exception):
    """Somebody else has found the lease run out and ended the answer: it has failed, whatever is said now."""


def run(store: Store, row: AnswerRow, means: Means, hear: Callable[[Event], None] = lambda _: None) -> None:
    """Run a claimed answer to its end. `hear` is told the deltas, how it ended, and `done`.

    Whatever goes wrong ends as a failed answer, its reason in the log alone.
    """
    try:
        last = _last_word(store, row, means, hear)
        output = last.output_text[:OUTPUT_MAX]
        if not ledger.complete(
            store,
            row,
            output_text=output,
            usage=last.usage,
            sources=list(last.sources),
            watch=means.watch,
        ):
            raise _LostError
    except BaseException as error:
        _give_up(store, row, means, error)
        hear(Event(FAILED, BrainError("run_failed").envelope()))
        if not isinstance(error, Exception):
            raise
    else:
        hear(
            Event(
                COMPLETED,
                {
                    "answer_id": row.answer_id,
                    "status": "completed",
                    "output_text": output,
                    "conversation_id": row.conversation_id,
                    "usage": last.usage,
                    "sources": list(last.sources),
                },
            )
        )
    finally:
        hear(Event(DONE, {"ok": True}))


def _in_words(error: BaseException) -> str:
    return str(error) if isinstance(error, WorkerError) else f"{type(error).__name__}: {error}"


def _give_up(store: Store, row: AnswerRow, means: Means, error: BaseException) -> None:
    if isinstance(error, _LostError):
        why = "its lease had run out, and another process ended it"
    else:
        why = _in_words(error)
    means.log(f"{row.answer_id} failed: {why}")
    try:
        ledger.fail(store, row, watch=means.watch)
    except BrainError as trouble:
        # Its lease will run out, and whoever looks next will end it.
        means.log(f"{row.answer_id} could not be ended: {trouble}")


def _last_word(store: Store, row: AnswerRow, means: Means, hear: Callable[[Event], None]) -> LastWord:
    inbox: SimpleQueue[Said | _Broken] = SimpleQueue()
    left = Flag()
    task = brief(store, row)
    # Hired last, since whoever is hired is at hand until they have spoken.
    worker = means.hire(store, row)
    # A daemon, since nobody can wait for a worker that hangs. What it says is read to its end as fast as it speaks,
    # so nothing piles up in between.
    Thread(
        target=_speak,
        args=(worker, task, inbox, left),
        name=f"worker {row.answer_id}",
        daemon=True,
    ).start()
    started = beaten = means.elapsed()
    spoken = 0
    try:
        while True:
            now = means.elapsed()
            if now - started >= means.pace.run:
                raise WorkerError(f"it took more than {means.pace.run:g} s")
            if now - beaten >= means.pace.beat:
                beaten = now
                _beat(store, row, means)
            try:
                said = inbox.get(timeout=min(means.pace.beat, means.pace.run))
            except Empty:
                continue
            match said:
                case Delta(text):
                    text = text[: OUTPUT_MAX - spoken]
                    spoken += len(text)
                    if text:
                        hear(Event(DELTA, {"text": text}))
                case _Broken(why):
                    raise WorkerError(why)
                case last:
                    return last
    finally:
        left.set()


def _beat(store: Store, row: AnswerRow, means: Means) -> None:
    try:
        held = ledger.renew(store, row, watch=means.watch)
    except BrainError as trouble:
        # A file that is locked for a while is no reason to stop: the next beat may come in time.
        means.log(f"The lease of {row.answer_id} could not be renewed: {trouble}")
        return
    if not held:
        raise _LostError


def _speak(worker: Worker, task: Task, inbox: "SimpleQueue[Said | _Broken]", left: Flag) -> None:
    try:
        for said in worker.run(task):
            if left.is_set():
                return
            inbox.put(said)
            if isinstance(said, LastWord):
                return
        inbox.put(_Broken("it stopped without a last word"))
    except BaseException as error:  # noqa: BLE001  # whatever a worker raises ends its answer, and nothing else
        inbox.put(_Broken(_in_words(error)))
