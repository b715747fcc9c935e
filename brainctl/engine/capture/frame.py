"""What a text says, taken apart so that two texts can be compared: its words, its values, its "not", its cues."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from brainctl.engine.capture.lexicon import is_ordinary, lexicon, listed
from brainctl.engine.capture.normalise import normalise
from brainctl.engine.capture.wording import words_of
from brainctl.engine.stem import stem


class Frame(NamedTuple):
    """`stems`: the telling words, stemmed and in order, without what the other fields hold.

    `values`: numbers with their units, dates and times, in order. `negated`: an odd number of words say "not".
    `cued`: the text says that something changed; `given_up`: the stems it says no longer hold ("instead of roses").
    `names`: the stems that are names. `happened`: it tells of one event, which another like it does not undo.
    `asks`: it is a question, which claims nothing.
    """

    stems: tuple[str, ...]
    values: tuple[str, ...]
    weekdays: tuple[str, ...]
    negated: bool
    cued: bool
    given_up: frozenset[str]
    names: frozenset[str]
    happened: bool
    asks: bool


_LIGHT: Final = listed(
    """
    a an the is are was were am be been being has have had do does did to of in on at for and it its this that these
    those our your their my we you i they s there please will would shall which who so also get gets got currently
    actually still once again
    """
)
"""Words that make no difference. Modal verbs, quantities and most prepositions are not among them: may and must,
all and some, before and after make different rules."""
_NEGATIONS: Final = listed(
    """
    not no never cannot without nor neither none non nonrefundable dont doesnt didnt isnt arent wasnt werent cant
    couldnt wont wouldnt shouldnt mustnt hasnt havent hadnt
    """
)
_DENIED: Final = {
    "nonrefundable": (stem("refundable"),),
    **dict.fromkeys(("cant", "cannot", "couldnt"), (stem("can"),)),
    "mustnt": (stem("must"),),
    "shouldnt": (stem("should"),),
}
"""What a word denies that says "not" and more."""
_CUES: Final = listed(
    """
    moved moves changed changes now instead correction corrected updated update postponed rescheduled replaces
    replaced switched switches
    """
)
_CUE_PHRASES: Final = (
    ("no longer", "not now"),
    ("not anymore", "not now"),
    ("anymore", "now"),
    ("any more", "now"),
    ("from now on", "now"),
    ("as of now", "now"),
    ("as of", "now"),
    ("is allowed to", "can"),
    ("are allowed to", "can"),
    ("o'clock", ""),
)
_HAPPENINGS: Final = listed(
    """
    paid called visited ordered sent arrived complained asked emailed phoned received refunded delivered sold broke
    confirmed wrote met said told attended
    """
)
_SPELLINGS: Final = {
    "colour": "color",
    "colours": "color",
    "flavour": "flavor",
    "flavours": "flavor",
    "favourite": "favorite",
    "favours": "favor",
    "centre": "center",
    "organise": "organize",
    "organised": "organize",
    "cancelled": "canceled",
    "cancelling": "canceling",
    "grey": "gray",
    "licence": "license",
    "cheque": "check",
    "cheques": "check",
    "mail": "email",
    "mails": "email",
    "photograph": "photo",
    "photographs": "photo",
    "fridge": "refrigerator",
    "neighbour": "neighbor",
    "neighbours": "neighbor",
    "jewellery": "jewelry",
    "children": "child",
    "kids": "child",
    "kid": "child",
    "theatre": "theater",
    "catalogue": "catalog",
    "programme": "program",
    "telephone": "phone",
    "may": "can",
    "permitted": "allowed",
    "prohibited": "forbidden",
    "couldn't": "can",
}
_WEEKDAYS: Final = {
    form: day
    for day in ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
    for form in (day, day + "s", *((day[:3],) if day not in ("saturday", "sunday") else ()))
} | {"tues": "tuesday", "thurs": "thursday", "weekend": "weekend", "weekends": "weekend"}
_MONTHS: Final = {
    form: str(number)
    for number, forms in enumerate(
        (
            ("january", "jan"),
            ("february", "feb"),
            ("march", "mar"),
            ("april", "apr"),
            ("may",),
            ("june", "jun"),
            ("july", "jul"),
            ("august", "aug"),
            ("september", "sep", "sept"),
            ("october", "oct"),
            ("november", "nov"),
            ("december", "dec"),
        ),
        start=1,
    )
    for form in forms
}
_MONTHS_OR_WORDS: Final = frozenset(("may", "march", "mar", "dec"))
_SMALL_NUMBERS: Final = (
    *(
        "zero",
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
    ),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"),
)
_PRONOUN: Final = "one"
_TENS: Final = ("thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety", "hundred")
_NUMBERS: Final = (
    {word: str(number) for number, word in enumerate(_SMALL_NUMBERS)}
    | {word: str(number) for number, word in zip(range(30, 110, 10), _TENS, strict=True)}
    | {"half": "1/2", "twice": "2", "noon": "12:00", "midnight": "0:00"}
)
_UNITS: Final = {
    form: forms.split()[0]
    for forms in (
        "day days",
        "week weeks",
        "month months",
        "year years yr yrs",
        "hour hours hr hrs h",
        "minute minutes min mins",
        "eur euro euros",
        "usd dollar dollars",
        "gbp pound pounds",
        "percent",
        "km kilometre kilometres kilometer kilometers",
        "m metre metres meter meters",
        "kg kilo kilos kilogram kilograms",
        "person persons people guest guests",
        "am",
        "pm",
    )
    for form in forms.split()
}
_SPANS: Final = frozenset(("day", "week", "month", "year", "hour", "minute"))
_CURRENCIES: Final = frozenset(("eur", "usd", "gbp"))
_SIGNS: Final = (("\u20ac", " eur "), ("$", " usd "), ("\u00a3", " gbp "), ("%", " percent "))
_WRITTEN_DATE: Final = r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(?!\d)"
_TOKEN: Final = re.compile(rf"{_WRITTEN_DATE}|\d{{1,2}}:\d{{2}}|\d+(?:[.,]\d+)*|[^\W\d_]+(?:'[^\W\d_]+)*|\w")
_LAST_DAY: Final = 31


@lru_cache(maxsize=2_000)
def frame_of(text: str) -> Frame:
    """The text taken apart; the same text twice costs once."""
    low = _with_cues_marked(normalise(text))
    found = [_bare(token) for token in _TOKEN.findall(low)]
    stems: list[str] = []
    values: list[str] = []
    weekdays: list[str] = []
    negations = 0
    place = 0
    while place < len(found):
        token = found[place]
        value, used = _value(found, place)
        if value:
            values.append(value)
        elif token in _WEEKDAYS:
            weekdays.append(_WEEKDAYS[token])
        elif token in _NEGATIONS:
            negations += 1
            stems.extend(_DENIED.get(token, ()))
        elif token not in _CUES and token not in _LIGHT:
            stems.append(_stem(token))
        place += used
    return Frame(
        stems=tuple(stems),
        values=tuple(values),
        weekdays=tuple(weekdays),
        negated=negations % 2 == 1,
        cued=not _CUES.isdisjoint(found),
        given_up=_given_up(found),
        names=_names(text),
        happened=not _HAPPENINGS.isdisjoint(found),
        asks=low.endswith("? "),
    )


def sort_of(value: str) -> str:
    """What a value measures: one can stand for another only where they measure the same."""
    if "-" in value or value.startswith("month"):
        return "date"
    number, _, unit = value.partition(" ")
    if ":" in number or unit in ("am", "pm"):
        return "time"
    if unit.rpartition(" ")[2] in _SPANS:
        return "span"
    return "money" if unit in _CURRENCIES else unit


def _with_cues_marked(low: str) -> str:
    for sign, name in _SIGNS:
        low = low.replace(sign, name)
    padded = f" {low} "
    for phrase, marked in _CUE_PHRASES:
        padded = padded.replace(f" {phrase} ", f" {marked} ")
    return padded


def _bare(token: str) -> str:
    return token.removesuffix("'s").replace("'", "")


def _stem(token: str) -> str:
    plain = _SPELLINGS.get(token, token)
    return stem(plain) if plain.isascii() else plain


def _given_up(found: Sequence[str]) -> frozenset[str]:
    """The stems of the two words after "instead of" or "no longer"."""
    for place, token in enumerate(found[:-1]):
        if (token, found[place + 1]) in (("instead", "of"), ("not", "now")):
            rest = [word for word in found[place + 2 : place + 6] if word not in _LIGHT]
            return frozenset(_stem(word) for word in rest[:2])
    return frozenset()


def _names(text: str) -> frozenset[str]:
    given = lexicon().given_names
    return frozenset(
        _stem(word.plain)
        for word in words_of(text)
        if word.plain in given or (word.is_capital and not is_ordinary(word.plain))
    )


def _value(found: Sequence[str], place: int) -> tuple[str, int]:
    """The value that stands here, empty where none does, and how many tokens were read."""
    date, used = _date(found, place)
    if date:
        return date, used
    token = found[place]
    following = found[place + 1] if place + 1 < len(found) else ""
    if token in _CURRENCIES and following[:1].isdigit():
        return f"{_number(following)} {token}", 2
    number = _number(token)
    # "One" alone is a pronoun as often as a number.
    if not number or (token == _PRONOUN and following not in _UNITS):
        return "", 1
    if following in _UNITS:
        return f"{number} {_UNITS[following]}", 2
    after = found[place + 2] if place + 2 < len(found) else ""
    if following in ("working", "business", "calendar") and after in _UNITS:
        return f"{number} {following} {_UNITS[after]}", 3
    return number, 1


def _number(token: str) -> str:
    if not token[0].isdigit():
        return _NUMBERS.get(token, "")
    if ":" in token:
        hour, _, minute = token.partition(":")
        return f"{hour.lstrip('0') or '0'}:{minute}"
    whole = re.sub(r"[.,](?=\d{3}(?!\d))", "", token).replace(",", ".")
    return re.sub(r"\.0+$", "", whole) if "." in whole else whole.lstrip("0") or "0"


def _date(found: Sequence[str], place: int) -> tuple[str, int]:
    """A date that stands here as month-day or month-day-year, or a month; empty where none does."""
    token = found[place]
    if re.fullmatch(_WRITTEN_DATE, token):
        parts = [part.lstrip("0") for part in re.split(r"[-/.]", token)]
        return ("-".join((*parts[1:], parts[0])) if len(parts[0]) > 2 else token), 1
    ahead = [*found[place + 1 : place + 6], "", "", "", ""]
    if token.isdigit() and len(token) <= 2 and int(token) <= _LAST_DAY:
        after = ahead[0] in ("st", "nd", "rd", "th")
        month = after + (ahead[after] == "of")
        if ahead[month] in _MONTHS:
            day = f"{_MONTHS[ahead[month]]}-{token.lstrip('0')}"
            return _with_year(day, ahead[month + 1], month + 2)
    if token in _MONTHS:
        if ahead[0].isdigit() and len(ahead[0]) <= 2:
            after = ahead[1] in ("st", "nd", "rd", "th")
            return _with_year(f"{_MONTHS[token]}-{ahead[0].lstrip('0')}", ahead[1 + after], 2 + after)
        if token not in _MONTHS_OR_WORDS:
            return _with_year(f"month {_MONTHS[token]}", ahead[0], 1)
    return "", 1


def _with_year(written: str, following: str, used: int) -> tuple[str, int]:
    if following.isdigit() and len(following) == 4:
        return f"{written}-{following}", used + 1
    return written, used
