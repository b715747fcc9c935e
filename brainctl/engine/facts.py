"""A fact as the engine holds it, and as a brain gives it out."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from brainctl.engine import times

if TYPE_CHECKING:
    from brainctl.contract.replies import Fact


class StoredFact(NamedTuple):
    """A current fact that its reader may see. `terms` are the words it is found by, `recorded_time` milliseconds
    since 1970, `person_id` the bound person it is about.
    """

    row: int
    fact_id: str
    text: str
    kind: str
    origin: str
    subject: str | None
    subject_key: str
    person_id: str | None
    confidence: float
    recorded_time: int
    pinned: bool
    terms: tuple[str, ...]


class Sought(NamedTuple):
    """Facts that are looked for by their words, at most so many a shelf: the best that have any of the terms, or the
    newest that have all of them.
    """

    first: Literal["best", "newest"]
    terms: Sequence[str]
    most: int


class Totals(NamedTuple):
    """How many facts there are, and how many terms they have together."""

    facts: int
    terms: int


class Vectors(NamedTuple):
    """The rows of some facts in order, and their vectors one behind the other, a signed byte a number."""

    rows: list[int]
    packed: bytes


def as_reply(fact: StoredFact) -> "Fact":
    """The fact's seven public fields."""
    return {
        "fact_id": fact.fact_id,
        "fact_text": fact.text,
        "kind": fact.kind,
        "origin": fact.origin,
        "subject": fact.subject,
        "confidence_level": fact.confidence,
        "recorded_time": times.to_text(fact.recorded_time),
    }
