"""What a query asks for besides its words: a date, a time, a number. English only."""

import re
from collections.abc import Callable, Collection, Iterator
from datetime import UTC, date, datetime, timedelta
from typing import Final, NamedTuple

from brainctl.engine.facts import StoredFact
from brainctl.engine.words.months import MONTHS
from brainctl.engine.words.text import terms

DATE_WEIGHT: Final = 0.3
ANSWER_WEIGHT: Final = 0.08

_MONTH: Final = "|".join(MONTHS)
_WRITTEN: Final = re.compile(
    rf"(?:(?P<before>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?)?\b(?P<month>{_MONTH})\b"
    r"(?:\s+(?P<after>\d{1,2})(?:st|nd|rd|th)?\b)?,?(?:\s+(?:of\s+)?(?P<year>\d{4})\b)?"
    r"|\b(?P<iso>\d{4}-\d\d-\d\d)\b",
    re.IGNORECASE,
)
_MONTH_OF_MAY: Final = re.compile(r"\b(?:in|of|during|early|late|mid|since|until|by)[ -]$", re.IGNORECASE)
ASKS_WHEN: Final = re.compile(r"\s*(?:when|what (?:date|day|month|year|time)|how long)\b", re.IGNORECASE)
ASKS_NUMBER: Final = re.compile(r"\s*how (?:many|much|often)\b", re.IGNORECASE)
_TIMES: Final = f"""
    yesterday today tonight tomorrow last next ago week weekend month year monday tuesday wednesday thursday friday
    saturday sunday morning evening night recently since {" ".join(MONTHS)}
    """
_NUMBERS: Final = "one two three four five six seven eight nine ten twice couple several dozen"
TIME_TERMS: Final = frozenset(terms(_TIMES))
NUMBER_TERMS: Final = frozenset(terms(_NUMBERS))
"""What times and numbers are written with, as facts are indexed."""


def tells_time(terms: Collection[str]) -> bool:
    """Whether a fact of these terms says when."""
    return not TIME_TERMS.isdisjoint(terms) or any(len(term) == 4 and term.isdigit() for term in terms)


def tells_number(terms: Collection[str]) -> bool:
    """Whether a fact of these terms says how many."""
    return not NUMBER_TERMS.isdisjoint(terms) or any(term.isdigit() for term in terms)


class WrittenDate(NamedTuple):
    """A date as far as it is written."""

    year: int | None
    month: int
    day: int | None


def dates_in(text: str) -> Iterator[WrittenDate]:
    """The dates written in a text: `July 14, 2026`, `14 July`, `in May`, `2026-07-14`."""
    for found in _WRITTEN.finditer(text):
        if iso := found["iso"]:
            year, month, day = map(int, iso.split("-"))
            yield WrittenDate(year, month, day)
            continue
        in_month = found["before"] or found["after"]
        name = found["month"].lower()
        bare = not in_month and not found["year"]
        # "may" alone is the verb, unless something before it says that it is the month.
        if name == "may" and bare and not _MONTH_OF_MAY.search(text[: found.start("month")]):
            continue
        yield WrittenDate(
            int(found["year"]) if found["year"] else None,
            MONTHS.index(name) + 1,
            int(in_month) if in_month else None,
        )


def _day_of(written: WrittenDate) -> date | None:
    try:
        return date(written.year, written.month, written.day) if written.year and written.day else None
    except ValueError:
        return None


def _closeness(wanted: WrittenDate, had: WrittenDate) -> float:
    """From 0 to 1: the same day, about that day, the same week, the same month."""
    wanted_day, had_day = _day_of(wanted), _day_of(had)
    if wanted_day and had_day:
        apart = abs((wanted_day - had_day).days)
        if apart <= 7:
            return 1.0 if apart <= 1 else 0.6
    if wanted.month != had.month or (wanted.year and had.year and wanted.year != had.year):
        return 0.0
    if wanted.day and had.day:
        return 1.0 if wanted.day == had.day else 0.3
    return 0.7


def spans_in(query: str) -> list[tuple[int, int]]:
    """The times that the dates of a query mean, in milliseconds since 1970, the second one not included: a day and
    the days beside it, or a month. A date without a year means none.
    """
    spans: list[tuple[int, int]] = []
    for written in dates_in(query):
        if not written.year:
            continue
        try:
            if written.day:
                first = datetime(written.year, written.month, written.day, tzinfo=UTC) - timedelta(days=1)
                last = first + timedelta(days=3)
            else:
                first = datetime(written.year, written.month, 1, tzinfo=UTC)
                last = (first + timedelta(days=31)).replace(day=1)
        except (ValueError, OverflowError):
            continue
        spans.append((round(first.timestamp() * 1000), round(last.timestamp() * 1000)))
    return spans


def boost_for(query: str) -> Callable[[StoredFact], float]:
    """What a fact's score gains by fitting what the query asks for."""
    wanted = list(dates_in(query))
    tells = tells_time if ASKS_WHEN.match(query) else tells_number if ASKS_NUMBER.match(query) else None

    def boost(fact: StoredFact) -> float:
        gain = ANSWER_WEIGHT if tells and tells(fact.terms) else 0.0
        if wanted:
            recorded = datetime.fromtimestamp(fact.recorded_time / 1000, UTC)
            had = [WrittenDate(recorded.year, recorded.month, recorded.day), *dates_in(fact.text)]
            gain += DATE_WEIGHT * max(_closeness(want, have) for want in wanted for have in had)
        return gain

    return boost
