"""An archive looked through before anything of it is written: every line, against the brain and against the others."""

from collections.abc import Callable, Iterator
from typing import IO, Final, NamedTuple

from brainctl.contract.errors import BrainError
from brainctl.contract.lines import Problems
from brainctl.engine.answers.workers import checked_worker
from brainctl.engine.archive.lines import FORMAT, Line, read_lines
from brainctl.engine.archive.seen import Seen
from brainctl.engine.archive.telling import id_of, said, said_in_store
from brainctl.engine.store.answers import read_answer
from brainctl.engine.store.connection import Connection
from brainctl.engine.store.keys import KeyRow, read_keys
from brainctl.engine.store.owned import read_owned
from brainctl.engine.store.people import read_people
from brainctl.engine.store.store import Store
from brainctl.engine.store.workers import WorkerRow, read_workers

EVERY: Final = 1000
"""How many lines pass between two words of progress."""


class Plan(NamedTuple):
    """What an archive holds: its lines, the facts among them, and whether some of those were superseded."""

    lines: int
    facts: int
    has_links: bool


def check(
    store: Store,
    workspace: int,
    stream: IO[bytes],
    *,
    name: str,
    tell: Callable[[int], None],
) -> Plan:
    """Look through an archive; `tell` is told how many lines were seen.

    Raises `validation_error`, naming every line that cannot be imported as `NAME:LINE`.
    """
    problems = Problems()
    with Seen() as seen, store.reading() as connection:
        looking = _Looking(connection, workspace, seen)
        for number, found in looking.through(stream, tell):
            problems.add(f"{name}:{number}", found)
        plan = Plan(looking.lines, looking.facts, bool(seen.link_count()))
    if problems.count:
        what = "1 problem was" if problems.count == 1 else f"{problems.count} problems were"
        raise problems.refusal(f"{what} found in the archive, so nothing was written")
    if not plan.lines:
        raise BrainError("usage", "There is nothing to import: the input is empty.")
    return plan


class _Looking:
    """What is known while an archive is looked through: the brain, and the lines so far."""

    def __init__(self, connection: Connection, workspace: int, seen: Seen) -> None:
        self.lines = 0
        self.facts = 0
        self._connection = connection
        self._workspace = workspace
        self._seen = seen
        self._keys: dict[str, tuple[str, ...]] = {
            key.key_id: _what_is_kept_of(key) for key in read_keys(connection, workspace)
        }
        self._people = dict(read_people(connection, workspace))
        self._workers: dict[str, WorkerRow] = {
            worker.slug: worker for worker in read_workers(connection, workspace)
        }
        self._has_head = False
        self._has_end = False

    def through(self, stream: IO[bytes], tell: Callable[[int], None]) -> Iterator[tuple[int, str]]:
        """Every problem, as the number of its line and a sentence."""
        last = 0
        for line in read_lines(stream):
            self.lines += 1
            last = line.number
            for problem in line.problems or self._problems(line):
                yield line.number, problem
            if self.lines % EVERY == 0:
                tell(self.lines)
        if self._has_head and not self._has_end:
            yield last, "is the last line, and is not the end: the archive was cut off"
        for number, target in self._seen.loose():
            if read_owned(self._connection, self._workspace, target) is None:
                yield number, f"superseded_by: {target} is neither in the archive nor in the brain"

    def _problems(self, line: Line) -> Iterator[str]:
        if self._has_end:
            yield "stands behind the end of the archive"
        match line.type:
            case "brain":
                yield from self._head(line)
            case "end":
                self._has_end = True
            case "key":
                yield from self._key(line)
            case "person":
                yield from self._person(line)
            case "worker":
                yield from self._worker(line)
            case "fact":
                yield from self._fact(line)
            case "answer":
                yield from self._answer(line)

    def _head(self, line: Line) -> Iterator[str]:
        self._has_head = True
        if line.clean["format"] > FORMAT:
            yield "was written by a newer brainctl: upgrade brainctl to import it"

    def _key(self, line: Line) -> Iterator[str]:
        key_id = line.clean["key_id"]
        kept = (
            line.clean["name"],
            line.clean["prefix"],
            line.clean["audience"],
            *sorted(line.clean["scopes"]),
        )
        if self._keys.setdefault(key_id, kept) != kept:
            yield f"key_id: {key_id} is another key already"

    def _person(self, line: Line) -> Iterator[str]:
        person_id, name = line.clean["id"], line.clean["name"]
        known = self._people.setdefault(person_id, name)
        if known != name:
            yield f"id: {person_id} is bound to {known} already, not to {name}"

    def _worker(self, line: Line) -> Iterator[str]:
        clean = line.clean
        try:
            worker = checked_worker(
                clean["slug"],
                model=clean["model"],
                base_url=clean["base_url"],
                key_env=clean.get("key_env"),
            )
        except BrainError as error:
            yield error.message
            return
        if self._workers.setdefault(worker.slug, worker) != worker:
            yield f"slug: {worker.slug} is another worker already"

    def _fact(self, line: Line) -> Iterator[str]:
        self.facts += 1
        fact_id, says = id_of(line.clean), said(line.clean)
        taught_by = line.clean.get("taught_by")
        if taught_by is not None and taught_by not in self._keys:
            yield f"taught_by: no line before this one is of the key {taught_by}"
        before = self._seen.add(fact_id, says)
        if before not in {None, says}:
            yield f"fact_id: {fact_id} stands in the archive twice, for two different facts"
        known = read_owned(self._connection, self._workspace, fact_id)
        if known is not None and said_in_store(known) != says:
            yield f"fact_id: {fact_id} is another fact in this brain"
        if "superseded_by" in line.clean:
            self._seen.link(line.number, line.clean["superseded_by"])

    def _answer(self, line: Line) -> Iterator[str]:
        clean = line.clean
        if clean["key_id"] not in self._keys:
            yield f"key_id: no line before this one is of the key {clean['key_id']}"
        known = read_answer(self._connection, self._workspace, clean["answer_id"])
        if known is not None and (known.input, known.output_text) != (clean["input"], clean["output_text"]):
            yield f"answer_id: {clean['answer_id']} is another answer in this brain"


def _what_is_kept_of(key: KeyRow) -> tuple[str, ...]:
    return (key.name, key.prefix, key.audience, *sorted(key.scopes))
