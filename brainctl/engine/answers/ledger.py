"""The book of answers: who asked what, which may run now, and how each ended.

A conversation answers one message at a time. Queued questions wait behind each other, oldest first; a stream
neither waits nor is waited for. Conversations of internal and of external keys are never the same one. An answer
is run once: when its run dies with the process, the answer has failed.
"""

import json
import os
from collections.abc import Callable
from typing import Any, NamedTuple

from brainctl.contract.errors import BrainError
from brainctl.contract.replies import AnswerReply, Source, Usage
from brainctl.engine import gate
from brainctl.engine.answers.credits import charge
from brainctl.engine.ids import Entropy, new_id
from brainctl.engine.store import answers as rows
from brainctl.engine.store.answers import AnswerRow
from brainctl.engine.store.connection import Connection
from brainctl.engine.store.keys import KeyRow
from brainctl.engine.store.store import Alone, Store


class Watch(NamedTuple):
    """What time it is, in milliseconds since 1970, and how many of them a lease lasts that is not renewed.

    The time is read where nobody else may write, so that it is not that of a moment before a long wait.
    """

    now: Callable[[], int]
    lease_ms: int

    def last_ms(self, now_ms: int) -> int:
        """Until when a lease may reach. One that reaches further is from before the clock was put back.

        Clocks of several machines may differ by as much as a lease lasts.
        """
        return now_ms + 2 * self.lease_ms


class Question(NamedTuple):
    """What a key asks. All but the key and the name under which it may be repeated tells one question from another."""

    key: KeyRow
    input: str
    conversation_id: str | None
    end_user_id: str | None
    end_user_name: str | None
    agent_slug: str

    def is_asked_by(self, row: AnswerRow) -> bool:
        return self[1:] == (
            row.input,
            row.conversation_id,
            row.end_user_id,
            row.end_user_name,
            row.agent_slug,
        )


def question_of(key: KeyRow, request: dict[str, Any]) -> Question:
    """The question in a request that has been validated."""
    end_user = request.get("end_user", {})
    return Question(
        key=key,
        input=request["input"],
        conversation_id=request.get("conversation_id"),
        end_user_id=end_user.get("id"),
        end_user_name=end_user.get("name"),
        agent_slug=request["agent_slug"],
    )


def _conversation(question: Question) -> list[Alone]:
    """What the transaction that asks a question has to itself."""
    key, conversation_id = question.key, question.conversation_id
    return [] if conversation_id is None else [("conversation", key.workspace, key.audience, conversation_id)]


def _is_busy(connection: Connection, question: Question, *, streams_only: bool) -> bool:
    return question.conversation_id is not None and rows.is_busy(
        connection,
        question.key.workspace,
        question.key.audience,
        question.conversation_id,
        streams_only=streams_only,
    )


def _end_what_died(store: Store, connection: Connection, workspace: int, watch: Watch) -> int:
    """End what nobody runs any more; returns the time at which that was."""
    now_ms = watch.now()
    rows.cut_leases(connection, workspace, beyond_ms=watch.last_ms(now_ms), until_ms=now_ms + watch.lease_ms)
    for answer_id in rows.fail_expired(connection, workspace, now_ms):
        store.tell(connection, answer_id)
    return now_ms


def _queued(answer_id: str, question: Question, idempotency_key: str | None, now_ms: int) -> AnswerRow:
    return AnswerRow(
        place=0,
        answer_id=answer_id,
        workspace=question.key.workspace,
        mode="queued",
        key_id=question.key.key_id,
        audience=question.key.audience,
        input=question.input,
        conversation_id=question.conversation_id,
        end_user_id=question.end_user_id,
        end_user_name=question.end_user_name,
        agent_slug=question.agent_slug,
        idempotency_key=idempotency_key,
        status="queued",
        output_text="",
        input_tokens=None,
        output_tokens=None,
        sources="[]",
        created=now_ms,
        started=None,
        finished=None,
        lease=None,
        lease_until=None,
    )


def _streamed(answer_id: str, question: Question, now_ms: int, lease: str, until_ms: int) -> AnswerRow:
    return _queued(answer_id, question, None, now_ms)._replace(
        mode="streamed", status="in_progress", started=now_ms, lease=lease, lease_until=until_ms
    )


def enqueue(
    store: Store,
    question: Question,
    idempotency_key: str | None,
    *,
    watch: Watch,
    entropy: Entropy = os.urandom,
) -> str:
    """Put a question into the queue and give its answer's id; repeated, give the same id and do nothing.

    Raises `api_key_invalid` where the key is gone, `idempotency_key_reused`, `out_of_credits`, and
    `conversation_busy` while a stream runs in it.
    """
    workspace, key_id = question.key.workspace, question.key.key_id
    repeated = [("repeated", workspace, key_id, idempotency_key)] if idempotency_key is not None else []
    with store.transaction(*repeated, *_conversation(question)) as connection:
        # Before all else: who removes the workspace holds its keys first, and what is held in one order never locks up.
        gate.hold(connection, question.key)
        if idempotency_key is not None:
            known = rows.read_repeated(connection, workspace, key_id, idempotency_key)
            if known is not None:
                if not question.is_asked_by(known):
                    raise BrainError("idempotency_key_reused")
                return known.answer_id
        charge(connection, workspace)
        now_ms = _end_what_died(store, connection, workspace, watch)
        if _is_busy(connection, question, streams_only=True):
            raise BrainError("conversation_busy")
        answer_id = new_id("event", now_ms, entropy)
        rows.write_answer(connection, _queued(answer_id, question, idempotency_key, now_ms))
        store.tell(connection, answer_id)
    return answer_id


def begin(
    store: Store, question: Question, lease: str, *, watch: Watch, entropy: Entropy = os.urandom
) -> AnswerRow:
    """Start a streamed answer, held by a lease of this name.

    Raises `api_key_invalid` where the key is gone, `out_of_credits`, and `conversation_busy` while anything runs or
    waits in it.
    """
    with store.transaction(*_conversation(question)) as connection:
        gate.hold(connection, question.key)
        charge(connection, question.key.workspace)
        now_ms = _end_what_died(store, connection, question.key.workspace, watch)
        if _is_busy(connection, question, streams_only=False):
            raise BrainError("conversation_busy")
        answer_id = new_id("run", now_ms, entropy)
        row = _streamed(answer_id, question, now_ms, lease, now_ms + watch.lease_ms)
        rows.write_answer(connection, row)
        known = rows.read_answer(connection, question.key.workspace, answer_id)
    assert known is not None
    return known


def busy_workspaces(store: Store, *, watch: Watch) -> list[tuple[int, int]]:
    """The workspaces that have something to be done, with how many queued answers of each are run now, anywhere."""
    with store.reading() as connection:
        now_ms = watch.now()
        return rows.read_busy(connection, now_ms=now_ms, last_ms=watch.last_ms(now_ms))


def claim(store: Store, workspace: int, lease: str, *, watch: Watch) -> AnswerRow | None:
    """Take the oldest answer that may run now; None where there is none. What died in a run is ended first."""
    # Looking costs the others nothing; a write lock does, and an idle brain is looked at twice a second.
    with store.reading() as connection:
        now_ms = watch.now()
        if not rows.is_work_waiting(connection, workspace, now_ms=now_ms, last_ms=watch.last_ms(now_ms)):
            return None
    with store.transaction() as connection:
        now_ms = _end_what_died(store, connection, workspace, watch)
        return rows.take_next(connection, workspace, lease, now_ms=now_ms, until_ms=now_ms + watch.lease_ms)


def renew(store: Store, row: AnswerRow, *, watch: Watch) -> bool:
    """Hold a running answer for longer; False where somebody has found its lease run out and ended it."""
    with store.transaction() as connection:
        return rows.write_lease(connection, row, watch.now() + watch.lease_ms)


def complete(
    store: Store,
    row: AnswerRow,
    *,
    output_text: str,
    usage: Usage,
    sources: list[Source],
    watch: Watch,
) -> bool:
    """End a running answer well; False where it had been ended as failed, and then nothing changes.

    May be done again where it is not known whether it was done: whoever holds the lease alone ends an answer well.
    """
    with store.transaction() as connection:
        is_ended = rows.write_completed(
            connection,
            row,
            output_text=output_text,
            input_tokens=usage["input_tokens"],
            output_tokens=usage["output_tokens"],
            sources=json.dumps(sources, ensure_ascii=False),
            now_ms=watch.now(),
        )
        if is_ended:
            store.tell(connection, row.answer_id)
            return True
        now = rows.read_answer(connection, row.workspace, row.answer_id)
    return now is not None and now.status == "completed"


def fail(store: Store, row: AnswerRow, *, watch: Watch) -> None:
    with store.transaction() as connection:
        rows.write_failed(connection, row, watch.now())
        store.tell(connection, row.answer_id)


def read(store: Store, key: KeyRow, answer_id: str, *, watch: Watch) -> AnswerRow:
    """An answer as it stands now. Raises `not_found`: an external key sees what external keys asked, no more."""
    with store.reading() as connection:
        row = rows.read_answer(connection, key.workspace, answer_id)
        now_ms = watch.now()
    if row and row.lease_until is not None and not now_ms < row.lease_until <= watch.last_ms(now_ms):
        with store.transaction() as connection:
            _end_what_died(store, connection, key.workspace, watch)
            row = rows.read_answer(connection, key.workspace, answer_id)
    if row is None or (key.audience == "external" and row.audience != "external"):
        raise BrainError("not_found")
    return row


def reply_of(row: AnswerRow, *, sources: bool) -> AnswerReply:
    """The answer as the API gives it."""
    usage: Usage | None = None
    if row.input_tokens is not None and row.output_tokens is not None:
        usage = {"input_tokens": row.input_tokens, "output_tokens": row.output_tokens}
    reply: AnswerReply = {
        "answer_id": row.answer_id,
        "status": row.status,
        "output_text": row.output_text,
        "conversation_id": row.conversation_id,
        "usage": usage,
    }
    if sources:
        reply["sources"] = json.loads(row.sources)
    if row.status == "failed":
        reply["error"] = BrainError("run_failed").envelope()["error"]
    return reply
