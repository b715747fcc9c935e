"""Whether a text may name a person nobody has registered: in doubt, it does.

A fact taken for general is shown to every customer, so a text is general only when each of its words that could be
a name is known to be something else. A doubt too many costs a fact its wider audience, and nothing more.
"""

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from brainctl.engine.capture.lexicon import is_ordinary, is_place, lexicon, listed
from brainctl.engine.capture.verbs import AUXILIARIES, FINITE, PERSONAL
from brainctl.engine.capture.wording import Word, words_of


class Doubt(NamedTuple):
    """`found`: somebody may be named. `name`: the folded name, where a word is one beyond reasonable doubt."""

    found: bool
    name: str | None


_PRONOUNS: Final = listed("he she him her his hers himself herself i me my mine myself im ive id")
_GROUP_PRONOUNS: Final = listed("they theyre theyve theyll them")
_TITLES: Final = listed(
    "mr mrs ms mx dr prof sir madam madame herr frau senor senora monsieur signor signora mme"
)
ROLES: Final = listed("""
    customer client guest bride groom couple tenant patient student member visitor buyer user mother father sister
    brother son daughter husband wife partner fiance fiancee friend neighbour neighbor boss manager colleague
    assistant aunt uncle cousin boyfriend girlfriend planner owner lawyer agent doctor family families chef florist
    """)
_POINTERS: Final = listed("the this that our one another")
_BEFORE_A_NAME: Final = listed("""
    for with from by ask asked tell told call called contact met meet email emailed text texted invoice invoiced
    refund refunded paid pay gave give sent send owe owes owed thank thanked remind reminded named know saw trust
    promised invited hired fired blame via and about regarding to
    """)
_AFTER_A_NAME: Final = listed("""
    wedding birthday party funeral anniversary engagement honeymoon family couple account order booking reservation
    invoice contract deposit refund quote case file complaint divorce illness payment birthdate kids children husband
    wife mother father sister brother son daughter
    """)
_SELDOM_NAMES: Final = listed("will may said june april august summer autumn dawn")
"""Words so common for themselves that only a verb of persons after them makes names of them in lower case."""
_FUNCTION_WORDS: Final = listed(
    "to in on at of by for from with before after until about and or but so because if when"
)

_EMAIL: Final = re.compile(r"(?<![\w.+-])([\w.+-]{1,64})@[\w-]+\.\w")
_HANDLE: Final = re.compile(r"(?<![\w.@])@\w")
_PHONE: Final = re.compile(r"(?<!\w)\+?\d(?:[ ()/.-]{0,2}\d){8,}(?!\w)")
_IDENTIFIER: Final = re.compile(
    r"\w*[^\W\d]_\w+|(?:cust|customer|client|user|usr|guest|contact|lead|person|acct|account|member|patient|student"
    r"|tenant|id)\d+|[a-z]+\d{3,}|(?=[a-f]*\d)[0-9a-f]{16,}",
    re.IGNORECASE,
)

_MONTH: Final = (
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December|Jan)"
)
_DATES: Final = re.compile(
    rf"\b\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}\b"
    rf"|\b(?:[Oo]n|[Bb]y|[Uu]ntil|[Tt]ill|[Bb]efore|[Aa]fter|[Ff]rom|[Tt]o|[Ss]ince|[Oo]f|[Tt]he|[Bb]etween|[Aa]nd"
    rf"|[Tt]hrough|is|was) {_MONTH} \d{{1,2}}(?:st|nd|rd|th)?\b"
    rf"|\b{_MONTH},? \d{{4}}\b"
    rf"|\b(?:[Ii]n|[Dd]uring|[Tt]hroughout|[Mm]id|[Ee]arly|[Ll]ate|[Ee]nd of|[Uu]ntil)[ -]{_MONTH}"
    rf"(?: (?:to|until|through|and|or) {_MONTH})?\b"
    rf"|\b(?:[Ff]rom|[Bb]etween) {_MONTH} (?:to|until|through|and) {_MONTH}\b"
    r"|\b(?:Valentine|St\.? Patrick|St\.? Nicholas)['\u2019]s? [Dd]ay\b|\b(?:Christmas|New Year['\u2019]s) Eve\b"
)
"""Dates and feasts written so that the month or the saint in them is nobody."""

_MANY_CAPITALS: Final = 0.6
_FEW_WORDS: Final = 2
_UNREADABLE: Final = 0.4
_LONGEST_ACRONYM: Final = 5
_LAST_LATIN: Final = 0x24F
_LATIN_ADDITIONAL: Final = range(0x1E00, 0x1F00)


def without_dates(text: str) -> str:
    """The text with the names of months and saints in plain dates taken out."""
    return _DATES.sub(" 0 ", text)


def names_of_nobody_known(text: str) -> Doubt:
    """Who a text may be about, with nobody registered."""
    text = without_dates(text)
    words = words_of(text)
    shouted = _is_shouted(words)
    named = [place for place in range(len(words)) if _is_surely_a_name(words, place, shouted=shouted)]
    if named:
        return Doubt(found=True, name=_whole_name(words, named[0], shouted=shouted))
    found = (
        _has_an_address(text)
        or _is_unreadable(words)
        or any(_may_be_a_name(words, place, shouted=shouted) for place in range(len(words)))
        or any(_points_at_somebody(words, place) for place in range(len(words)))
    )
    return Doubt(found=found, name=None)


def is_general_subject(subject: str) -> bool:
    """Whether a stated subject names nobody: all its words are ordinary, and none is or belongs to a name."""
    words = words_of(subject)
    known = lexicon()
    names = known.given_names | known.words_and_given_names
    return (
        bool(words)
        and not _has_an_address(subject)
        and not any(
            word.plain in names
            or word.plain in _PRONOUNS
            or word.plain in _TITLES
            or (_IDENTIFIER.fullmatch(word.raw) is not None)
            or not (word.is_number or is_ordinary(word.plain) or is_place(word.plain))
            for word in words
        )
        and not any(
            word.plain in known.words_and_family_names
            and (
                len(words) == 1 or (place > 0 and words[place - 1].plain in ROLES) or _owns_next(words, place)
            )
            for place, word in enumerate(words)
        )
    )


def _next(words: Sequence[Word], place: int) -> Word | None:
    """The word after, in the same sentence."""
    following = place + 1
    return words[following] if following < len(words) and not words[following].opens else None


def _owns_next(words: Sequence[Word], place: int) -> bool:
    following = _next(words, place)
    return following is not None and following.plain in _AFTER_A_NAME


def _is_shouted(words: Sequence[Word]) -> bool:
    lettered = [word for word in words if word.raw.isalpha() and len(word.raw) > 1]
    capitals = sum(word.raw.isupper() for word in lettered)
    return len(lettered) > _FEW_WORDS and capitals > _MANY_CAPITALS * len(lettered)


def _is_latin(raw: str) -> bool:
    return raw.isascii() or all(
        ord(letter) <= _LAST_LATIN or ord(letter) in _LATIN_ADDITIONAL or not letter.isalpha()
        for letter in raw
    )


def _is_unreadable(words: Sequence[Word]) -> bool:
    """Too many words unknown: another language, or no language, and who is named in it cannot be told."""
    lettered = [word for word in words if not word.is_number]
    unknown = sum(not (is_ordinary(word.plain) or is_place(word.plain)) for word in lettered)
    allowed = 0 if len(lettered) <= _FEW_WORDS else _UNREADABLE * len(lettered)
    return unknown > allowed or any(not _is_latin(word.raw) for word in words)


def _has_an_address(text: str) -> bool:
    return (
        any(not is_ordinary(match[1].lower()) for match in _EMAIL.finditer(text))
        or _HANDLE.search(text) is not None
        or _PHONE.search(text) is not None
    )


def _stands_where_names_do(words: Sequence[Word], place: int) -> bool:
    word, following = words[place], _next(words, place)
    if word.owns or _owns_next(words, place):
        return True
    before = words[place - 1] if place and not word.opens else None
    begins = (
        before is None or word.after_pause or before.plain in ("and", "but", "that", "because", "if", "when")
    )
    if begins and following is not None:
        # After a word of no list, anything that may be a verb says that it may be a name.
        verbs = PERSONAL if is_ordinary(word.plain) else FINITE
        if following.plain in verbs or (verbs is FINITE and following.plain.endswith(("ed", "s"))):
            return True
    return before is not None and (
        before.plain in _BEFORE_A_NAME or before.plain in ROLES or before.plain in _TITLES
    )


def _is_surely_a_name(words: Sequence[Word], place: int, *, shouted: bool) -> bool:
    word = words[place]
    known = lexicon()
    if _IDENTIFIER.fullmatch(word.raw) or word.plain in known.given_names:
        return True
    if word.plain in _TITLES:
        return _next(words, place) is not None
    if word.raw.endswith("s") and not is_ordinary(word.plain) and word.plain[:-1] in known.given_names:
        return True
    if word.plain in known.words_and_given_names:
        return word.is_capital and not shouted and word.plain not in _SELDOM_NAMES and _acts(words, place)
    unknown = not (word.is_number or is_ordinary(word.plain) or is_place(word.plain))
    return unknown and (word.owns or (_acts(words, place) and word.opens))


def _acts(words: Sequence[Word], place: int) -> bool:
    following = _next(words, place)
    return words[place].owns or (following is not None and following.plain in PERSONAL)


def _whole_name(words: Sequence[Word], place: int, *, shouted: bool) -> str:
    """The name with the capitalised words that follow it, as far as they are no ordinary ones."""
    known = lexicon()
    first = words[place]
    if _IDENTIFIER.fullmatch(first.raw):
        return first.raw
    ordinary = known.words | known.places
    parts = [] if first.plain in _TITLES else [first]
    for word in words[place + 1 :]:
        goes_on = word.joined and (word.is_capital or not parts) and not (parts and parts[-1].owns)
        if shouted or not goes_on or (word.plain in ordinary and parts):
            break
        parts.append(word)
    names = [word.plain for word in parts] or [first.plain]
    if (
        len(names) == 1
        and names[0] not in known.given_names
        and names[0].removesuffix("s") in known.given_names
    ):
        return names[0].removesuffix("s")
    return " ".join(names)


def _may_be_a_name(words: Sequence[Word], place: int, *, shouted: bool) -> bool:
    word = words[place]
    if word.is_number:
        return False
    known = lexicon()
    capital = word.is_capital and not shouted
    if word.plain in known.words_and_given_names:
        return capital or _is_used_as_a_name(words, place)
    if word.plain in known.words_and_family_names:
        return (capital and not word.opens and not _is_part_of_a_title(words, place)) or _is_used_as_a_name(
            words, place
        )
    if is_ordinary(word.plain) or is_place(word.plain):
        return False
    if shouted:
        return True
    in_place = _stands_where_names_do(words, place)
    if word.raw.isupper() and len(word.raw) <= _LONGEST_ACRONYM:
        return in_place
    if any(character.isdigit() for character in word.raw):
        return in_place and not word.is_capital
    return capital or in_place


def _is_used_as_a_name(words: Sequence[Word], place: int) -> bool:
    """Whether an ordinary word that is a name too stands where only a name would: not before a noun of its own."""
    word, following = words[place], _next(words, place)
    if not _stands_where_names_do(words, place):
        return False
    if word.owns or _owns_next(words, place):
        return True
    begins = word.opens or word.after_pause
    if word.plain in _SELDOM_NAMES:
        return begins and following is not None and following.plain in PERSONAL - AUXILIARIES
    return (
        begins
        or following is None
        or following.after_pause
        or following.plain in FINITE
        or following.plain in _FUNCTION_WORDS
    )


def _is_part_of_a_title(words: Sequence[Word], place: int) -> bool:
    """Whether a capitalised word belongs to a name of a thing: capitalised ordinary words after an article."""
    while place > 0 and words[place].joined and words[place - 1].is_capital:
        place -= 1
        if words[place].plain in ("the", "our", "your"):
            return True
        if not is_ordinary(words[place].plain):
            return False
    return (
        place > 0
        and words[place].joined
        and words[place - 1].plain in ("the", "our", "your", "a", "an", "in")
    )


def _points_at_somebody(words: Sequence[Word], place: int) -> bool:
    word, following = words[place], _next(words, place)
    if word.plain in _PRONOUNS:
        return word.plain != "id" or "'" in word.raw or "\u2019" in word.raw
    if word.plain in _GROUP_PRONOUNS:
        return place == 0
    return (
        word.opens
        and word.plain in _POINTERS
        and following is not None
        and following.plain in ROLES - {"family"}
    )
