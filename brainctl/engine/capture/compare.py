"""Whether a claim repeats a known fact, replaces one, or is new.

The two mistakes are not alike: a fact kept twice costs a line, a fact wrongly skipped or replaced is lost to every
reader. So a claim repeats only what says the same with the same numbers, and replaces only what has the same
subject and kind and differs in one value, in a "not", or by the claim's own word for it ("now", "moved", "instead").
"""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from brainctl.engine.capture.claims import Claim, KnownFact, Verdict
from brainctl.engine.capture.lexicon import is_ordinary, lexicon
from brainctl.engine.capture.normalise import normalise
from brainctl.engine.stem import stem
from brainctl.engine.text import words


class Frame(NamedTuple):
    """What a text says, taken apart. `stems` are its telling words in order, without values, "not" and cues.

    `values` are its numbers with their units, dates, times and weekdays, in order; `given_up` are the stems it says
    no longer hold ("instead of roses").
    """

    stems: tuple[str, ...]
    values: tuple[str, ...]
    weekdays: tuple[str, ...]
    negated: bool
    cued: bool
    given_up: frozenset[str]
    names: frozenset[str]


_LIGHT: Final = frozenset(
    """
    a an the is are was were am be been being has have had do does did to of in on at for and it its this that these
    those our your their my we you i they s there please will would shall which who so also
    get gets got
    """.split()
)
"""Words dropped before texts are compared. Prepositions of place in time and modal verbs are not among them: before
and after, may and must, all and some make different rules."""
_NEGATIONS: Final = frozenset(
    """
    not no never cannot without nor neither none non nonrefundable dont doesnt didnt isnt arent wasnt werent cant couldnt
    wont wouldnt shouldnt mustnt hasnt havent hadnt
    """.split()
)
_CUES: Final = frozenset(
    """
    moved moves changed changes now instead correction corrected updated update postponed rescheduled replaces
    replaced switched anymore longer longer actually currently henceforth
    """.split()
)
_CUE_PHRASES: Final = ("no longer", "from now on", "as of", "not any more", "any more")
_RELATIONS: Final = frozenset(
    """
    before after than from over under above below until by with without to instead behind between per into unless if
    because versus of for
    """.split()
)
"""Words whose two sides may not be swapped."""
_WEEKDAYS: Final = {
    short: day
    for day in ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
    for short in (day, day + "s", day[:3])
} | {"tues": "tuesday", "thur": "thursday", "thurs": "thursday", "weekend": "weekend", "weekends": "weekend"}
del _WEEKDAYS["sun"]
_MONTHS: Final = {
    short: str(number)
    for number, month in enumerate(
        "january february march april may june july august september october november december".split(), start=1
    )
    for short in (month, month[:3])
} | {"sept": "9"}
_NUMBERS: Final = {
    word: str(number)
    for number, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
        "seventeen eighteen nineteen twenty".split()
    )
} | {
    "thirty": "30", "forty": "40", "fifty": "50", "sixty": "60", "seventy": "70", "eighty": "80", "ninety": "90",
    "hundred": "100", "half": "1/2", "twice": "2", "once": "1", "noon": "12:00", "midnight": "0:00",
    "first": "1", "second": "2", "third": "3",
}
_UNITS: Final = {
    form: unit
    for unit, forms in {
        "day": "day days", "week": "week weeks", "month": "month months", "year": "year years yr yrs",
        "hour": "hour hours hr hrs h", "minute": "minute minutes min mins", "eur": "euro euros eur",
        "usd": "dollar dollars usd", "gbp": "pound pounds gbp", "percent": "percent", "km": "km kilometre kilometres "
        "kilometer kilometers", "m": "m metre metres meter meters", "kg": "kg kilo kilos kilogram kilograms",
        "person": "person persons people guest guests", "am": "am", "pm": "pm", "clock": "oclock",
    }.items()
    for form in forms.split()
}
_SPELLINGS: Final = {
    "colour": "color", "colours": "color", "flavour": "flavor", "flavours": "flavor", "favourite": "favorite",
    "centre": "center", "organise": "organize", "cancelled": "canceled", "cancelling": "canceling", "grey": "gray",
    "licence": "license", "cheque": "check", "cheques": "check", "mail": "email", "mails": "email", "ok": "okay",
    "photos": "photo", "pics": "photo", "fridge": "refrigerator", "neighbour": "neighbor", "behaviour": "behavior",
    "children": "child", "kids": "child", "kid": "child", "people": "person", "persons": "person",
    "favours": "favor", "jewellery": "jewelry", "theatre": "theater", "catalogue": "catalog", "programme": "program",
    "may": "can", "permitted": "allowed", "prohibited": "forbidden", "required": "must", "telephone": "phone",
    "doggies": "dogs", "non": "not", "starts": "begins", "start": "begin", "purchase": "buy",
    "vacation": "holiday", "costs": "cost", "bring": "bring", "via": "by",
}
_SIGNS: Final = (("\u20ac", " eur "), ("$", " usd "), ("\u00a3", " gbp "), ("%", " percent "))
_GENERIC: Final = frozenset(
    stem(word)
    for word in "want wants prefer like love need make take give go come use keep ask say can must allow".split()
)
_TOKEN: Final = re.compile(
    r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(?!\d)|\d{1,2}:\d{2}|\d+(?:[.,]\d+)*|[^\W\d_]+(?:'[^\W\d_]+)*|\w"
)
_SIMILAR: Final = 0.9
_MOST_NEW_WORDS: Final = 1
_ENOUGH_SHARED: Final = 0.5


@lru_cache(maxsize=2_000)
def _frame(text: str) -> Frame:
    low = normalise(text)
    cued = any(f" {phrase} " in f" {low} " for phrase in _CUE_PHRASES)
    given_up = frozenset(
        stem(word)
        for before in ("instead of", "rather than", "no longer", "not")
        for word in _following(low, before)
    )
    for sign, name in _SIGNS:
        low = low.replace(sign, name)
    found = _TOKEN.findall(low)
    stems: list[str] = []
    values: list[str] = []
    weekdays: list[str] = []
    negations = 0
    place = 0
    while place < len(found):
        token = found[place].replace("'", "") if not found[place].endswith("'s") else found[place][:-2]
        following = found[place + 1] if place + 1 < len(found) else ""
        if (date := _date(found, place)) is not None:
            written, used = date
            values.append(written)
            place += used
            continue
        if (number := _number(token, following)) is not None:
            unit = _UNITS.get(following, "")
            if unit:
                place += 1
            elif place and found[place - 1] in ("eur", "usd", "gbp"):
                unit = found[place - 1]
                stems[-1:] = []
            values.append(f"{number} {unit}".strip())
        elif token in _WEEKDAYS:
            weekdays.append(_WEEKDAYS[token])
        elif token in _NEGATIONS:
            negations += 1
            if token == "nonrefundable":
                stems.append(stem("refundable"))
        elif token in _CUES:
            cued = True
        elif token not in _LIGHT:
            plain = _SPELLINGS.get(token, token)
            stems.append(stem(plain) if plain.isascii() else plain)
        place += 1
    return Frame(
        tuple(stems), tuple(values), tuple(weekdays), negations % 2 == 1, cued, given_up, _names(text)
    )


def _following(low: str, phrase: str) -> list[str]:
    """The two telling words after a phrase."""
    _, found, rest = f" {low} ".partition(f" {phrase} ")
    return [word for word in words(rest[:60]) if word not in _LIGHT][:2] if found else []


def _names(text: str) -> frozenset[str]:
    """The words of a text that are no ordinary ones, as names and brands are."""
    given = lexicon().given_names
    return frozenset(word for word in words(text) if word in given or not (word[0].isdigit() or is_ordinary(word)))


def _number(token: str, following: str) -> str | None:
    if token[0].isdigit():
        if ":" in token:
            return token.removesuffix(":00") if not token.startswith("0") else token[1:].removesuffix(":00")
        whole = re.sub(r"[.,](?=\d{3}(?!\d))", "", token).replace(",", ".")
        return re.sub(r"\.0+$", "", whole) if "." in whole else whole.lstrip("0") or "0"
    # "One" alone is a pronoun as often as a number.
    if token in ("one", "second") and following not in _UNITS:
        return None
    return _NUMBERS.get(token)


def _date(found: Sequence[str], place: int) -> tuple[str, int] | None:
    """A date at this place as month-day or month-day-year, and how many tokens it takes."""
    token = found[place]
    if len(token) > 5 and re.fullmatch(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}", token):
        parts = [part.lstrip("0") for part in re.split(r"[-/.]", token)]
        if len(parts[0]) == 4:
            return f"{parts[1]}-{parts[2]}-{parts[0]}", 1
        return token, 1
    rest = [*found[place : place + 5], "", "", "", "", ""]
    ordinal = 1 if rest[1] in ("st", "nd", "rd", "th") else 0
    if token.isdigit() and int(token[:3]) <= 31:
        after = 1 + ordinal + (rest[1 + ordinal] == "of")
        if rest[after] in _MONTHS:
            return _with_year(f"{_MONTHS[rest[after]]}-{token.lstrip('0')}", rest[after + 1], after + 1)
    if token in _MONTHS and rest[1].isdigit() and len(rest[1]) <= 2:
        day = rest[1].lstrip("0")
        ordinal = 1 if rest[2] in ("st", "nd", "rd", "th") else 0
        return _with_year(f"{_MONTHS[token]}-{day}", rest[2 + ordinal], 2 + ordinal)
    if token in _MONTHS and token not in ("may", "march", "mar", "dec", "sun"):
        return _with_year(f"month {_MONTHS[token]}", rest[1], 1)
    return None


def _with_year(written: str, following: str, used: int) -> tuple[str, int]:
    if following.isdigit() and len(following) == 4:
        return f"{written}-{following}", used + 1
    return written, used


def _sort_of(value: str) -> str:
    """What a value measures: two values can stand for each other only where they measure the same."""
    if "-" in value or value.startswith("month"):
        return "date"
    number, _, unit = value.partition(" ")
    if ":" in number or unit in ("am", "pm", "clock"):
        return "time"
    return "money" if unit in ("eur", "usd", "gbp") else unit


def _is_repeated(claim: Frame, known: Frame) -> bool:
    mine, theirs = set(claim.stems), set(known.stems)
    if claim.values != known.values or claim.weekdays != known.weekdays or claim.negated != known.negated:
        return False
    if claim.names != known.names or not mine:
        return False
    new, gone = mine - theirs, theirs - mine
    # A word put in another's place makes another claim, however long the rest.
    if (new and gone) or len(new) > _MOST_NEW_WORDS:
        return False
    if len(mine & theirs) < _SIMILAR * len(mine | theirs):
        return False
    shared = mine & theirs
    return _same_order([s for s in claim.stems if s in shared], [s for s in known.stems if s in shared])


def _same_order(mine: Sequence[str], theirs: Sequence[str]) -> bool:
    """Whether the words come in one order, or one text only begins with what the other ends with."""
    if list(mine) == list(theirs):
        return True
    if len(mine) != len(theirs) or not _RELATIONS.isdisjoint(mine):
        return False
    return any(list(mine[cut:]) + list(mine[:cut]) == list(theirs) for cut in range(1, len(mine)))


def _differences(mine: Sequence[str], theirs: Sequence[str]) -> int:
    return sum(a != b for a, b in zip(mine, theirs, strict=False)) + abs(len(mine) - len(theirs))


def _replacement_reason(claim: Frame, known: Frame, subject: Iterable[str]) -> str | None:
    """Why the claim replaces the known fact of the same subject and kind, or None."""
    about = {stem(word) for word in subject}
    mine, theirs = set(claim.stems) - about, set(known.stems) - about
    sorts = [list(map(_sort_of, frame.values)) for frame in (claim, known)]
    if mine == theirs and claim.names == known.names:
        if claim.negated != known.negated and claim.values == known.values and claim.weekdays == known.weekdays:
            return "says the opposite"
        if claim.negated == known.negated and sorts[0] == sorts[1]:
            changed = _differences(claim.values, known.values)
            moved = _differences(claim.weekdays, known.weekdays)
            alone = not claim.values and len(claim.weekdays) == len(known.weekdays) == 1
            if changed == 1 and moved == 0:
                return "gives another value"
            if changed == 0 and moved == 1 and alone:
                return "gives another day"
    if mine == theirs and claim.values == known.values and claim.weekdays == known.weekdays:
        swapped = claim.names ^ known.names
        if swapped and len(claim.names - known.names) == 1 == len(known.names - claim.names):
            return "gives another name"
    if not claim.cued and not claim.given_up:
        return None
    return _cued_reason(claim, known, mine, theirs, same_sorts=set(sorts[0]) == set(sorts[1]))


def _cued_reason(
    claim: Frame, known: Frame, mine: set[str], theirs: set[str], *, same_sorts: bool
) -> str | None:
    telling = (mine & theirs) - _GENERIC
    if claim.given_up and claim.given_up & set(known.stems) - _GENERIC and claim.cued:
        kept = (mine & theirs) - claim.given_up
        if kept or telling:
            return "says what no longer holds"
    if not claim.cued or not same_sorts:
        return None
    smaller = min(len(mine), len(theirs))
    if telling and len(mine & theirs) >= _ENOUGH_SHARED * max(1, smaller):
        return "says that it changed"
    return None


def compare(claim: Claim, known: Sequence[KnownFact]) -> Verdict:
    """What to do with a claim, given the current facts it may repeat or replace.

    Of several facts it could replace, the one that shares most words with it is taken, then the newest.
    """
    for fact in known:
        if fact.normal == claim.normal:
            return Verdict("skip", fact.fact_id, "the same words")
    frame = _frame(claim.text)
    subject = words(claim.subject)
    subject_stems = {stem(word) for word in subject}
    best: tuple[tuple[int, int, str], KnownFact, str] | None = None
    for fact in known:
        other = _frame(fact.text)
        if _is_repeated(frame, other):
            return Verdict("skip", fact.fact_id, "the same in other words")
        if fact.kind != claim.kind or {stem(word) for word in words(fact.subject)} != subject_stems:
            continue
        reason = _replacement_reason(frame, other, subject)
        if reason is not None:
            rank = (len(set(frame.stems) & set(other.stems)), fact.recorded_time, fact.fact_id)
            if best is None or rank > best[0]:
                best = (rank, fact, reason)
    if best is None:
        return Verdict("create", None, "nothing like it is known")
    return Verdict("supersede", best[1].fact_id, best[2])
