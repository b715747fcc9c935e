"""What the capture pipeline makes of a taught text, and what it is compared with."""

from collections.abc import Collection
from typing import Literal, NamedTuple, Protocol

About = Literal["general", "person", "team", "worker"]
"""Whom a fact is about. `person` is anyone who may be somebody outside the team: in doubt, a person."""

Action = Literal["create", "supersede", "skip"]


class Names(NamedTuple):
    """The names a brain knows, folded: of people bound to an id, and of colleagues."""

    people: Collection[str]
    members: Collection[str]


class Claim(NamedTuple):
    """A taught text, read. `normal` is the form in which two tellings of the same thing are equal; `kind_rule` and
    `subject_rule` say in a few words how kind and subject were told.
    """

    text: str
    normal: str
    kind: str
    subject: str
    about: About
    confidence: float
    kind_rule: str = ""
    subject_rule: str = ""


class KnownFact(NamedTuple):
    """A fact of the store that a claim may repeat or replace. `recorded_time` is milliseconds since 1970."""

    fact_id: str
    text: str
    normal: str
    kind: str
    subject: str
    recorded_time: int


class Verdict(NamedTuple):
    """What to do with a claim, against which known fact, and why in a few words."""

    action: Action
    fact_id: str | None
    reason: str


class Meaning(Protocol):
    """What texts mean, where that is known better than by their words."""

    def says_the_same(self, text: str, other: str) -> bool:
        """Whether two texts that are nearly the same in words say the same."""

    def may_mean(self, verb: str, other: str) -> bool:
        """Whether two words may be two verbs for one thing, where all else says the same."""

    def means(self, word: str, other: str, text: str, other_text: str) -> bool:
        """Whether a word, in its text, means what the other does in the other text."""
