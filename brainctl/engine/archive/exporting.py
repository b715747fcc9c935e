"""A brain as lines: one state of it, read as it is written out, so that a million facts need no more memory than one.

`loading.load` makes the same brain of the lines, and its export is the same lines again.
"""

import json
from collections.abc import Iterator
from typing import Any

from brainctl.engine import times
from brainctl.engine.archive.lines import FORMAT
from brainctl.engine.capture.normalise import normalise
from brainctl.engine.store import archive as rows
from brainctl.engine.store.answers import AnswerRow
from brainctl.engine.store.credits import read_balance
from brainctl.engine.store.owned import OwnedFact, read_in_order
from brainctl.engine.store.people import read_members, read_people
from brainctl.engine.store.store import Store
from brainctl.engine.store.workers import read_workers


def export(store: Store, workspace: int, *, answers: bool = False) -> Iterator[dict[str, Any]]:
    """Everything the brain knows, a mapping a line; with `answers` also what it answered. Raises `store_error`."""
    with store.reading() as connection:
        yield {"type": "brain", "format": FORMAT, "workspace": rows.read_name(connection, workspace)}
        for key in rows.read_named_keys(connection, workspace, answers=answers):
            yield {
                "type": "key",
                "key_id": key.key_id,
                "name": key.name,
                "prefix": key.prefix,
                "audience": key.audience,
                "scopes": list(key.scopes),
                "created_time": times.to_text(key.created),
            }
        for member in read_members(connection, workspace):
            yield {"type": "member", "name": member}
        for person in read_people(connection, workspace):
            yield {"type": "person", "id": person.person_id, "name": person.name}
        for worker in read_workers(connection, workspace):
            yield {"type": "worker", **_without_nothing(worker._asdict())}
        balance = read_balance(connection, workspace)
        if balance is not None:
            yield {"type": "credits", "balance": balance}
        yield from map(_fact, read_in_order(connection, workspace))
        if answers:
            yield from map(_answer, rows.read_finished(connection, workspace))
        yield {"type": "end"}


def _without_nothing(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def _fact(fact: OwnedFact) -> dict[str, Any]:
    return _without_nothing(
        {
            "type": "fact",
            "fact_id": fact.fact_id,
            "text": fact.text,
            "kind": fact.kind,
            "origin": fact.origin,
            "subject": fact.subject,
            "confidence": fact.confidence,
            "recorded_time": times.to_text(fact.recorded_time),
            "pinned": fact.pinned,
            "stated": fact.stated,
            "judged": fact.judged,
            # It follows from the text, unless another pipeline read it.
            "normal": None if fact.normal == normalise(fact.text) else fact.normal,
            "taught_by": fact.taught_by,
            "outside": fact.outside or None,
            "superseded_by": fact.superseded_by,
        }
    )


def _answer(answer: AnswerRow) -> dict[str, Any]:
    return _without_nothing(
        {
            "type": "answer",
            "answer_id": answer.answer_id,
            "mode": answer.mode,
            "key_id": answer.key_id,
            "audience": answer.audience,
            "input": answer.input,
            "conversation_id": answer.conversation_id,
            "end_user_id": answer.end_user_id,
            "end_user_name": answer.end_user_name,
            "agent_slug": answer.agent_slug,
            "idempotency_key": answer.idempotency_key,
            "status": answer.status,
            "output_text": answer.output_text,
            "input_tokens": answer.input_tokens,
            "output_tokens": answer.output_tokens,
            "sources": json.loads(answer.sources),
            "created_time": times.to_text(answer.created),
            "started_time": None if answer.started is None else times.to_text(answer.started),
            "finished_time": None if answer.finished is None else times.to_text(answer.finished),
        }
    )
