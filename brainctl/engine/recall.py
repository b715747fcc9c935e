"""Ranking: which of the facts a viewer may see answer a query best. The one place to make it better.

A few hundred candidates are scored, with BM25 over the statistics of what the viewer may see and nothing else, and
with gains for a subject, date or number that was asked for, and for standing beside a fact that matches.
"""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from brainctl.engine.candidates import Visible, candidates, names_in
from brainctl.engine.facts import StoredFact
from brainctl.engine.words.months import MONTHS
from brainctl.engine.words.spelling import as_meant
from brainctl.engine.words.subject_names import as_mentioned, names_of
from brainctl.engine.words.text import terms, words

if TYPE_CHECKING:
    from brainctl.engine.semantic.vectors import Near

K1: Final = 0.9
B: Final = 0.4
"""BM25's saturation and length weight: facts are short, so both are low."""

COVERED_WEIGHT: Final = 0.3
SUBJECT_WEIGHT: Final = 0.4
AFTER_WEIGHT: Final = 0.7
BEFORE_WEIGHT: Final = 0.35
"""What a fact gains by having all words of the query, by being about what it names, and of the match of the fact
that its source told right before it and right after it: a statement explains the one that follows it most.
"""

MEANING_WEIGHT: Final = 1.5
UNRELATED: Final = 0.3
CLOSE: Final = 0.2
CLOSEST: Final = 60
"""Where vectors are kept: what the cosine of a fact's meaning with the query's is worth, above that of texts that have
nothing to do with each other, and how close, and how many, facts have to be to be scored whatever their words.
"""

MATCHES_WITH_NEIGHBOURS: Final = 12
"""How many of the best matches lend to their neighbours."""

_ASKING: Final = frozenset(("when", "what", "how", *MONTHS))
"""Words that may ask for a date, a time or a number; so may a year."""


class Parts(NamedTuple):
    """What a score is the sum of: the query's words, having all of them, being about what it names, standing beside
    what matches, fitting what is asked for (a date, a number), and meaning what it means.
    """

    words: float
    covered: float
    subject: float
    beside: float
    asked: float
    meaning: float


class Ranked(NamedTuple):
    """A fact, its score, how many of the query's words it has, and the parts of the score."""

    fact: StoredFact
    score: float
    words: int
    parts: Parts


class _Meant(NamedTuple):
    """A query's terms with slips put right, in how many general facts each is, how telling each is among the facts
    that the viewer may see, and how many terms such a fact has on average.
    """

    terms: list[str]
    general: Mapping[str, int]
    weights: dict[str, float]
    mean_length: float


def _meant(view: Visible, asked: list[str], words: Sequence[str], personal: Sequence[StoredFact]) -> _Meant:
    asked, general = as_meant(view, asked, words, {term for fact in personal for term in fact.terms})
    found = Counter(term for fact in personal for term in set(fact.terms).intersection(asked))
    found.update(general)
    totals = view.general_totals()
    facts = totals.facts + len(personal)
    length = totals.terms + sum(len(fact.terms) for fact in personal)
    weights = {
        term: math.log(1 + (facts - found[term] + 0.5) / (found[term] + 0.5)) for term in sorted(set(asked))
    }
    return _Meant(asked, general, weights, max(length, 1) / max(facts, 1))


def weights_of(view: Visible, query: str) -> dict[str, float]:
    """How telling each term of a query is, among the facts that the viewer may see. Slips are put right."""
    return _meant(view, terms(query), words(query), view.personal()).weights


class Match(NamedTuple):
    """A fact's share, from 0 to 1, of the best score that the query's words could have, and of their weight, and
    how many of the words it has.
    """

    share: float
    covered: float
    words: int


def _matcher(weights: Mapping[str, float], mean_length: float) -> Callable[[StoredFact], Match]:
    whole = sum(weights.values()) or 1.0
    ideal = whole * (K1 + 1)

    def match(fact: StoredFact) -> Match:
        saturation = K1 * (1 - B + B * len(fact.terms) / mean_length)
        total = covered = 0.0
        words = 0
        for term, weight in weights.items():
            if count := fact.terms.count(term):
                total += weight * count * (K1 + 1) / (count + saturation)
                covered += weight
                words += 1
        return Match(total / ideal, covered / whole, words)

    return match


def _lend_to_neighbours(
    view: Visible, found: Mapping[int, StoredFact], matches: Mapping[int, Match]
) -> tuple[dict[int, float], list[StoredFact]]:
    """What the neighbours of the best matches gain, by row, and those among them that were not found before."""
    told = [fact for fact in found.values() if fact.origin == "ingested" and matches[fact.row].share]
    told.sort(key=lambda fact: (-matches[fact.row].share, -fact.recorded_time, fact.fact_id))
    gains: dict[int, float] = {}
    more: dict[int, StoredFact] = {}
    lending = told[:MATCHES_WITH_NEIGHBOURS]
    for fact, (before, after) in zip(lending, view.general_beside(lending), strict=True):
        for beside, weight in ((before, BEFORE_WEIGHT), (after, AFTER_WEIGHT)):
            if beside:
                gains[beside.row] = gains.get(beside.row, 0.0) + weight * matches[fact.row].share
                if beside.row not in found:
                    more[beside.row] = beside
    return gains, list(more.values())


def _near(
    view: Visible,
    query: str,
    subjects: Sequence[str],
    personal: Sequence[StoredFact],
    found: dict[int, StoredFact],
) -> "Near | None":
    """How close facts are to the query in meaning; the closest are put with those that were found.

    None where the owner does not want it, or the model is not installed.
    """
    if view.model() is None:
        return None
    from brainctl.engine.semantic.closeness import closeness

    people = {*view.general_subjects(subjects, people=True), *(fact.subject_key for fact in personal)}
    near = closeness(view, query, sorted(filter(None, people)))
    if near:
        known = {*found, *(fact.row for fact in personal)}
        more = view.general_rows([row for row in near.best(CLOSEST, CLOSE) if row not in known])
        found.update((fact.row, fact) for fact in more)
    return near


def rank(view: Visible, query: str, limit: int | None) -> list[Ranked]:
    """Facts for a query, best first; the newer one first among equals. None is without limit.

    All facts about the person the viewer names are among them. A query without letters and digits has no answer.
    """
    asked = terms(query)
    if not asked:
        return []
    personal = view.personal()
    asked_words = words(query)
    asked, general, weights, mean_length = _meant(view, asked, asked_words, personal)
    match = _matcher(weights, mean_length)
    boost: Callable[[StoredFact], float] | None = None
    spans: Sequence[tuple[int, int]] = ()
    if any(word in _ASKING or (len(word) == 4 and word.isdigit()) for word in asked_words):
        # Its patterns take longer to compile than most queries take to answer.
        from brainctl.engine.cues import boost_for, spans_in

        boost = boost_for(query)
        spans = spans_in(query)
    subjects = view.general_subjects(names_in(asked_words))
    found = candidates(view, general, subjects, spans)
    near = _near(view, query, subjects, personal, found)
    matches = {row: match(fact) for row, fact in found.items()}
    gains, neighbours = _lend_to_neighbours(view, found, matches)
    mentioned = as_mentioned(asked)
    facts_scored = (*found.values(), *neighbours, *personal)
    meaning = near.cosines([fact.row for fact in facts_scored]) if near else {}
    ranked: list[Ranked] = []
    for fact in facts_scored:
        share, covered, count = matches.get(fact.row) or match(fact)
        is_named = fact.subject and any(name in mentioned for name in names_of(fact.subject))
        parts = Parts(
            words=share,
            covered=COVERED_WEIGHT * covered,
            subject=SUBJECT_WEIGHT if is_named else 0.0,
            beside=gains.get(fact.row, 0.0),
            asked=boost(fact) if boost is not None else 0.0,
            meaning=MEANING_WEIGHT * (meaning[fact.row] - UNRELATED) if fact.row in meaning else 0.0,
        )
        if not (share or is_named):
            # A neighbour that has nothing to do with the question itself is left where it is.
            if fact.row in gains and fact.row not in found:
                continue
            parts = parts._replace(beside=0.0)
        ranked.append(Ranked(fact, sum(parts), count, parts))
    ranked.sort(key=lambda each: (-each.score, -each.fact.recorded_time, each.fact.fact_id))
    return ranked[:limit]
