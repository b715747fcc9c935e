"""The book of answers: who asked what, which may run now, and how each ended.

A conversation answers one message at a time. Queued questions wait behind each other, oldest first; a stream
neither waits nor is waited for. Conversations of internal and of external keys are never the same one. An answer
is run once: when its run dies with the process, the answer has failed.
"""

import json
import os
from typing import Any, Final, NamedTuple

from brainctl.contract.errors import BrainError
from brainctl.contract.replies import AnswerReply, Source, Usage
from brainctl.engine.answers.credits import charge
from brainctl.engine.ids import Entropy, new_id
from brainctl.engine.store import answers as rows
from brainctl.engine.store.answers import AnswerRow
from brainctl.engine.store.connection import Connection
from brainctl.engine.store.keys import KeyRow
from brainctl.engine.store.store import Alone, Store

FINISHED: Final = ("completed", "failed")


class Lease(NamedTuple):
    """The right to run an answer, until it is not renewed in time."""

    name: str
    until_ms: int


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


def _new_row(
    answer_id: str, question: Question, idempotency_key: str | None, now_ms: int, lease: Lease | None
) -> AnswerRow:
    return AnswerRow(
        place=0,
        answer_id=answer_id,
        workspace=question.key.workspace,
        mode="streamed" if lease else "queued",
        key_id=question.key.key_id,
        audience=question.key.audience,
        input=question.input,
        conversation_id=question.conversation_id,
        end_user_id=question.end_user_id,
        end_user_name=question.end_user_name,
        agent_slug=question.agent_slug,
        idempotency_key=idempotency_key,
        status="in_progress" if lease else "queued",
        output_text="",
        input_tokens=None,
        output_tokens=None,
        sources="[]",
        created=now_ms,
        started=now_ms if lease else None,
        finished=None,
        lease=lease.name if lease else None,
        lease_until=lease.until_ms if lease else None,
    )


def enqueue(
    store: Store,
    question: Question,
    idempotency_key: str | None,
    *,
    now_ms: int,
    entropy: Entropy = os.urandom,
) -> str:
    """Put a question into the queue and give its answer's id; repeated, give the same id and do nothing.

    Raises `idempotency_key_reused`, `out_of_credits`, and `conversation_busy` while a stream runs in it.
    """
    workspace, key_id = question.key.workspace, question.key.key_id
    repeated = [("repeated", workspace, key_id, idempotency_key)] if idempotency_key is not None else []
    with store.transaction(*repeated, *_conversation(question)) as connection:
        if idempotency_key is not None:
            known = rows.read_repeated(connection, workspace, key_id, idempotency_key)
            if known is not None:
                if not question.is_asked_by(known):
                    raise BrainError("idempotency_key_reused")
                return known.answer_id
        charge(connection, workspace)
        _end_expired(store, connection, workspace, now_ms)
        if _is_busy(connection, question, streams_only=True):
            raise BrainError("conversation_busy")
        answer_id = new_id("event", now_ms, entropy)
        rows.write_answer(connection, _new_row(answer_id, question, idempotency_key, now_ms, None))
        store.tell(connection, answer_id)
    return answer_id


def begin(
    store: Store, question: Question, lease: Lease, *, now_ms: int, entropy: Entropy = os.urandom
) -> AnswerRow:
    """Start a streamed answer. Raises `out_of_credits`, and `conversation_busy` while anything runs or waits in it."""
    with store.transaction(*_conversation(question)) as connection:
        charge(connection, question.key.workspace)
        _end_expired(store, connection, question.key.workspace, now_ms)
        if _is_busy(connection, question, streams_only=False):
            raise BrainError("conversation_busy")
        answer_id = new_id("run", now_ms, entropy)
        rows.write_answer(connection, _new_row(answer_id, question, None, now_ms, lease))
        row = rows.read_answer(connection, question.key.workspace, answer_id)
    assert row is not None
    return row


def busy_workspaces(store: Store, *, now_ms: int) -> list[tuple[int, int]]:
    """The workspaces that have something to be done, with how many queued answers of each are run now, anywhere."""
    with store.reading() as connection:
        return rows.read_busy(connection, now_ms)


def claim(store: Store, workspace: int, lease: Lease, *, now_ms: int) -> AnswerRow | None:
    """Take the oldest answer that may run now; None where there is none. What died in a run is ended first."""
    # Looking costs the others nothing; a write lock does, and an idle brain is looked at twice a second.
    with store.reading() as connection:
        if not rows.is_work_waiting(connection, workspace, now_ms):
            return None
    with store.transaction() as connection:
        _end_expired(store, connection, workspace, now_ms)
        return rows.take_next(connection, workspace, lease.name, now_ms=now_ms, until_ms=lease.until_ms)


def renew(store: Store, row: AnswerRow, until_ms: int) -> bool:
    """Hold a running answer for longer; False where somebody has found its lease run out and ended it."""
    with store.transaction() as connection:
        return rows.write_lease(connection, row, until_ms)


def complete(
    store: Store,
    row: AnswerRow,
    *,
    output_text: str,
    usage: Usage,
    sources: list[Source],
    now_ms: int,
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
            now_ms=now_ms,
        )
        if is_ended:
            store.tell(connection, row.answer_id)
            return True
        now = rows.read_answer(connection, row.workspace, row.answer_id)
    return now is not None and now.status == "completed"


def fail(store: Store, row: AnswerRow, *, now_ms: int) -> None:
    with store.transaction() as connection:
        rows.write_failed(connection, row, now_ms)
        store.tell(connection, row.answer_id)


def _end_expired(store: Store, connection: Connection, workspace: int, now_ms: int) -> None:
    for answer_id in rows.fail_expired(connection, workspace, now_ms):
        store.tell(connection, answer_id)


def read(store: Store, key: KeyRow, answer_id: str, *, now_ms: int) -> AnswerRow:
    """An answer as it stands now. Raises `not_found`: an external key sees what external keys asked, no more."""
    with store.reading() as connection:
        row = rows.read_answer(connection, key.workspace, answer_id)
    if row is not None and row.lease_until is not None and row.lease_until <= now_ms:
        with store.transaction() as connection:
            _end_expired(store, connection, key.workspace, now_ms)
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
