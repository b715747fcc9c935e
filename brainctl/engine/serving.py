"""A store served to many callers at once, by any number of threads, processes and hosts.

All its workspaces are served: which one a caller gets is said by their key.
"""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
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
from brainctl.engine.answers.news import Hear, News
from brainctl.engine.answers.runs import Means, Pace
from brainctl.engine.answers.workers import hire
from brainctl.engine.answers.workshop import Workshop, to_log
from brainctl.engine.ids import Entropy
from brainctl.engine.local_brain import LocalBrain
from brainctl.engine.rate_window import RateWindow
from brainctl.engine.semantic.indexer import Indexer
from brainctl.engine.store.figures import count_current, count_queued
from brainctl.engine.store.keys import KeyRow
from brainctl.engine.store.stores import Stores, open_stores

if TYPE_CHECKING:
    from brainctl.engine.store.answers import AnswerRow
    from brainctl.engine.store.store import Store
    from brainctl.engine.worker.worker import Worker

WORKERS_DEFAULT: Final = 4


class Shared(NamedTuple):
    """What all callers of a process use together."""

    stores: Stores
    window: RateWindow
    workshop: Workshop
    news: News
    clock: Callable[[], float]
    entropy: Entropy


class ServedGate:
    """Lets callers in by their keys: a `Gate`. May be used from any thread.

    `start` begins to work off the queues. The clock is the store's own unless given. Raises `store_error` where the
    store cannot be used.
    """

    def __init__(
        self,
        address: str,
        *,
        workers: int = WORKERS_DEFAULT,
        clock: Callable[[], float] | None = None,
        entropy: Entropy = os.urandom,
        window: RateWindow | None = None,
        log: Callable[[str], None] = to_log,
        pace: Pace = Pace(),  # noqa: B008  # a tuple of numbers
        hire: "Callable[[Store, AnswerRow], Worker]" = hire,
    ) -> None:
        stores = open_stores(address)
        with stores.lent() as store:
            store.workspaces()
        at_hand = AtHand(hire)
        news = News()
        means = Means(at_hand.hire, log, pace=pace, clock=clock or stores.clock, entropy=entropy)
        workshop = Workshop(stores, None, means, news)
        self._crew = Crew(stores, workshop, at_hand, means, workers)
        self._indexer = Indexer(stores, log)
        self._log = log
        self._started = ExitStack()
        self._shared = Shared(
            stores=stores,
            window=window or RateWindow(address, clock),
            workshop=workshop,
            news=news,
            clock=clock or stores.clock,
            entropy=entropy,
        )

    def start(self) -> None:
        news = self._shared.news
        self._started.enter_context(news.heard(lambda _: self._crew.wake()))
        self._started.enter_context(self._shared.stores.listening(news.tell, self._log))
        self._crew.start()
        self._indexer.start()

    def stop(self, grace_seconds: float) -> None:
        """Stop working; an answer that is not finished in time has failed."""
        self._crew.stop(grace_seconds)
        self._indexer.stop()

    def close(self) -> None:
        self._started.close()
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
        # Who asks wants to be told now, and not when there is a connection again.
        if self._shared.stores.is_away:
            return False
        try:
            with self._shared.stores.lent() as store:
                store.workspaces()
        except BrainError:
            return False
        return True

    def figures(self) -> Mapping[str, int]:
        """What all workspaces hold now: facts, and answers that wait in their queues."""
        with self._shared.stores.lent() as store, store.reading() as connection:
            return {"facts": count_current(connection), "queue_depth": count_queued(connection)}

    def heard(self, hear: Hear) -> AbstractContextManager[None]:
        """Inside, `hear` is told of each answer that was queued or has ended, wherever that was."""
        return self._shared.news.heard(hear)


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
        self._shared.window.count(self._key.workspace, self._key.key_id, requests)


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
            # The key has been looked at already, and is not looked at again.
            yield LocalBrain(
                store,
                lambda: self._key,
                clock=self._shared.clock,
                entropy=self._shared.entropy,
                workshop=self._shared.workshop,
            )

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
        self._shared.news.tell(queued["answer_id"])
        return queued

    def answer(self, answer_id: str, *, sources: bool = False) -> AnswerReply:
        with self._opened() as brain:
            return brain.answer(answer_id, sources=sources)

    def whoami(self) -> WhoamiReply:
        with self._opened() as brain:
            return brain.whoami()

    def close(self) -> None:
        """Nothing to let go of: stores belong to the gate."""
