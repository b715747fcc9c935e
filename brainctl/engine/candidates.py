"""Which facts are worth scoring: few, however many there are, and all of those that matter.

A common word costs as much as it is common and tells as little. So the rare words of a query choose, common ones
only together; and what a query names outright, a subject or a date, is looked up.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Final, Protocol

from brainctl.engine.disclosure import Viewer
from brainctl.engine.facts import Sought, StoredFact, Totals, Vectors

MATCHING_MOST: Final = 100
"""How many facts a shelf are scored for their words."""

NEWEST_MOST: Final = 100
TOGETHER_MOST: Final = 30
ABOUT_MOST: Final = 30
"""How many are scored, the newest first: for a common word where there is no other, for common words that stand
together, and for being about a subject.
"""

ROWS_READ: Final = 1000
"""About how many places in the index the rare words of a query may have together."""

_COMMON_WORDS: Final = 4
_SUBJECT_WORDS: Final = 4
_QUERY_WORDS: Final = 60
"""How many words a subject that is looked up may have, and within how many of a query's first words."""


class Visible(Protocol):
    """What ranking may ask of a store: the facts one viewer may see. Nothing in it depends on any other fact.

    General facts are those about nobody who is bound to an id. `most` is counted a shelf.
    """

    @property
    def viewer(self) -> Viewer: ...

    def general_totals(self) -> Totals:
        """How many general facts there are, and how many terms they have."""

    def general_frequencies(self, terms: Sequence[str]) -> Mapping[str, int]:
        """In how many general facts each term occurs."""

    def general_alike(self, term: str, start: int) -> list[tuple[str, int]]:
        """Terms of general facts with the same first letters and about as long, and in how many facts each occurs."""

    def general_found(self, sought: Iterable[Sought]) -> list[StoredFact]:
        """The general facts that any of what is sought finds."""

    def general_subjects(self, names: Sequence[str], *, people: bool = False) -> list[str]:
        """Which of the names are the subject of a general fact, or only those that are people's."""

    def general_about(self, subject: str, most: int, span: tuple[int, int] | None = None) -> list[StoredFact]:
        """The newest general facts of a subject, recorded in a span of time where one is given."""

    def general_beside(
        self, facts: Sequence[StoredFact]
    ) -> list[tuple[StoredFact | None, StoredFact | None]]:
        """For each of the facts, the general facts that the same source told right before and right after."""

    def general_rows(self, rows: Sequence[int]) -> list[StoredFact]:
        """The general facts in these rows."""

    def model(self) -> str | None:
        """The digest of the model whose vectors are kept; None where there are none."""

    def vectors(self) -> Vectors:
        """Those of all facts the viewer may see."""

    def personal(self) -> list[StoredFact]:
        """All facts about the person the viewer names."""


def names_in(words: Sequence[str]) -> list[str]:
    """What of a query's folded words may be the name of a subject."""
    asked = words[:_QUERY_WORDS]
    return list(
        dict.fromkeys(
            " ".join(asked[start : start + length])
            for length in range(1, _SUBJECT_WORDS + 1)
            for start in range(len(asked) - length + 1)
        )
    )


def candidates(
    view: Visible,
    frequencies: Mapping[str, int],
    subjects: Sequence[str],
    spans: Sequence[tuple[int, int]],
) -> dict[int, StoredFact]:
    """General facts that may answer a query, by row: for its terms and their frequencies, for the subjects that it
    names, and for the times.
    """
    found: dict[int, StoredFact] = {}
    for facts in (view.general_found(_by_words(frequencies)), *_by_subject(view, subjects, spans)):
        found.update((fact.row, fact) for fact in facts)
    return found


def _by_words(frequencies: Mapping[str, int]) -> Iterator[Sought]:
    known = sorted(
        (term for term in frequencies if frequencies[term]), key=lambda term: (frequencies[term], term)
    )
    rows = 0
    rare: list[str] = []
    for term in known:
        rows += frequencies[term]
        if rows > ROWS_READ:
            break
        rare.append(term)
    if rare:
        yield Sought("best", rare, MATCHING_MOST)
    common = known[len(rare) :][:_COMMON_WORDS]
    if not rare and common:
        yield Sought("newest", common[:1], NEWEST_MOST)
    if len(common) > 2:
        yield Sought("newest", common, TOGETHER_MOST)
    for pair in combinations(common, 2):
        yield Sought("newest", pair, TOGETHER_MOST)


def _by_subject(
    view: Visible, subjects: Sequence[str], spans: Sequence[tuple[int, int]]
) -> Iterator[list[StoredFact]]:
    for subject in subjects:
        yield view.general_about(subject, ABOUT_MOST)
        for span in spans:
            yield view.general_about(subject, ABOUT_MOST, span)
