"""A brain right here: the API over a store, seen through one key."""

import os
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Self

from brainctl.contract.bounds import PACKET_VERSION, RATE_REQUESTS, RATE_WINDOW_SECONDS
from brainctl.contract.requests import CONTEXT, SEARCH, TEACH
from brainctl.contract.shapes import validate
from brainctl.engine import gate, times
from brainctl.engine.disclosure import Viewer
from brainctl.engine.facts import as_reply
from brainctl.engine.freshness import freshen
from brainctl.engine.ids import Entropy
from brainctl.engine.recall import rank
from brainctl.engine.store.keys import KeyRow
from brainctl.engine.store.opening import open_store
from brainctl.engine.store.store import Store

if TYPE_CHECKING:
    from threading import Event as Flag

    from brainctl.contract.events import Event
    from brainctl.contract.replies import (
        AnswerReply,
        ContextReply,
        QueuedReply,
        SearchReply,
        TeachReply,
        WhoamiReply,
    )
    from brainctl.contract.requests import AskRequest, ContextRequest, EndUser, SearchRequest, TeachRequest
    from brainctl.engine.answers.desk import Desk
    from brainctl.engine.answers.workshop import Workshop
    from brainctl.engine.teaching import Capture


class LocalBrain:
    """The brain of a store, through one key: `admit` gives it at every call, or raises why it may not.

    Every call checks the key, then its scope, then the request, and raises the API's errors for each. The clock is
    the store's own unless given.
    """

    def __init__(
        self,
        store: Store,
        admit: Callable[[], KeyRow],
        *,
        clock: Callable[[], float] | None = None,
        entropy: Entropy = os.urandom,
        capture: "Capture | None" = None,
        workshop: "Workshop | None" = None,
    ) -> None:
        self._store = store
        self._admit = admit
        self._given_clock = clock
        self._clock = clock or store.clock
        self._entropy = entropy
        self._capture = capture
        self._workshop = workshop
        self._own_workshop: Workshop | None = None

    def __repr__(self) -> str:
        return f"LocalBrain({self._store.address!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _admitted(self, scope: str | None) -> KeyRow:
        key = self._admit()
        if scope is not None:
            gate.require(key, scope)
        return key

    def search(self, request: "SearchRequest") -> "SearchReply":
        key = self._admitted("memory.read")
        clean = validate(SEARCH, request)
        freshen(self._store, key.workspace)
        with self._store.view(viewer_of(key, clean.get("end_user"))) as view:
            ranked = rank(view, clean["query"], clean["limit"])
        return {"facts": [as_reply(each.fact) for each in ranked]}

    def context(self, request: "ContextRequest") -> "ContextReply":
        key = self._admitted("memory.read")
        clean = validate(CONTEXT, request)
        # A search renders nothing, and is spared what rendering needs.
        from brainctl.engine.gathering import gather

        freshen(self._store, key.workspace)
        with self._store.view(viewer_of(key, clean.get("end_user"))) as view:
            packet = gather(view, clean["query"], clean["token_budget"])
        return {"packet_version": PACKET_VERSION, "rendered": packet.rendered, "facts": packet.facts}

    def teach(self, request: "TeachRequest") -> "TeachReply":
        key = self._admitted("memory.write")
        clean = validate(TEACH, request)
        # Only teaching needs the pipeline and its word lists.
        from brainctl.engine.answers.credits import require_credit
        from brainctl.engine.capturing import pipeline_of, suggestions_for
        from brainctl.engine.teaching import take_in

        require_credit(self._store, key.workspace)

        capture = self._capture or pipeline_of(self._store, key.workspace)
        texts = [fact["text"] for fact in clean["facts"]]
        suggestions = suggestions_for(self._store, key, capture, texts, self._log)
        now_ms = times.now_ms(self._clock())
        with self._store.writing(key.workspace) as writing:
            actions = [
                take_in(
                    writing,
                    key,
                    capture,
                    text,
                    now_ms=now_ms,
                    entropy=self._entropy,
                    suggested=suggestions.get(text),
                )
                for text in texts
            ]
        freshen(self._store, key.workspace)
        return {
            "accepted_fact_count": len(actions),
            "created": actions.count("create"),
            "superseded": actions.count("supersede"),
            "skipped": actions.count("skip"),
        }

    def _log(self, message: str) -> None:
        if self._workshop is not None:
            self._workshop.means.log(message)
        else:
            from brainctl.engine.answers.workshop import to_log

            to_log(message)

    def ask(self, request: "AskRequest") -> "Iterator[Event]":
        """Begin the run at once; it goes on to its end in this process, whether or not its events are taken."""
        key = self._admitted("answers.write")
        return self._desk(key).ask(key, request)

    def enqueue(self, request: "AskRequest", idempotency_key: str | None = None) -> "QueuedReply":
        key = self._admitted("answers.write")
        return self._desk(key).enqueue(key, request, idempotency_key)

    def answer(self, answer_id: str, *, sources: bool = False) -> "AnswerReply":
        key = self._admitted("answers.write")
        return self._desk(key).answer(key, answer_id, sources=sources)

    def work_until(
        self, answer_id: str, seconds: float | None = None, *, sources: bool = False
    ) -> "AnswerReply":
        """Run what is queued, in order, until this answer is finished or the time is over; give it as it stands then.

        A run that is not over by then goes on to its end in this process; with no seconds at all none is begun. Raises as
        `answer` does.
        """
        key = self._admitted("answers.write")
        return self._desk(key).work_until(key, answer_id, seconds, sources=sources)

    def work(self, stop: "Flag", news: "Flag") -> None:
        """Run what is queued in the key's workspace as it comes, until told to stop.

        Whoever sets `news` makes it look at once, also whether it is to stop.
        """
        key = self._admitted("answers.write")
        self._workshop_for(key).work_alone(stop, news)

    def _desk(self, key: KeyRow) -> "Desk":
        from brainctl.engine.answers.desk import Desk

        return Desk(self._store, self._workshop_for(key))

    def _workshop_for(self, key: KeyRow) -> "Workshop":
        if self._workshop is None:
            from brainctl.engine.answers.workshop import open_workshop

            self._workshop = self._own_workshop = open_workshop(
                self._store.address, key.workspace, clock=self._given_clock, entropy=self._entropy
            )
        return self._workshop

    def whoami(self) -> "WhoamiReply":
        key = self._admitted(None)
        return {
            "key_name": key.name,
            "key_prefix": key.prefix,
            "scopes": list(key.scopes),
            "key_audience": key.audience,
            "rate_limit": {"requests_per_window": RATE_REQUESTS, "window_seconds": RATE_WINDOW_SECONDS},
        }

    def close(self) -> None:
        self._store.close()
        if self._own_workshop is not None:
            self._own_workshop.close()


def viewer_of(key: KeyRow, end_user: "EndUser | None") -> Viewer:
    """Who is asking, by the key and the person it names."""
    return Viewer(key.workspace, key.audience, end_user["id"] if end_user else None)


def brain_of(
    store: Store,
    secret: str,
    *,
    clock: Callable[[], float] | None = None,
    entropy: Entropy = os.urandom,
    capture: "Capture | None" = None,
    workshop: "Workshop | None" = None,
) -> LocalBrain:
    """The brain of a store through the key behind a secret, which is looked at anew by every call."""

    def admit() -> KeyRow:
        return gate.admit(store, secret, times.now_ms((clock or store.clock)()))

    return LocalBrain(store, admit, clock=clock, entropy=entropy, capture=capture, workshop=workshop)


def open_brain(
    address: str,
    secret: str,
    *,
    clock: Callable[[], float] | None = None,
    entropy: Entropy = os.urandom,
    capture: "Capture | None" = None,
) -> LocalBrain:
    """Open a brain's store through a key. Raises `store_error`; the key is looked at by the first call."""
    return brain_of(open_store(address), secret, clock=clock, entropy=entropy, capture=capture)
