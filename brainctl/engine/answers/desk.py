"""Where a key asks: streamed, queued, and read back."""

from collections.abc import Iterator
from typing import Any

from brainctl.contract.bounds import ID_MAX
from brainctl.contract.events import CREATED, Event
from brainctl.contract.replies import FINISHED, AnswerReply, QueuedReply
from brainctl.contract.requests import QUESTION
from brainctl.contract.shapes import Problem, Text, refusal, validate
from brainctl.engine.answers import ledger
from brainctl.engine.answers.workers import require_worker
from brainctl.engine.answers.workshop import Workshop
from brainctl.engine.store.answers import AnswerRow
from brainctl.engine.store.keys import KeyRow
from brainctl.engine.store.store import Store

_IDEMPOTENCY_KEY = Text(ID_MAX)


class Desk:
    """Takes what an admitted key asks. The store is used in the calling thread; runs open their own."""

    def __init__(self, store: Store, workshop: Workshop) -> None:
        self._store = store
        self._workshop = workshop
        self._means = workshop.means

    def ask(self, key: KeyRow, request: Any) -> Iterator[Event]:
        """Begin a run at once, and give its events. What is refused is refused before the first of them."""
        question, sources = self._read(key, request)
        row = ledger.begin(
            self._store,
            question,
            self._means.new_lease(),
            watch=self._means.watch,
            entropy=self._means.entropy,
        )
        return _created_then(row, self._workshop.start(row, sources=sources))

    def enqueue(self, key: KeyRow, request: Any, idempotency_key: str | None) -> QueuedReply:
        question, _ = self._read(key, request)
        if idempotency_key is not None:
            problems: list[Problem] = []
            _IDEMPOTENCY_KEY.read(idempotency_key, "idempotency_key", problems)
            if problems:
                raise refusal(problems)
        answer_id = ledger.enqueue(
            self._store,
            question,
            idempotency_key,
            watch=self._means.watch,
            entropy=self._means.entropy,
        )
        return {"answer_id": answer_id, "status": "queued"}

    def answer(self, key: KeyRow, answer_id: str, *, sources: bool) -> AnswerReply:
        """The answer as it stands now. Raises `not_found`."""
        row = ledger.read(self._store, key, answer_id, watch=self._means.watch)
        return ledger.reply_of(row, sources=sources)

    def work_until(self, key: KeyRow, answer_id: str, seconds: float | None, *, sources: bool) -> AnswerReply:
        """Run what waits, in order, until this answer is finished or the time is over; give it as it stands then.

        Without any time nothing is begun: a run goes on to its end, however long that takes.
        """
        reply = self.answer(key, answer_id, sources=sources)

        def is_finished() -> bool:
            nonlocal reply
            reply = self.answer(key, answer_id, sources=sources)
            return reply["status"] in FINISHED

        if reply["status"] not in FINISHED and seconds != 0:
            self._workshop.work_until(is_finished, seconds)
        return reply

    def _read(self, key: KeyRow, request: Any) -> tuple[ledger.Question, bool]:
        clean = validate(QUESTION, request)
        require_worker(self._store, key.workspace, clean["agent_slug"])
        return ledger.question_of(key, clean), "sources" in clean.get("include", ())


def _created_then(row: AnswerRow, rest: Iterator[Event]) -> Iterator[Event]:
    yield Event(CREATED, {"answer_id": row.answer_id, "conversation_id": row.conversation_id})
    yield from rest
