"""A checked archive loaded into a brain, a batch at a time: interrupted, it goes on with what is not there yet."""

import json
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import IO, Any, Final, NamedTuple

from brainctl.engine.archive.checking import Plan
from brainctl.engine.archive.lines import Line, read_lines
from brainctl.engine.archive.telling import id_of, new_fact
from brainctl.engine.ids import Entropy
from brainctl.engine.store import archive as rows
from brainctl.engine.store.answers import AnswerRow, read_answer, write_answer
from brainctl.engine.store.connection import Connection
from brainctl.engine.store.credits import write_first_balance
from brainctl.engine.store.keys import KeyRow, read_keys, write_key
from brainctl.engine.store.owned import read_owned
from brainctl.engine.store.people import read_members, read_people
from brainctl.engine.store.store import Store, facts_of
from brainctl.engine.store.workers import WorkerRow, read_worker, write_worker
from brainctl.engine.store.writing import Writing
from brainctl.engine.words.text import fold

BATCH: Final = 1000
"""Lines a transaction: other processes may write in between, and little is lost where this one dies."""
_DIGEST_BYTES: Final = 32


class Loaded(NamedTuple):
    """How many lines of each kind were new to the brain, and how many facts it held already."""

    facts: int = 0
    known: int = 0
    people: int = 0
    members: int = 0
    keys: int = 0
    workers: int = 0
    answers: int = 0

    def plus(self, other: "Loaded") -> "Loaded":
        return Loaded(*(one + two for one, two in zip(self, other, strict=True)))


def load(
    store: Store,
    workspace: int,
    stream: IO[bytes],
    plan: Plan,
    *,
    now_ms: int,
    entropy: Entropy,
    tell: Callable[[int], None],
) -> Loaded:
    """Write the lines of an archive that was checked; `tell` is told how many lines are done. Raises `store_error`.

    Facts keep their order. A fact whose successor comes later in the archive is superseded from the start, and is
    told by what once that is there.
    """
    total = Loaded()
    done = 0
    for batch in _batches(read_lines(stream)):
        with store.transaction(facts_of(workspace)) as connection:
            total = total.plus(
                _Batch(connection, workspace, now_ms, entropy, takes_name=not store.holds_many).write(batch)
            )
        done += len(batch)
        tell(done)
    if plan.has_links:
        stream.seek(0)
        linked = (line for line in read_lines(stream) if "superseded_by" in line.clean)
        for batch in _batches(linked):
            with store.transaction(facts_of(workspace)) as connection:
                _link(connection, workspace, batch)
    return total


def _batches(lines: Iterable[Line]) -> Iterator[list[Line]]:
    rest = iter(lines)
    while batch := list(islice(rest, BATCH)):
        yield batch


def _link(connection: Connection, workspace: int, batch: list[Line]) -> None:
    writing = Writing(connection, workspace)
    for line in batch:
        fact_id, by = id_of(line.clean), line.clean["superseded_by"]
        now = rows.read_successor(connection, workspace, fact_id)
        if now is None and by != fact_id:
            # The brain knew it as current; the archive knows better.
            writing.supersede(fact_id, by=by)
        elif now == fact_id:
            rows.write_successor(connection, workspace, fact_id, by)


class _Batch:
    """Some lines, inside one transaction."""

    def __init__(
        self, connection: Connection, workspace: int, now_ms: int, entropy: Entropy, *, takes_name: bool
    ) -> None:
        self._connection = connection
        self._workspace = workspace
        self._now_ms = now_ms
        self._entropy = entropy
        self._takes_name = takes_name
        self._writing = Writing(connection, workspace)

    def write(self, lines: list[Line]) -> Loaded:
        of: dict[str, list[dict[str, Any]]] = {}
        for line in lines:
            of.setdefault(line.type, []).append(line.clean)
        self._head(of.get("brain", []))
        # Who is known comes before the facts, which are then looked at once.
        keys = self._keys(of.get("key", []))
        members = self._members(of.get("member", []))
        people = self._people(of.get("person", []))
        workers = self._workers(of.get("worker", []))
        for credits_line in of.get("credits", []):
            write_first_balance(self._connection, self._workspace, credits_line["balance"])
        facts = of.get("fact", [])
        new = sum(map(self._fact, facts))
        answers = sum(map(self._answer, of.get("answer", [])))
        return Loaded(new, len(facts) - new, people, members, keys, workers, answers)

    def _head(self, heads: list[dict[str, Any]]) -> None:
        # A brain that holds nothing yet becomes the one that was exported, its name too; but in a store of several it is
        # found by its name.
        if heads and self._takes_name and not rows.has_facts(self._connection, self._workspace):
            rows.write_name(self._connection, self._workspace, heads[0]["workspace"])

    def _keys(self, keys: list[dict[str, Any]]) -> int:
        known = {key.key_id for key in read_keys(self._connection, self._workspace)} if keys else set()
        new = [key for key in keys if key["key_id"] not in known]
        for key in new:
            write_key(
                self._connection,
                KeyRow(
                    key_id=key["key_id"],
                    workspace=self._workspace,
                    name=key["name"],
                    prefix=key["prefix"],
                    # No secret has this digest, so nothing opens the key: it is here to say who taught.
                    digest=self._entropy(_DIGEST_BYTES),
                    scopes=tuple(key["scopes"]),
                    audience=key["audience"],
                    created=key["created_time"],
                    expires=None,
                    revoked=self._now_ms,
                ),
            )
        return len(new)

    def _members(self, members: list[dict[str, Any]]) -> int:
        if not members:
            return 0
        known = {fold(name) for name in read_members(self._connection, self._workspace)}
        new = {fold(member["name"]): member["name"] for member in members}
        names = [name for folded, name in new.items() if folded not in known]
        self._writing.put_members(names)
        return len(names)

    def _people(self, people: list[dict[str, Any]]) -> int:
        if not people:
            return 0
        known = {person.person_id for person in read_people(self._connection, self._workspace)}
        new = {person["id"]: person["name"] for person in people if person["id"] not in known}
        self._writing.put_people(new.items())
        return len(new)

    def _workers(self, workers: list[dict[str, Any]]) -> int:
        new = 0
        for worker in workers:
            if read_worker(self._connection, self._workspace, worker["slug"]) is None:
                row = WorkerRow(
                    worker["slug"], worker["model"], worker["base_url"].rstrip("/"), worker.get("key_env")
                )
                write_worker(self._connection, self._workspace, row)
                new += 1
        return new

    def _fact(self, fact: dict[str, Any]) -> bool:
        """Write a fact; False where it is there already."""
        fact_id = id_of(fact)
        if read_owned(self._connection, self._workspace, fact_id) is not None:
            return False
        successor = fact.get("superseded_by")
        if successor is not None and read_owned(self._connection, self._workspace, successor) is None:
            # Superseded by itself, until what superseded it is there too: so nobody reads it meanwhile.
            successor = fact_id
        self._writing.add(new_fact(fact), successor)
        return True

    def _answer(self, answer: dict[str, Any]) -> bool:
        if read_answer(self._connection, self._workspace, answer["answer_id"]) is not None:
            return False
        write_answer(
            self._connection,
            AnswerRow(
                place=0,
                answer_id=answer["answer_id"],
                workspace=self._workspace,
                mode=answer["mode"],
                key_id=answer["key_id"],
                audience=answer["audience"],
                input=answer["input"],
                conversation_id=answer.get("conversation_id"),
                end_user_id=answer.get("end_user_id"),
                end_user_name=answer.get("end_user_name"),
                agent_slug=answer["agent_slug"],
                idempotency_key=answer.get("idempotency_key"),
                status=answer["status"],
                output_text=answer["output_text"],
                input_tokens=answer.get("input_tokens"),
                output_tokens=answer.get("output_tokens"),
                sources=json.dumps(answer["sources"], ensure_ascii=False),
                created=answer["created_time"],
                started=answer.get("started_time"),
                finished=answer["finished_time"],
                lease=None,
                lease_until=None,
            ),
        )
        return True
