"""Which two texts are so nearly the same in words that what they mean may decide whether they say the same."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from brainctl.engine.capture.frame import COPULAS, Frame, reworded, stem_of
from brainctl.engine.capture.lexicon import listed
from brainctl.engine.words.irregular import PLAIN
from brainctl.engine.words.stem import stem
from brainctl.engine.words.text import STOP_WORDS, words


def stems_of(listed: str) -> frozenset[str]:
    return frozenset(map(stem, listed.split()))


RELATIONS: Final = stems_of(
    """
    before after than from over under above below between by with instead behind per into unless if because versus
    until
    """
)
"""Words whose two sides may not be swapped."""
RESTRICTIONS: Final = RELATIONS | stems_of(
    """
    only always all every each some any most many few several more less least both either or must can should could
    might if except outside inside within during up large small big free half double early late new old other
    """
)
"""Words that make another rule of a sentence they are added to."""
_STOPS: Final = frozenset(map(stem, STOP_WORDS))
_DIRECTIONS: Final = listed("off out up down away left right")
_DOERS: Final = listed("i we he she they")
_DONE_TO: Final = listed("me us him them")
_PREPOSITIONS: Final = listed("of to in on at for from by with")


def may_repeat(text: str, mine: Frame, known_text: str, known: Frame) -> bool:
    """Whether two texts are so nearly the same that their meaning may decide: what parts a claim from another does not
    differ, no two words have changed places, and no telling word is missing.
    """
    if (mine.values, mine.weekdays, mine.negated) != (known.values, known.weekdays, known.negated):
        return False
    if not mine.stems or _named_in_order(mine) != _named_in_order(known):
        return False
    if not _small_words_agree(words(text), words(known_text)):
        return False
    here, there = _plain(words(text), mine), _plain(words(known_text), known)
    turned, known_turned = _turned(words(text), mine), _turned(words(known_text), known)
    if (turned is None) != (known_turned is None):
        return turned == there or here == known_turned
    if here == there:
        return True
    new, gone = {*mine.stems} - {*known.stems}, {*known.stems} - {*mine.stems}
    if (new | gone) & (RESTRICTIONS | mine.names | known.names):
        return False
    # A word that only one of them has is a pronoun or the like, unless it stands for one of the other.
    if len(new) == len(gone) == 1:
        (word,), (its_word,) = new, gone
        mine = reworded(mine, word, its_word)
    elif not (new | gone) <= _STOPS:
        return False
    return _hardly_moved(mine, known) and not _exchanged(mine, known)


def _small_words_agree(mine: Sequence[str], known: Sequence[str]) -> bool:
    """Whether the words that the frames leave out tell the two apart: "on" from "off", "us" from "we"."""
    for listed_words in (_DIRECTIONS, _DOERS, _DONE_TO):
        if [each for each in mine if each in listed_words] != [
            each for each in known if each in listed_words
        ]:
            return False
    here, there = ({each for each in found if each in _PREPOSITIONS} for found in (mine, known))
    return here <= there or there <= here


def _plain(found: Sequence[str], frame: Frame) -> list[str]:
    """The telling words in order, verbs without their form."""
    return [stem_of(PLAIN.get(word, word)) for word in found if stem_of(word) in frame.stems]


def _turned(found: Sequence[str], frame: Frame) -> list[str] | None:
    """What is said of a thing in the passive ("is listed on the menu") as who does it would say it ("the menu lists");
    None for what is not in the passive.
    """
    for at, (word, verb) in enumerate(pairwise(found)):
        if word in COPULAS and (verb.endswith(("ed", "en")) or verb in PLAIN):
            return _plain([*found[at + 2 :], verb, *found[:at]], frame)
    return None


def _named_in_order(frame: Frame) -> list[str]:
    return [each for each in frame.stems if each in frame.names]


def _hardly_moved(mine: Frame, known: Frame) -> bool:
    """Whether a part has moved from one end to the other, or two words that stand together have changed places."""
    here = [each for each in mine.stems if each in known.stems]
    there = [each for each in known.stems if each in mine.stems]
    if len(here) != len(there):
        return False
    if any([*here[cut:], *here[:cut]] == there for cut in range(max(1, len(here)))):
        return True
    swaps = ([*here[:at], here[at + 1], here[at], *here[at + 2 :]] for at in range(len(here) - 1))
    return any(swap == there for swap in swaps)


def _exchanged(mine: Frame, known: Frame) -> bool:
    """Whether two words have changed places around a verb, an "is" or a word such as "before"."""
    if [each for each in mine.stems if each in known.verbs] != [
        each for each in known.stems if each in mine.verbs
    ]:
        return True
    here, there = mine.halves, known.halves
    if here[0] & there[1] and here[1] & there[0]:
        return True
    for pivot in (mine.verbs & known.verbs) | (RELATIONS & {*mine.stems} & {*known.stems}):
        if pivot not in mine.stems or pivot not in known.stems:
            continue
        at, its = mine.stems.index(pivot), known.stems.index(pivot)
        before, after = {*mine.stems[:at]}, {*mine.stems[at + 1 :]}
        its_before, its_after = {*known.stems[:its]}, {*known.stems[its + 1 :]}
        if before & its_after and after & its_before:
            return True
        following, its_following = mine.stems[at + 1 : at + 2], known.stems[its + 1 : its + 2]
        if pivot in RELATIONS and following and its_following and following != its_following:
            return True
    return False


def one_word_apart(text: str, mine: Frame, known_text: str, known: Frame) -> tuple[str, str] | None:
    """The only word of each that the other does not have; None where there are more, or other words than plain ones."""
    new, gone = {*mine.stems} - {*known.stems}, {*known.stems} - {*mine.stems}
    if len(new) != 1 or len(gone) != 1 or (new | gone) & (RESTRICTIONS | mine.names | known.names):
        return None
    word = next((word for word in words(text) if stem_of(word) in new), None)
    its_word = next((word for word in words(known_text) if stem_of(word) in gone), None)
    return (word, its_word) if word and its_word else None


def one_verb(word: str, other: str) -> bool:
    """Whether two words are forms of one irregular verb."""
    return stem_of(PLAIN.get(word, word)) == stem_of(PLAIN.get(other, other))
