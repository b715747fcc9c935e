"""The values in a text: numbers with their units, dates and times, each written in one way."""

import re
from collections.abc import Sequence
from typing import Final

WEEKDAYS: Final = {
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
_ORDINALS: Final = {
    form: str(number)
    for number, forms in enumerate(
        (
            "first 1st",
            "second 2nd",
            "third 3rd",
            "fourth 4th",
            "fifth 5th",
            "sixth 6th",
            "seventh 7th",
            "eighth 8th",
            "ninth 9th",
            "tenth 10th",
        ),
        start=1,
    )
    for form in forms.split()
}
_RATES: Final = {
    "hourly": "hour",
    "daily": "day",
    "weekly": "week",
    "monthly": "month",
    "quarterly": "quarter",
    "yearly": "year",
    "annually": "year",
}
_NOON: Final = 12
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
    )
    for form in forms.split()
}
_SPANS: Final = frozenset(("day", "week", "month", "year", "hour", "minute"))
_CURRENCIES: Final = frozenset(("eur", "usd", "gbp"))
WRITTEN_DATE: Final = r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(?!\d)"
_LAST_DAY: Final = 31


def sort_of(value: str) -> str:
    """What a value measures: one can stand for another only where they measure the same."""
    if "-" in value or value.startswith("month"):
        return "date"
    if value.startswith(("place ", "every ")):
        return value.partition(" ")[0]
    number, _, unit = value.partition(" ")
    if ":" in number:
        return "time"
    if unit.rpartition(" ")[2] in _SPANS:
        return "span"
    return "money" if unit in _CURRENCIES else unit


def value_at(found: Sequence[str], place: int) -> tuple[str, int]:
    """The value that stands here, empty where none does, and how many tokens were read."""
    date, used = _date(found, place)
    if date:
        return date, used
    token = found[place]
    following = found[place + 1] if place + 1 < len(found) else ""
    if token in _RATES:
        return f"every {_RATES[token]}", 1
    if token in _ORDINALS and following != "half":
        return f"place {_ORDINALS[token]}", 1
    if token in _CURRENCIES and following[:1].isdigit():
        return f"{_number(following)} {token}", 2
    number = _number(token)
    # "One" alone is a pronoun as often as a number.
    if not number or (token == _PRONOUN and following not in _UNITS):
        return "", 1
    if following in ("am", "pm"):
        return _time_of_day(number, following), 2
    if following in _UNITS:
        return f"{number} {_UNITS[following]}", 2
    after = found[place + 2] if place + 2 < len(found) else ""
    if following in ("working", "business", "calendar") and after in _UNITS:
        return f"{number} {following} {_UNITS[after]}", 3
    return number, 1


def _time_of_day(number: str, half: str) -> str:
    hour, _, minute = number.partition(":")
    if not hour.isdigit() or int(hour) > _NOON:
        return f"{number}:00"
    return f"{int(hour) % _NOON + (_NOON if half == 'pm' else 0)}:{minute or '00'}"


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
    if re.fullmatch(WRITTEN_DATE, token):
        parts = [part.lstrip("0") for part in re.split(r"[-/.]", token)]
        return ("-".join((*parts[1:], parts[0])) if len(parts[0]) > 2 else token), 1
    ahead = [*found[place + 1 : place + 6], "", "", "", ""]
    if token in _ORDINALS and ahead[0] == "of" and ahead[1] in _MONTHS:
        return _with_year(f"{_MONTHS[ahead[1]]}-{_ORDINALS[token]}", ahead[2], 3)
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
