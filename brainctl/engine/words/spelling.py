"""Words of a query that nobody has written: most are slips of a key, and one letter away from a word that is known."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from brainctl.engine.candidates import Visible
from brainctl.engine.words.text import terms

SHORTEST: Final = 5
"""Shorter words have too many neighbours: `house` must not answer for `horse`."""

SAME_START: Final = 2
"""Letters at the beginning that have to be right."""


def may_be_slips(words: Sequence[str]) -> list[str]:
    """The terms of those words that are compared with what is known.

    Not of words that lose an ending: what is left of two words is alike where they are not.
    """
    plain = [word for word in words if word.isascii() and word.isalpha() and len(word) >= SHORTEST]
    found = [(word, *terms(word)) for word in plain]
    return [term for word, term in found if term in (word, word.removesuffix("s"))]


def is_one_slip(written: str, known: str) -> bool:
    """Whether two different words differ by one letter too many, too few or wrong, or by two that changed places."""
    start = 0
    shorter = min(len(written), len(known))
    while start < shorter and written[start] == known[start]:
        start += 1
    end = 0
    while end < shorter - start and written[-1 - end] == known[-1 - end]:
        end += 1
    left, right = written[start : len(written) - end], known[start : len(known) - end]
    return max(len(left), len(right)) == 1 or (len(left) == 2 and left == right[::-1])


def nearest(written: str, known: Iterable[tuple[str, int]]) -> str | None:
    """The known word, with how often it occurs beside it, that was meant: the commonest one a slip away."""
    near = [(-count, word) for word, count in known if is_one_slip(written, word)]
    return min(near)[1] if near else None


def as_meant(
    view: Visible, asked: Sequence[str], words: Sequence[str], in_personal: Collection[str]
) -> tuple[list[str], Mapping[str, int]]:
    """The terms of a query with slips put right, and in how many general facts each is. `words` are the query's words,
    and `in_personal` the terms of the facts about the person named.
    """
    frequencies = dict(view.general_frequencies(sorted(set(asked))))
    meant: dict[str, str] = {}
    if not all(frequencies.values()):
        for term in may_be_slips(words):
            if frequencies.get(term) == 0 and term not in in_personal:
                known = nearest(term, view.general_alike(term, SAME_START))
                if known:
                    meant[term] = known
                    del frequencies[term]
        if meant:
            frequencies.update(view.general_frequencies(sorted(set(meant.values()))))
    return [meant.get(term, term) for term in asked], frequencies
