"""Why a key does not get a fact: the rule of disclosure that keeps it back, told to the owner alone."""

from collections.abc import Iterator
from typing import Final, Literal, NamedTuple

from brainctl.contract.bounds import CUSTOMER_FACING_KINDS, STATED_ORIGINS
from brainctl.engine.disclosure import Viewer
from brainctl.engine.recall import Ranked, rank
from brainctl.engine.store.owned import OwnedFact, read_having
from brainctl.engine.store.store import Store
from brainctl.engine.words.text import terms

Rule = Literal[
    "superseded", "other_person", "unbound_person", "team", "worker", "taught_outside", "kind", "origin"
]

RULES: Final[dict[Rule, str]] = {
    "superseded": "another fact has replaced it",
    "other_person": "it is about a person whom the request does not name",
    "unbound_person": "it may be about a person, and no customer's id is bound to them",
    "team": "it is about the team",
    "worker": "it is about the worker itself",
    "taught_outside": "an external key taught it, and the workspace has not said it",
    "kind": "its kind is for the team alone",
    "origin": "nobody of the workspace stated it",
}
"""What each rule says, as a sentence about the fact."""

_WORDS_MOST: Final = 60


class Withheld(NamedTuple):
    """A fact that a viewer does not get, the rule, and how many of the query's words it has."""

    fact: OwnedFact
    rule: Rule
    words: int


class Shown(NamedTuple):
    """What a viewer gets for a query, best first, and what is withheld that has the query's words."""

    ranked: list[Ranked]
    withheld: list[Withheld]


def withheld_by(fact: OwnedFact, audience: str, end_user_id: str | None = None) -> Rule | None:
    """The rule by which a key of an audience that names somebody does not see a fact; None where it does."""
    if fact.superseded_by is not None:
        return "superseded"
    if fact.person_id is not None and fact.person_id != end_user_id:
        return "other_person"
    if audience == "internal":
        return None
    if fact.person_id is None:
        if fact.about == "person":
            return "unbound_person"
        if fact.about != "general":
            return "team" if fact.about == "team" else "worker"
        if fact.outside:
            return "taught_outside"
    if fact.kind not in CUSTOMER_FACING_KINDS:
        return "kind"
    return None if fact.origin in STATED_ORIGINS else "origin"


def explain(store: Store, viewer: Viewer, query: str, most: int) -> Shown:
    """What a viewer would get for a query, and the first `most` facts that are withheld and have most of its words."""
    with store.view(viewer) as view:
        ranked = rank(view, query, most)
    return Shown(
        ranked, [each for each, _ in zip(_withheld(store, viewer, query), range(most), strict=False)]
    )


def _withheld(store: Store, viewer: Viewer, query: str) -> Iterator[Withheld]:
    asked = list(dict.fromkeys(terms(query)))[:_WORDS_MOST]
    if not asked:
        return
    with store.reading() as connection:
        for fact, count in read_having(connection, viewer.workspace, asked):
            rule = withheld_by(fact, viewer.audience, viewer.end_user_id)
            if rule is not None:
                yield Withheld(fact, rule, count)
