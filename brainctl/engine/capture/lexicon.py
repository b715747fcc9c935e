"""The words capture knows: ordinary ones, names, and those that are both."""

import os
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import NamedTuple


class Lexicon(NamedTuple):
    """Folded words. `words`, `given_names` and `places` share none; a word that is ordinary and a name too is in
    `words_and_given_names` or `words_and_family_names` instead of in `words`.
    """

    words: frozenset[str]
    given_names: frozenset[str]
    words_and_given_names: frozenset[str]
    words_and_family_names: frozenset[str]
    places: frozenset[str]


def listed(words: str) -> frozenset[str]:
    """The words of a text, as a set."""
    return frozenset(words.split())


def _read(name: str) -> frozenset[str]:
    with open(os.path.join(os.path.dirname(__file__), f"{name}.txt"), encoding="utf-8") as file:
        file.readline()  # says what the list is
        return listed(file.read())


@cache
def lexicon() -> Lexicon:
    """The word lists beside this file, read once a process."""
    return Lexicon(*map(_read, Lexicon._fields))


def singulars(word: str) -> Iterator[str]:
    """What the word may be the plural of."""
    if word.endswith("s") and not word.endswith("ss"):
        if word.endswith("ies"):
            yield word[:-3] + "y"
        yield word[:-1]
        if word.endswith(("xes", "ches", "shes", "sses", "zes", "oes")):
            yield word[:-2]


def _without_ending(word: str) -> Iterator[str]:
    """What the word may be built from by a regular ending."""
    yield from singulars(word)
    for ending in ("ed", "ing"):
        kept = word.removesuffix(ending)
        if kept != word:
            yield kept
            yield kept + "e"
            if kept[-1:] == kept[-2:-1]:
                yield kept[:-1]
    if word.endswith("ied"):
        yield word[:-3] + "y"
    if word.endswith("ly"):
        yield word[:-2]
    if word.endswith("ily"):
        yield word[:-3] + "y"


_SHORTEST_STEM = 3


@lru_cache(maxsize=20_000)
def is_ordinary(word: str) -> bool:
    """Whether a folded word is an ordinary English word, be it a name too, or a regular form of one."""
    known = lexicon()

    def has(form: str) -> bool:
        return (
            form in known.words or form in known.words_and_given_names or form in known.words_and_family_names
        )

    if has(word):
        return True
    if word in known.given_names:
        return False
    if any(len(form) >= _SHORTEST_STEM and has(form) for form in _without_ending(word)):
        return True
    for beginning in ("un", "non", "re", "pre"):
        kept = word.removeprefix(beginning)
        if kept != word and len(kept) > _SHORTEST_STEM and is_ordinary(kept):
            return True
    return False


def is_place(word: str) -> bool:
    """Whether a folded word is the name of a place, a people, a language, a holiday, a currency or a brand."""
    places = lexicon().places
    return word in places or any(form in places for form in singulars(word))


def singular(word: str) -> str:
    """The singular of a folded noun where the lexicon knows one, else the word itself."""
    if word in _PLURAL_ONLY:
        return word
    return next((form for form in singulars(word) if is_ordinary(form)), word)


_PLURAL_ONLY = listed(
    "news series premises goods means clothes headquarters sales savings earnings glasses species"
)
