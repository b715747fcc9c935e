"""Ranking: which of the facts a viewer may see answer a query best. The one place to make it better.

A few hundred candidates come from the full-text index; they are scored here, with BM25 over the statistics of
what the viewer may see and nothing else, and with small gains for a subject, date or number that was asked for.
"""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple, Protocol

from brainctl.engine.disclosure import Viewer
from brainctl.engine.facts import StoredFact, Totals
from brainctl.engine.text import terms, words

K1: Final = 0.9
B: Final = 0.4
"""BM25's saturation and length weight: facts are short, so both are low."""

SUBJECT_WEIGHT: Final = 0.4
CANDIDATES: Final = 200
ROWS_READ: Final = 3000
"""About how many index rows a query may cost: a word that half of all facts have tells little and costs a lot."""

_MONTHS: Final = "january february march april may june july august september october november december"
_ASKING: Final = frozenset(("when", "what", "how", *_MONTHS.split()))
"""Words that may ask for a date, a time or a number; so may a year."""


class Visible(Protocol):
    """What ranking may ask of a store: the facts one viewer may see. Nothing in it depends on any other fact."""

    @property
    def viewer(self) -> Viewer: ...

    def general_totals(self) -> Totals:
        """Of the facts about nobody who is bound to an id."""

    def general_frequencies(self, terms: Sequence[str]) -> Mapping[str, int]:
        """In how many facts about nobody bound to an id each term occurs."""

    def general_matching(self, terms: Sequence[str], most: int) -> list[StoredFact]:
        """The best facts about nobody bound to an id that have any of the terms."""

    def general_newest(self, terms: Sequence[str], most: int) -> list[StoredFact]:
        """The newest facts about nobody bound to an id that have all of the terms."""

    def personal(self) -> list[StoredFact]:
        """All facts about the person the viewer names."""


class Ranked(NamedTuple):
    fact: StoredFact
    score: float


def _candidates(view: Visible, frequencies: Mapping[str, int]) -> list[StoredFact]:
    """The facts worth scoring: found by the rarest words of the query, as many as may be read."""
    known = sorted(
        (term for term in frequencies if frequencies[term]), key=lambda term: (frequencies[term], term)
    )
    rows = 0
    telling: list[str] = []
    for term in known:
        rows += frequencies[term]
        if rows > ROWS_READ:
            break
        telling.append(term)
    if telling or not known:
        return view.general_matching(telling, CANDIDATES)
    # Common words only: the facts that have them all, and the newest that have the rarest.
    found = {fact.row: fact for fact in view.general_newest(known, CANDIDATES)}
    found.update((fact.row, fact) for fact in view.general_newest(known[:1], CANDIDATES))
    return list(found.values())


def _weights(query_terms: Sequence[str], facts: int, frequencies: Mapping[str, int]) -> dict[str, float]:
    return {
        term: math.log(1 + (facts - frequencies[term] + 0.5) / (frequencies[term] + 0.5))
        for term in query_terms
    }


def _scorer(weights: Mapping[str, float], mean_length: float) -> Callable[[StoredFact], float]:
    """A fact's share, from 0 to 1, of the best score that the query's words could have."""
    ideal = sum(weights.values()) * (K1 + 1) or 1.0

    def score(fact: StoredFact) -> float:
        saturation = K1 * (1 - B + B * len(fact.terms) / mean_length)
        total = 0.0
        for term, weight in weights.items():
            if count := fact.terms.count(term):
                total += weight * count * (K1 + 1) / (count + saturation)
        return total / ideal

    return score


def rank(view: Visible, query: str, limit: int | None) -> list[Ranked]:
    """Facts for a query, best first; the newer one first among equals. None is without limit.

    All facts about the person the viewer names are among them. A query without letters and digits has no answer.
    """
    query_terms = sorted(set(terms(query)))
    if not query_terms:
        return []
    general = view.general_frequencies(query_terms)
    personal = view.personal()
    in_personal = Counter(term for fact in personal for term in set(fact.terms).intersection(query_terms))
    totals = view.general_totals()
    facts = totals.facts + len(personal)
    length = totals.terms + sum(len(fact.terms) for fact in personal)
    weights = _weights(query_terms, facts, {term: general[term] + in_personal[term] for term in query_terms})
    score = _scorer(weights, max(length, 1) / max(facts, 1))
    asked_words = words(query)
    boost: Callable[[StoredFact], float] | None = None
    if any(word in _ASKING or (len(word) == 4 and word.isdigit()) for word in asked_words):
        # Its patterns take longer to compile than most queries take to answer.
        from brainctl.engine.cues import boost_for

        boost = boost_for(query)
    asked = f" {' '.join(asked_words)} "
    ranked: list[Ranked] = []
    for fact in (*_candidates(view, general), *personal):
        points = score(fact)
        if fact.subject_key and f" {fact.subject_key} " in asked:
            points += SUBJECT_WEIGHT
        if boost is not None:
            points += boost(fact)
        ranked.append(Ranked(fact, points))
    ranked.sort(key=lambda each: (-each.score, -each.fact.recorded_time, each.fact.fact_id))
    return ranked[:limit]
