"""What a text says, taken apart so that two texts can be compared: its words, its values, its "not", its cues."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from brainctl.engine.capture import changes
from brainctl.engine.capture.equivalents import PHRASES, SPELLINGS, denied_by
from brainctl.engine.capture.lexicon import is_ordinary, lexicon, listed
from brainctl.engine.capture.negations import DENIED, NEGATIONS
from brainctl.engine.capture.normalise import normalise
from brainctl.engine.capture.values import WEEKDAYS, WRITTEN_DATE, value_at
from brainctl.engine.capture.verbs import ALSO_NOUNS, AUXILIARIES, FINITE
from brainctl.engine.capture.wording import words_of
from brainctl.engine.words.stem import stem
from brainctl.engine.words.text import words


class Frame(NamedTuple):
    """`stems`: the telling words, stemmed and in order, without what the other fields hold.

    `values`: numbers with their units, dates and times, in order. `negated`: an odd number of words say "not".
    `cued`: the text says that something changed; `given_up`: the stems it says no longer hold ("instead of roses").
    `names`: the stems that are names. `verbs`: the stems of its verbs. `halves`: the stems before and after its first "is",
    nothing after where it has none. `mentions`: the stems of all its words and numbers. `happened`: it tells of one event, which another
    like it does not undo. `single`: it says what something is, where, or the like, of which there is one at a time;
    `holder`: it says who holds a post or what has a title ("the head of sales is"). `asks`: it is a question, which
    claims nothing.
    """

    stems: tuple[str, ...]
    values: tuple[str, ...]
    weekdays: tuple[str, ...]
    negated: bool
    cued: bool
    given_up: frozenset[str]
    names: frozenset[str]
    verbs: frozenset[str]
    halves: tuple[frozenset[str], frozenset[str]]
    mentions: frozenset[str]
    happened: bool
    single: bool
    holder: bool
    asks: bool


_LIGHT: Final = listed(
    """
    a an the is are was were am be been being has have had do does did to of in on at for and it its this that these
    those our your their my we you i they s there please will would shall which who so also get gets got currently
    actually still once again per just right directly mr mrs ms dr
    """
)
"""Words that make no difference. Modal verbs, quantities and most prepositions are not among them: may and must,
all and some, before and after make different rules."""
_HAPPENINGS: Final = listed(
    """
    paid called visited ordered sent arrived complained asked emailed phoned received refunded delivered sold broke
    confirmed wrote met said told attended
    """
)
COPULAS: Final = listed("is are was were")
_ONE_AT_A_TIME: Final = listed(
    """
    is are was were be lives live comes come came leads led stands stand hangs hang lies ends end starts start begins
    begin meets meet belongs belong costs cost
    """
)
"""Verbs after which one thing is true at a time. Who speaks, likes, buys or handles one thing may another too."""
_POST: Final = re.compile(
    r"(?:^|[;:.,] )(?:(?:the|our) [^,;:.]*?|[^,;:.]*?'s [^,;:.]*?)(?:is|are|was|were)(?: now)? [^,;:.]+$"
    r"|(?:^|[;:.,] )\S+(?: \S+)? (?:is|was)(?: now)? (?:the|our) "
)
_SIGNS: Final = (("\u20ac", " eur "), ("$", " usd "), ("\u00a3", " gbp "), ("%", " percent "))
_TOKEN: Final = re.compile(rf"{WRITTEN_DATE}|\d{{1,2}}:\d{{2}}|\d+(?:[.,]\d+)*|[^\W\d_]+(?:'[^\W\d_]+)*|\w")
_NEWS: Final = listed("the our your my his her their")


@lru_cache(maxsize=2_000)
def frame_of(text: str) -> Frame:
    """The text taken apart; the same text twice costs once."""
    normal = normalise(text)
    signed = normal
    for sign, name in _SIGNS:
        signed = signed.replace(sign, name)
    low = _with_phrases_marked(signed, (*PHRASES, *changes.PHRASES))
    found = _active([_bare(token) for token in _TOKEN.findall(low)])
    stems: list[str] = []
    values: list[str] = []
    weekdays: list[str] = []
    negations = changed = place = 0
    split: int | None = None
    while place < len(found):
        token = found[place]
        if token in COPULAS and split is None:
            split = len(stems)
        value, used = value_at(found, place)
        if value:
            values.append(value)
        elif token in WEEKDAYS:
            weekdays.append(WEEKDAYS[token])
        elif token in NEGATIONS:
            negations += 1
            stems.extend(map(stem, DENIED.get(token, ())))
        elif changes.says_change(found, place) or _is_new(found, place):
            changed += 1
        elif opposite := denied_by(token, found[:place]):
            negations += 1
            stems.append(stem_of(opposite))
        elif SPELLINGS.get(token, token) not in _LIGHT:
            stems.append(stem_of(token))
        place += used
    verbs = [
        token
        for place, token in enumerate(found)
        if (token in FINITE or token in _ONE_AT_A_TIME)
        and not any(changes.says_change(found, near) for near in (place, place + 1) if near < len(found))
    ]
    # A word that is a noun too is taken for one beside another verb: "the bus stop is".
    verbs = [verb for verb in verbs if verb not in ALSO_NOUNS] or verbs
    return Frame(
        stems=_with_pairs_sorted(found, stems),
        values=tuple(values),
        weekdays=tuple(weekdays),
        negated=negations % 2 == 1,
        cued=changed > 0,
        given_up=_given_up(found, changed=changed > 0),
        names=_names(text),
        verbs=frozenset(stem_of(verb) for verb in verbs if verb not in AUXILIARIES),
        halves=(frozenset(stems[:split]), frozenset(stems[split:] if split is not None else ())),
        mentions=mentioned_in(text),
        happened=not _HAPPENINGS.isdisjoint(found),
        single=bool(verbs)
        and all(verb in _ONE_AT_A_TIME or verb in AUXILIARIES - {"has", "have"} for verb in verbs),
        holder=_POST.search(normal) is not None,
        asks=normal.endswith("?"),
    )


def reworded(frame: Frame, stem: str, other: str) -> Frame:
    """The same with another stem in the place of one."""

    def among(stems: frozenset[str]) -> frozenset[str]:
        return frozenset(other if each == stem else each for each in stems)

    return frame._replace(
        stems=tuple(other if each == stem else each for each in frame.stems),
        given_up=among(frame.given_up),
        verbs=among(frame.verbs),
        halves=(among(frame.halves[0]), among(frame.halves[1])),
        mentions=among(frame.mentions),
    )


def mentioned_in(text: str) -> frozenset[str]:
    """The stems of all words and numbers of a text that may be what it is about."""
    plain = _with_phrases_marked(normalise(text), PHRASES)
    return frozenset(stem_of(word) for word in words(plain) if word not in NEGATIONS)


def _with_phrases_marked(normal: str, phrases: Sequence[tuple[str, str]]) -> str:
    padded = f" {normal} "
    for phrase, marked in phrases:
        if phrase in padded:
            padded = padded.replace(f" {phrase} ", f" {marked} ")
    return padded


def _bare(token: str) -> str:
    return token.removesuffix("'s").replace("'", "")


def stem_of(token: str) -> str:
    """The stem of a word, or of the word that stands for it."""
    plain = SPELLINGS.get(token, token)
    return stem(plain) if plain.isascii() else plain


def _is_new(found: Sequence[str], place: int) -> bool:
    """Whether the "new" of "the new landlord is" stands here."""
    return found[place] == "new" and place + 1 < len(found) and (place == 0 or found[place - 1] in _NEWS)


def _active(found: list[str]) -> list[str]:
    """The words of "complaints are handled by Petra" in the order of "Petra handles complaints"."""
    if found.count("by") != 1:
        return found
    by = found.index("by")
    if not 1 < by < len(found) - 1 or found[by - 2] not in COPULAS:
        return found
    done = found[by - 1]
    if not done.endswith(("ed", "en")) and done not in ("kept", "held", "made", "led", "run", "sold", "paid"):
        return found
    return [*found[by + 1 :], done, *found[: by - 2]]


def _with_pairs_sorted(found: Sequence[str], stems: Sequence[str]) -> tuple[str, ...]:
    """The stems, with two that "and" or "or" joins in one order, since there it says nothing."""
    ordered = list(stems)
    for before, joint, after in zip(found, found[1:], found[2:], strict=False):
        if joint in ("and", "or"):
            left, right = stem_of(before), stem_of(after)
            for place in range(len(ordered) - 1):
                if ordered[place] == left and left > right:
                    if ordered[place + 1] == right:
                        ordered[place : place + 2] = right, left
                    elif ordered[place + 1 : place + 3] == ["or", right]:
                        ordered[place], ordered[place + 2] = right, left
    return tuple(ordered)


def _given_up(found: Sequence[str], *, changed: bool) -> frozenset[str]:
    """The stems of the two words after "instead of" or "no longer", or after the "from" of a change."""
    for place, token in enumerate(found[:-1]):
        following = found[place + 1]
        gives_up = (token, following) in (("instead", "of"), ("not", "now"), ("rather", "than"))
        start = place + 2 if gives_up else place + 1
        if gives_up or (changed and token in ("from", "replaced")):
            rest = [word for word in found[start : start + 4] if word not in _LIGHT]
            if "to" in found[start : start + 4]:
                rest = [word for word in found[start : found.index("to", start)] if word not in _LIGHT]
            return frozenset(stem_of(word) for word in rest[:2])
    return frozenset()


def _names(text: str) -> frozenset[str]:
    given = lexicon().given_names
    return frozenset(
        stem_of(word.plain)
        for word in words_of(text)
        if word.plain in given or (word.is_capital and not (word.opens and is_ordinary(word.plain)))
    )
