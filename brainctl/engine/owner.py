"""What the owner of a brain does with it, without a key: whoever may write to the store owns the brain."""

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import IO, TYPE_CHECKING, Any, Final, Self

from brainctl.contract.bounds import ID_MAX
from brainctl.contract.shapes import Problem, Record, Text, refusal
from brainctl.engine import gate, times
from brainctl.engine.ids import Entropy, new_id
from brainctl.engine.store.keys import KeyRow
from brainctl.engine.store.opening import create_store, open_store
from brainctl.engine.store.people import Person
from brainctl.engine.store.store import Store
from brainctl.engine.workspaces import workspace_of

if TYPE_CHECKING:
    from brainctl.engine.archive.checking import Plan
    from brainctl.engine.archive.loading import Loaded
    from brainctl.engine.auditing import Finding
    from brainctl.engine.explaining import Explained, Restored
    from brainctl.engine.forgetting import Forgotten
    from brainctl.engine.moving.moving import Move
    from brainctl.engine.semantic.indexing import Meanings
    from brainctl.engine.store.decisions import Decision
    from brainctl.engine.store.owned import Choice, OwnedFact
    from brainctl.engine.store.sqlite.backup import Counted
    from brainctl.engine.store.workers import WorkerRow
    from brainctl.engine.withholding import Shown

_LOOK_SECONDS: Final = 0.5


class Owner:
    """An open brain in its owner's hands. Everything raises `store_error` where the store cannot be used.

    `workspace` is its name in a store that holds several; the clock is the store's own unless given.
    """

    def __init__(
        self,
        store: Store,
        workspace: str | None = None,
        *,
        clock: Callable[[], float] | None = None,
        entropy: Entropy = os.urandom,
    ) -> None:
        self.store = store
        self.workspace = workspace_of(store, workspace)
        self._clock = clock or store.clock
        self._entropy = entropy

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self.store.close()

    # Keys

    def create_key(
        self, name: str, audience: str, scopes: Iterable[str], expires_ms: int | None = None
    ) -> gate.NewKey:
        """Make a key; its secret is in the reply and nowhere else. Raises `validation_error`."""
        return gate.create_key(
            self.store,
            self.workspace,
            name,
            audience,
            scopes,
            now_ms=times.now_ms(self._clock()),
            expires_ms=expires_ms,
            entropy=self._entropy,
        )

    def keys(self) -> list[KeyRow]:
        """All keys, the revoked ones too, oldest first."""
        return self.store.keys(self.workspace)

    def revoke_key(self, which: str) -> KeyRow:
        """Revoke the key of this name, prefix or id. Raises `not_found`, and `validation_error` where it is several."""
        return gate.revoke_key(self.store, self.workspace, which, now_ms=times.now_ms(self._clock()))

    # People

    def add_person(self, person_id: str, name: str) -> Person:
        """Bind a customer's id to a name; an id bound before gets the new name. Raises `validation_error`."""
        _check({"id": Text(ID_MAX), "name": Text(ID_MAX)}, {"id": person_id, "name": name})
        with self.store.writing(self.workspace) as writing:
            writing.put_person(person_id, name)
        return Person(person_id, name)

    def people(self) -> list[Person]:
        return self.store.people(self.workspace)

    def remove_person(self, person_id: str) -> bool:
        """Forget the binding; False where there was none. The facts stay, about nobody known."""
        with self.store.writing(self.workspace) as writing:
            return writing.drop_person(person_id)

    def add_member(self, name: str) -> None:
        """Name a colleague: no external key sees facts about them. Raises `validation_error`."""
        _check({"name": Text(ID_MAX)}, {"name": name})
        with self.store.writing(self.workspace) as writing:
            writing.put_member(name)

    def members(self) -> list[str]:
        return self.store.members(self.workspace)

    def remove_member(self, name: str) -> bool:
        with self.store.writing(self.workspace) as writing:
            return writing.drop_member(name)

    # Facts

    def load_facts(self, facts: Iterable[Mapping[str, Any]]) -> int:
        """Load facts described in full, all or none, and say how many. Raises `validation_error`.

        Whom they are about is told by their subject, which somebody stated, and not by their text.
        """
        # Imported here: loading is rare, and the word lists are large.
        from brainctl.engine.capture.claims import Names
        from brainctl.engine.capture.normalise import normalise
        from brainctl.engine.capture.subject import judge_subject
        from brainctl.engine.described import FACT
        from brainctl.engine.store.writing import NewFact

        # Many facts have few subjects.
        judged = lru_cache(maxsize=10_000)(lambda subject: judge_subject(subject, Names((), ())))
        count = 0
        with self.store.writing(self.workspace) as writing:
            for described in facts:
                clean = _check(FACT.fields, dict(described), FACT.required, f"facts[{count}]")
                writing.add(
                    NewFact(
                        fact_id=new_id("fact", clean["recorded_time"], self._entropy),
                        text=clean["text"],
                        kind=clean["kind"],
                        origin=clean["origin"],
                        subject=clean["subject"],
                        stated=True,
                        judged=judged(clean["subject"]),
                        confidence=float(clean["confidence"]),
                        recorded_time=clean["recorded_time"],
                        normal=normalise(clean["text"]),
                        pinned=bool(clean.get("pinned", False)),
                    )
                )
                count += 1
        return count

    def fact_count(self) -> int:
        """How many current facts the brain holds, about whomever."""
        return self.store.fact_count(self.workspace)

    def facts(self, choice: "Choice", most: int) -> "list[OwnedFact]":
        """The chosen facts with all that is stored of them, the newest first."""
        from brainctl.engine.store.owned import read_newest

        with self.store.reading() as connection:
            return list(read_newest(connection, self.workspace, choice, most))

    def fact(self, fact_id: str) -> "tuple[OwnedFact, list[str]] | None":
        """A fact, and the ids of those it replaced; None where there is none."""
        from brainctl.engine.store.owned import read_owned, read_replaced

        with self.store.reading() as connection:
            found = read_owned(connection, self.workspace, fact_id)
            return found and (found, read_replaced(connection, self.workspace, fact_id))

    def why(self, fact_id: str) -> "Explained":
        """All that was decided of a fact. Raises `not_found`."""
        from brainctl.engine.explaining import why

        return why(self.store, self.workspace, fact_id)

    def history(self, subject: str) -> "list[tuple[OwnedFact, list[Decision]]]":
        """The facts of a subject and those in one chain with them, the oldest first, with what was decided of each."""
        from brainctl.engine.explaining import history

        return history(self.store, self.workspace, subject)

    def restore(self, fact_id: str) -> "Restored":
        """Let a superseded fact be current again. Raises `not_found`, or `validation_error` for a current one."""
        from brainctl.engine.explaining import restore

        return restore(self.store, self.workspace, fact_id, now_ms=times.now_ms(self._clock()))

    def explain(self, key: KeyRow, query: str, end_user_id: str | None, most: int) -> "Shown":
        """What a key would get for a query, and what is withheld from it. Raises `validation_error`."""
        from brainctl.contract.requests import SEARCH
        from brainctl.contract.shapes import validate
        from brainctl.engine.disclosure import Viewer
        from brainctl.engine.withholding import explain

        request: dict[str, Any] = {"query": query, "limit": most}
        if end_user_id is not None:
            request["end_user"] = {"id": end_user_id}
        clean = validate(SEARCH, request)
        viewer = Viewer(self.workspace, key.audience, end_user_id)
        return explain(self.store, viewer, clean["query"], clean["limit"])

    def audit(self) -> "list[Finding]":
        """What in the facts deserves a look: repeats, contradictions, old news, secrets, and instructions."""
        from brainctl.engine.auditing import audit

        with self.store.reading() as connection:
            return audit(connection, self.workspace, now_ms=times.now_ms(self._clock()))

    def what_would_go(self, fact_ids: Sequence[str]) -> list[str]:
        """The ids of all facts that forgetting these would remove, the oldest first. Raises `not_found`."""
        from brainctl.engine.forgetting import what_would_go

        return what_would_go(self.store, self.workspace, fact_ids)

    def forget(self, fact_ids: Sequence[str]) -> "Forgotten":
        """Remove facts from the store for good, all or none. Raises `not_found`."""
        from brainctl.engine.forgetting import forget

        return forget(self.store, self.workspace, fact_ids)

    # The whole

    def export(self, *, answers: bool = False) -> Iterator[dict[str, Any]]:
        """Everything the brain knows as the lines of an archive, with `answers` also what it answered."""
        from brainctl.engine.archive.exporting import export

        return export(self.store, self.workspace, answers=answers)

    def check_archive(self, stream: IO[bytes], name: str, tell: Callable[[int], None]) -> "Plan":
        """Look through an archive; `tell` is told how many lines were seen. Raises `validation_error`."""
        from brainctl.engine.archive.checking import check

        return check(self.store, self.workspace, stream, name=name, tell=tell)

    def load_archive(self, stream: IO[bytes], plan: "Plan", tell: Callable[[int], None]) -> "Loaded":
        """Load an archive that was checked; `tell` is told how many lines are done."""
        from brainctl.engine.archive.loading import load

        now_ms = times.now_ms(self._clock())
        return load(self.store, self.workspace, stream, plan, now_ms=now_ms, entropy=self._entropy, tell=tell)

    def line_count(self, *, answers: bool = False) -> int:
        """About how many lines an export would have."""
        from brainctl.engine.store.owned import count_all

        with self.store.reading() as connection:
            return count_all(connection, self.workspace, answers=answers)

    def back_up(self, to: str, *, replace: bool, tell: Callable[[int, int], None]) -> "Counted":
        """Copy the file while others use it; `tell` is told the pages done, and of how many.

        Raises `usage` where there is a file that may not be replaced.
        """
        from brainctl.engine.store.sqlite.backup import copy_file

        return copy_file(self.store.address, to, replace=replace, entropy=self._entropy, tell=tell)

    def figures(self) -> dict[str, Any]:
        """What the brain comes to in numbers."""
        from brainctl.engine.figures import figures

        return figures(self.store, self.workspace)

    def move(self, to: str, name: str | None = None) -> "Move":
        """The brain's way to another store, where it may get another name. Raises `usage` and `store_error`."""
        from brainctl.engine.moving.moving import Move

        return Move(self.store, self.workspace, to, name=name, clock=self._clock, entropy=self._entropy)

    # Capture

    def capture_model(self) -> "tuple[str, bool] | None":
        """The worker whose model helps to capture, and whether it is configured; None where the rules alone decide."""
        from brainctl.engine.store.capturing import read_capturing
        from brainctl.engine.store.workers import read_worker

        with self.store.reading() as connection:
            slug = read_capturing(connection, self.workspace)
            if slug is None:
                return None
            return slug, read_worker(connection, self.workspace, slug) is not None

    def capture_with(self, worker: str | None) -> None:
        """Let a worker's model help to capture, or with None the rules alone. Raises `validation_error`."""
        from brainctl.contract.requests import QUESTION
        from brainctl.engine.store.capturing import write_capturing

        if worker is not None:
            _check({"worker": QUESTION.fields["agent_slug"]}, {"worker": worker})
        with self.store.transaction(("capturing", self.workspace)) as connection:
            write_capturing(connection, self.workspace, worker)

    # Meanings

    def meanings(self) -> "Meanings":
        """Whether facts are found by their meaning too, and how far that is."""
        from brainctl.engine.semantic.indexing import meanings

        return meanings(self.store, self.workspace, clock=self._clock)

    def pending_meanings(self) -> int:
        """How many facts wait to be found by their meaning; none where that is not wanted."""
        from brainctl.engine.store.vectors import count_pending, read_model

        with self.store.reading() as connection:
            wanted = read_model(connection, self.workspace) is not None
            return count_pending(connection, self.workspace) if wanted else 0

    def want_meanings(self) -> None:
        """Find facts by their meaning too, from now on; who is to give them their vectors is another question.

        Raises `store_error` where the model is missing.
        """
        from brainctl.engine.semantic.indexing import want_meanings

        want_meanings(self.store, self.workspace)

    def await_meanings(
        self, tell: Callable[[int, int], None], sleep: Callable[[float], None] = time.sleep
    ) -> None:
        """Stay until all facts are found by their meaning, here or by another process that is at it. `tell` is told how
        many are and how many are not yet. Raises `store_error`.
        """
        from brainctl.engine.semantic.indexer import index

        def told(_: int = 0) -> None:
            standing = self.meanings()
            tell(standing.ready, standing.pending)

        told()
        while not index(self.store, self.workspace, tell=told, clock=self._clock, entropy=self._entropy):
            told()
            sleep(_LOOK_SECONDS)

    def find_by_words(self) -> None:
        """Find facts by their words alone, and forget their vectors."""
        from brainctl.engine.semantic.indexing import drop_meanings

        drop_meanings(self.store, self.workspace)

    # Answers

    def set_worker(self, slug: str, *, model: str, base_url: str, key_env: str | None = None) -> "WorkerRow":
        """Let a model answer under this slug. Raises `validation_error`."""
        from brainctl.engine.answers.workers import set_worker

        return set_worker(self.store, self.workspace, slug, model=model, base_url=base_url, key_env=key_env)

    def workers(self) -> "list[WorkerRow]":
        """The configured workers. `main` answers without one, and without a model."""
        from brainctl.engine.answers.workers import workers

        return workers(self.store, self.workspace)

    def remove_worker(self, slug: str) -> bool:
        """Forget a worker; False where there was none."""
        from brainctl.engine.answers.workers import remove_worker

        return remove_worker(self.store, self.workspace, slug)

    def credits(self) -> int | None:
        """How many answers may still be asked for; None where they are not counted."""
        from brainctl.engine.answers.credits import balance

        return balance(self.store, self.workspace)

    def set_credits(self, credits_left: int | None) -> None:
        """Count answers from this number down, or stop counting with None. Raises `validation_error`."""
        from brainctl.engine.answers.credits import set_balance

        set_balance(self.store, self.workspace, credits_left)


def _check(
    fields: Mapping[str, Any], value: Any, required: Iterable[str] | None = None, path: str = ""
) -> Any:
    shape = Record(fields, tuple(fields if required is None else required))
    problems: list[Problem] = []
    clean = shape.read(value, path, problems)
    if problems:
        raise refusal(problems)
    return clean


def create_brain(
    address: str,
    name: str = "local",
    *,
    clock: Callable[[], float] | None = None,
    entropy: Entropy = os.urandom,
) -> Owner:
    """Make an empty brain. Raises `store_error` where there is one already."""
    return Owner(
        create_store(address, name, clock=clock or time.time, entropy=entropy),
        name,
        clock=clock,
        entropy=entropy,
    )


def open_owner(
    address: str,
    workspace: str | None = None,
    *,
    clock: Callable[[], float] | None = None,
    entropy: Entropy = os.urandom,
) -> Owner:
    """Open a brain as its owner, by its name in a store that holds several. Raises `store_error`."""
    store = open_store(address)
    try:
        return Owner(store, workspace, clock=clock, entropy=entropy)
    except BaseException:
        store.close()
        raise
