"""What the owner of a brain does with it, without a key: whoever may write the file owns the brain."""

import os
import re
import time
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final, Self

from brainctl.contract.bounds import FACT_TEXT_MAX, ID_MAX, ORIGINS
from brainctl.contract.errors import BrainError
from brainctl.contract.shapes import Boolean, Choice, Problem, Record, Text, refusal
from brainctl.engine import gate, times
from brainctl.engine.capture.claims import Names
from brainctl.engine.ids import Entropy, new_id
from brainctl.engine.store.sqlite import SqliteStore, open_store
from brainctl.engine.store.sqlite_keys import KeyRow
from brainctl.engine.store.sqlite_making import create_store
from brainctl.engine.store.sqlite_people import Person

if TYPE_CHECKING:
    from brainctl.engine.store.sqlite_workers import WorkerRow

_KIND: Final = re.compile(r"[a-z][a-z_]{0,63}")
_NOBODY: Final = Names((), ())


class _Share:
    """A number from 0 to 1."""

    def read(self, value: Any, path: str, problems: list[Problem]) -> Any:
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
            problems.append(Problem(path, "must be a number from 0 to 1", "range"))
        return value

    def schema(self) -> dict[str, Any]:
        return {"type": "number", "minimum": 0, "maximum": 1}


class _Kind:
    """Any kind, also one that the documents do not name: only internal keys will see it."""

    def read(self, value: Any, path: str, problems: list[Problem]) -> Any:
        if not isinstance(value, str) or not _KIND.fullmatch(value):
            problems.append(Problem(path, "must be a kind such as decision", "kind"))
        return value

    def schema(self) -> dict[str, Any]:
        return {"type": "string", "pattern": f"^{_KIND.pattern}$"}


class _Moment:
    """A time as the API writes it, read to milliseconds."""

    def read(self, value: Any, path: str, problems: list[Problem]) -> Any:
        try:
            return times.from_text(value if isinstance(value, str) else "")
        except BrainError:
            problems.append(Problem(path, "must be a UTC time such as 2026-07-14T09:12:44.318Z", "time"))
        return value

    def schema(self) -> dict[str, Any]:
        return {"type": "string", "format": "date-time"}


FACT: Final = Record(
    {
        "text": Text(FACT_TEXT_MAX),
        "kind": _Kind(),
        "origin": Choice(ORIGINS),
        "subject": Text(ID_MAX),
        "confidence": _Share(),
        "recorded_time": _Moment(),
        "pinned": Boolean("", None),
    },
    required=("text", "kind", "origin", "subject", "confidence", "recorded_time"),
)
"""A fact that its owner describes in full."""


class Owner:
    """An open brain in its owner's hands. Everything raises `store_error` where the file cannot be used."""

    def __init__(
        self,
        store: SqliteStore,
        *,
        clock: Callable[[], float] = time.time,
        entropy: Entropy = os.urandom,
    ) -> None:
        self.store = store
        self._workspace = store.workspace()
        self._clock = clock
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
            self._workspace,
            name,
            audience,
            scopes,
            now_ms=times.now_ms(self._clock()),
            expires_ms=expires_ms,
            entropy=self._entropy,
        )

    def keys(self) -> list[KeyRow]:
        """All keys, the revoked ones too, oldest first."""
        return self.store.keys(self._workspace)

    def revoke_key(self, which: str) -> KeyRow:
        """Revoke the key of this name, prefix or id. Raises `validation_error` where that is not one key."""
        return gate.revoke_key(self.store, self._workspace, which, now_ms=times.now_ms(self._clock()))

    # People

    def add_person(self, person_id: str, name: str) -> Person:
        """Bind a customer's id to a name; an id bound before gets the new name. Raises `validation_error`."""
        _check({"id": Text(ID_MAX), "name": Text(ID_MAX)}, {"id": person_id, "name": name})
        with self.store.writing(self._workspace) as writing:
            writing.put_person(person_id, name)
        return Person(person_id, name)

    def people(self) -> list[Person]:
        return self.store.people(self._workspace)

    def remove_person(self, person_id: str) -> bool:
        """Forget the binding; False where there was none. The facts stay, about nobody known."""
        with self.store.writing(self._workspace) as writing:
            return writing.drop_person(person_id)

    def add_member(self, name: str) -> None:
        """Name a colleague: no external key sees facts about them. Raises `validation_error`."""
        _check({"name": Text(ID_MAX)}, {"name": name})
        with self.store.writing(self._workspace) as writing:
            writing.put_member(name)

    def members(self) -> list[str]:
        return self.store.members(self._workspace)

    def remove_member(self, name: str) -> bool:
        with self.store.writing(self._workspace) as writing:
            return writing.drop_member(name)

    # Facts

    def load_facts(self, facts: Iterable[Mapping[str, Any]]) -> int:
        """Load facts described in full, all or none, and say how many. Raises `validation_error`.

        Whom they are about is told by their subject, which somebody stated, and not by their text.
        """
        # Imported here: loading is rare, and the word lists are large.
        from brainctl.engine.capture.normalise import normalise
        from brainctl.engine.capture.subject import judge_subject
        from brainctl.engine.store.sqlite_writing import NewFact

        count = 0
        with self.store.writing(self._workspace) as writing:
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
                        judged=judge_subject(clean["subject"], _NOBODY),
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
        return self.store.fact_count(self._workspace)

    # Answers

    def set_worker(self, slug: str, *, model: str, base_url: str, key_env: str | None = None) -> "WorkerRow":
        """Let a model answer under this slug. Raises `validation_error`."""
        from brainctl.engine.answers.workers import set_worker

        return set_worker(self.store, self._workspace, slug, model=model, base_url=base_url, key_env=key_env)

    def workers(self) -> "list[WorkerRow]":
        """The configured workers. `main` answers without one, and without a model."""
        from brainctl.engine.answers.workers import workers

        return workers(self.store, self._workspace)

    def remove_worker(self, slug: str) -> bool:
        """Forget a worker; False where there was none."""
        from brainctl.engine.answers.workers import remove_worker

        return remove_worker(self.store, self._workspace, slug)

    def credits(self) -> int | None:
        """How many answers may still be asked for; None where they are not counted."""
        from brainctl.engine.answers.credits import balance

        return balance(self.store, self._workspace)

    def set_credits(self, credits_left: int | None) -> None:
        """Count answers from this number down, or stop counting with None. Raises `validation_error`."""
        from brainctl.engine.answers.credits import set_balance

        set_balance(self.store, self._workspace, credits_left)


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
    path: str,
    name: str = "local",
    *,
    clock: Callable[[], float] = time.time,
    entropy: Entropy = os.urandom,
) -> Owner:
    """Make an empty brain. Raises `store_error` where there is one already."""
    return Owner(create_store(path, name, clock=clock, entropy=entropy), clock=clock, entropy=entropy)


def open_owner(path: str, *, clock: Callable[[], float] = time.time, entropy: Entropy = os.urandom) -> Owner:
    """Open a brain as its owner. Raises `store_error`."""
    return Owner(open_store(path), clock=clock, entropy=entropy)
