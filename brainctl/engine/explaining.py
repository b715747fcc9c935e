"""Why the facts of a brain are as they are: what was decided of each, what came before it, and taking that back."""

from typing import NamedTuple

from brainctl.contract.errors import BrainError
from brainctl.engine.digest import sha256
from brainctl.engine.store.decisions import Decision, digest_of, read_decisions
from brainctl.engine.store.owned import OwnedFact, read_chains, read_owned, read_replaced
from brainctl.engine.store.store import Store


class Explained(NamedTuple):
    """A fact, the ids of those it replaced, all that was decided of it, the oldest first, and which of that was of
    its own words.
    """

    fact: OwnedFact
    replaced: list[str]
    decisions: list[Decision]
    told: bytes


class Restored(NamedTuple):
    """A fact that is current again, and the one that it superseded in turn; None where nothing had its place."""

    fact_id: str
    superseded: str | None


def why(store: Store, workspace: int, fact_id: str) -> Explained:
    """All that was decided of a fact. Raises `not_found`."""
    with store.reading() as connection:
        fact = read_owned(connection, workspace, fact_id)
        if fact is None:
            raise _not_there(fact_id)
        return Explained(
            fact,
            read_replaced(connection, workspace, fact_id),
            read_decisions(connection, workspace, fact_id),
            digest_of(fact.text),
        )


def history(store: Store, workspace: int, subject: str) -> list[tuple[OwnedFact, list[Decision]]]:
    """The facts of a subject and those that they replaced or were replaced by, the oldest first."""
    with store.reading() as connection:
        return [
            (fact, read_decisions(connection, workspace, fact.fact_id))
            for fact in read_chains(connection, workspace, subject)
        ]


def restore(store: Store, workspace: int, fact_id: str, *, now_ms: int) -> Restored:
    """Let a superseded fact be current again; what had taken its place is superseded by it. Nothing is removed.

    Raises `not_found`, and `validation_error` where the fact is current.
    """
    with store.writing(workspace) as writing:
        superseded_by = writing.successor_of(fact_id)
        if superseded_by is None:
            raise _not_there(fact_id)
        if not superseded_by:
            raise BrainError(
                "validation_error",
                f"The fact {fact_id} is current, so there is nothing to restore; "
                "`brainctl brain facts list --past` shows the superseded ones",
            )
        superseded = writing.restore(fact_id)
        writing.decide(
            Decision(
                fact_id=fact_id,
                told=sha256(b"")[:16],
                action="restore",
                against=superseded,
                reason="its owner restored it",
                kind_rule="",
                subject_rule="",
                key_id=None,
                decided=now_ms,
            )
        )
    return Restored(fact_id, superseded)


def _not_there(fact_id: str) -> BrainError:
    return BrainError(
        "not_found",
        f"There is no fact {fact_id} in this brain: `brainctl brain facts list` shows those there are.",
    )
