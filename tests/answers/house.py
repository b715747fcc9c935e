"""A brain with workers that say what a test tells them to."""

import time
from collections.abc import Callable, Iterator
from threading import Event as Flag
from typing import Any, Self, cast

from brainctl.contract import bounds
from brainctl.contract.events import Event
from brainctl.contract.requests import AskRequest
from brainctl.engine.answers.runs import Means, Pace
from brainctl.engine.answers.workers import hire
from brainctl.engine.answers.workshop import Workshop
from brainctl.engine.local_brain import LocalBrain, brain_of
from brainctl.engine.owner import create_brain
from brainctl.engine.store.answers import AnswerRow
from brainctl.engine.store.opening import open_store
from brainctl.engine.store.store import Store
from brainctl.engine.store.stores import open_stores
from brainctl.engine.worker.worker import Delta, Final, Said, Task, Worker, WorkerError
from tests.doors.workspace import Clock
from tests.spot import Spot

QUICK = Pace(beat=0.01, look=0.01, patience=0)
"""So that whoever waits for something looks for it a hundred times a second."""

Speech = Callable[[Task], Iterator[Said]]


class Scripted:
    """Says what a function yields for a task."""

    def __init__(self, speech: Speech) -> None:
        self._speech = speech

    def run(self, task: Task) -> Iterator[Said]:
        return self._speech(task)


def says(*deltas: str, text: str | None = None) -> Speech:
    """A worker that speaks these pieces; its last word is all of them, unless given."""

    def speak(task: Task) -> Iterator[Said]:
        for delta in deltas:
            yield Delta(delta)
        yield Final("".join(deltas) if text is None else text, {"input_tokens": 7, "output_tokens": 3}, [])

    return speak


def echoes(task: Task) -> Iterator[Said]:
    return says(f"about {task.question}")(task)


def fails(task: Task) -> Iterator[Said]:
    yield Delta("half")
    raise WorkerError("on purpose")


class Gate:
    """A worker that stops in the middle of its answer until it is let on."""

    def __init__(self) -> None:
        self.reached = Flag()
        self.open = Flag()

    def __call__(self, task: Task) -> Iterator[Said]:
        yield Delta("before")
        self.reached.set()
        self.open.wait()
        yield Delta(" after")
        yield Final("before after", {"input_tokens": 1, "output_tokens": 1}, [])


class House:
    """A brain's file, its owner, its clock, and what its log was told. Brains opened here are closed with it."""

    def __init__(self, spot: Spot) -> None:
        self.path = spot.address
        self.clock = Clock()
        self.log: list[str] = []
        self.owner = create_brain(spot.address, spot.name, clock=self.clock)
        self.workspace = self.owner.workspace
        self._stores = open_stores(self.path)
        self._keys = 0
        self._brains: list[LocalBrain] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for brain in self._brains:
            brain.close()
        self._stores.close()
        self.owner.close()

    def key(self, audience: str = "internal", *scopes: str) -> str:
        self._keys += 1
        return self.owner.create_key(f"key {self._keys}", audience, scopes or bounds.SCOPES).secret

    def workshop(
        self,
        speech: Speech | None = None,
        *,
        pace: Pace = QUICK,
        elapsed: Callable[[], float] = time.monotonic,
    ) -> Workshop:
        """The brain's own workers, or one that speaks so."""

        def hire_scripted(store: Store, row: AnswerRow) -> Worker:
            assert speech is not None
            return Scripted(speech)

        means = Means(
            hire if speech is None else hire_scripted,
            self.log.append,
            pace=pace,
            clock=self.clock,
            elapsed=elapsed,
        )
        return Workshop(self._stores, self.workspace, means)

    def opened(self, secret: str, workshop: Workshop) -> LocalBrain:
        """A brain that whoever asked for it closes, in the thread that opened it."""
        return brain_of(open_store(self.path), secret, clock=self.clock, workshop=workshop)

    def open(self, secret: str, workshop: Workshop | None = None) -> LocalBrain:
        brain = self.opened(secret, workshop or self.workshop())
        self._brains.append(brain)
        return brain

    def brain(
        self,
        audience: str = "internal",
        speech: Speech | None = None,
        *,
        pace: Pace = QUICK,
        elapsed: Callable[[], float] = time.monotonic,
    ) -> LocalBrain:
        """The brain through a new key."""
        return self.open(self.key(audience), self.workshop(speech, pace=pace, elapsed=elapsed))


def question(text: str = "what?", **fields: Any) -> AskRequest:
    return cast("AskRequest", {"input": text, **fields})


def names(events: list[Event]) -> list[str]:
    return [event.event for event in events]


def spoken(events: list[Event]) -> str:
    return "".join(event.data["text"] for event in events if event.event == "answer.delta")
