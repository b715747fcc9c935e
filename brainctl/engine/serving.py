"""A brain's file served to many callers at once, by any number of threads and processes."""

import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, NamedTuple

from brainctl.contract.brain import Brain
from brainctl.contract.errors import BrainError
from brainctl.contract.events import Event
from brainctl.contract.replies import (
    AnswerReply,
    ContextReply,
    QueuedReply,
    SearchReply,
    TeachReply,
    WhoamiReply,
)
from brainctl.contract.requests import AskRequest, ContextRequest, SearchRequest, TeachRequest
from brainctl.engine import gate, times
from brainctl.engine.answers.crew import AtHand, Crew
from brainctl.engine.answers.runs import Means, Pace
from brainctl.engine.answers.workers import hire
from brainctl.engine.answers.workshop import Workshop, to_log
from brainctl.engine.ids import Entropy
from brainctl.engine.local_brain import LocalBrain
from brainctl.engine.rate_window import RateWindow
from brainctl.engine.semantic.indexer import Indexer
from brainctl.engine.store.keys import KeyRow
from brainctl.engine.store.store import Store
from brainctl.engine.store.stores import Stores

if TYPE_CHECKING:
    from brainctl.engine.store.answers import AnswerRow
    from brainctl.engine.worker.worker import Worker

WORKERS_DEFAULT: Final = 4


class Shared(NamedTuple):
    """What all callers of a process use together."""

    stores: Stores
    window: RateWindow
    workshop: Workshop
    crew: Crew
    indexer: Indexer
    clock: Callable[[], float]
    entropy: Entropy


class ServedGate:
    """Lets callers in by their keys: a `Gate`. May be used from any thread.

    `start` begins to work off the queue. Raises `store_error` where the brain cannot be used.
    """

    def __init__(
        self,
        path: str,
        *,
        workers: int = WORKERS_DEFAULT,
        clock: Callable[[], float] = time.time,
        entropy: Entropy = os.urandom,
        window: RateWindow | None = None,
        log: Callable[[str], None] = to_log,
        pace: Pace = Pace(),  # noqa: B008  # a tuple of numbers
        hire: "Callable[[Store, AnswerRow], Worker]" = hire,
    ) -> None:
        stores = Stores(path)
        with stores.lent() as store:
            workspace = store.workspace()
        at_hand = AtHand(hire)
        means = Means(at_hand.hire, log, pace=pace, clock=clock, entropy=entropy)
        workshop = Workshop(path, workspace, means)
        self._workspace = workspace
        self._shared = Shared(
            stores=stores,
            window=window or RateWindow(path, clock),
            workshop=workshop,
            crew=Crew(stores, workshop, at_hand, means, workers),
            indexer=Indexer(stores, workspace, log),
            clock=clock,
            entropy=entropy,
        )

    def start(self) -> None:
        self._shared.crew.start()
        self._shared.indexer.start()

    def stop(self, grace_seconds: float) -> None:
        """Stop working; an answer that is not finished in time has failed."""
        self._shared.crew.stop(grace_seconds)
        self._shared.indexer.stop()

    def close(self) -> None:
        self._shared.window.close()
        self._shared.stores.close()

    def admit(self, secret: str) -> "Admitted":
        """Let a caller in and count the request. Raises the three 401 errors, then `rate_limited`."""
        with self._shared.stores.lent() as store:
            key = gate.admit(store, secret, times.now_ms(self._shared.clock()))
        admitted = Admitted(self._shared, key)
        admitted.count(1)
        return admitted

    def is_ready(self) -> bool:
        try:
            with self._shared.stores.lent() as store:
                return store.workspace() == self._workspace
        except BrainError:
            return False

    def figures(self) -> Mapping[str, int]:
        """What the brain holds now: facts, and answers that wait in its queue."""
        with self._shared.stores.lent() as store:
            return {
                "facts": store.fact_count(self._workspace),
                "queue_depth": store.queue_depth(self._workspace),
            }


class Admitted:
    """A caller who was let in: an `Admission`. What it has begun goes on although its key be revoked meanwhile."""

    def __init__(self, shared: Shared, key: KeyRow) -> None:
        self._shared = shared
        self._key = key

    @property
    def brain(self) -> Brain:
        return ServedBrain(self._shared, self._key)

    @property
    def key_prefix(self) -> str:
        return self._key.prefix

    @property
    def scopes(self) -> tuple[str, ...]:
        return self._key.scopes

    def count(self, requests: int) -> None:
        self._shared.window.count(self._key.key_id, requests)


class ServedBrain:
    """A brain seen through a key that was admitted. Each verb may be called from any thread."""

    def __init__(self, shared: Shared, key: KeyRow) -> None:
        self._shared = shared
        self._key = key

    def __repr__(self) -> str:
        return f"ServedBrain({self._shared.stores.address!r}, {self._key.prefix}…)"

    @contextmanager
    def _opened(self) -> Iterator[LocalBrain]:
        with self._shared.stores.lent() as store:
            yield AdmittedBrain(store, self._key, self._shared)

    def search(self, request: SearchRequest) -> SearchReply:
        with self._opened() as brain:
            return brain.search(request)

    def context(self, request: ContextRequest) -> ContextReply:
        with self._opened() as brain:
            return brain.context(request)

    def teach(self, request: TeachRequest) -> TeachReply:
        with self._opened() as brain:
            return brain.teach(request)

    def ask(self, request: AskRequest) -> Iterator[Event]:
        with self._opened() as brain:
            return brain.ask(request)

    def enqueue(self, request: AskRequest, idempotency_key: str | None = None) -> QueuedReply:
        with self._opened() as brain:
            queued = brain.enqueue(request, idempotency_key)
        self._shared.crew.wake()
        return queued

    def answer(self, answer_id: str, *, sources: bool = False) -> AnswerReply:
        with self._opened() as brain:
            return brain.answer(answer_id, sources=sources)

    def whoami(self) -> WhoamiReply:
        with self._opened() as brain:
            return brain.whoami()

    def close(self) -> None:
        """Nothing to let go of: files belong to the gate."""


class AdmittedBrain(LocalBrain):
    """The brain through a key that has been looked at already, and is not looked at again."""

    def __init__(self, store: Store, key: KeyRow, shared: Shared) -> None:
        super().__init__(
            store,
            key.prefix,
            clock=shared.clock,
            entropy=shared.entropy,
            workshop=shared.workshop,
        )
        self._key = key

    def _admitted(self, scope: str | None) -> KeyRow:
        if scope is not None:
            gate.require(self._key, scope)
        return self._key
