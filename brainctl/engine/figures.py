"""What a brain comes to in numbers."""

import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import date, timedelta
from typing import Any, Final

from brainctl.contract.bounds import ORIGINS
from brainctl.contract.replies import FINISHED, UNFINISHED
from brainctl.engine.store import figures as counting
from brainctl.engine.store.archive import read_name
from brainctl.engine.store.capturing import read_capturing
from brainctl.engine.store.credits import read_balance
from brainctl.engine.store.keys import read_keys
from brainctl.engine.store.opening import is_database
from brainctl.engine.store.people import read_members, read_people
from brainctl.engine.store.store import Store
from brainctl.engine.store.workers import read_workers

BUSIEST: Final = 5
POINTS_MOST: Final = 60
"""More points of growth than these, and they are drawn together into longer periods."""
STATUSES: Final = (*UNFINISHED, *FINISHED)
_EPOCH: Final = date(1970, 1, 1)
_FILES: Final = ("", "-wal")


def figures(store: Store, workspace: int) -> dict[str, Any]:
    """Facts, how they grew, keys, answers and people, in one state of the brain. Raises `store_error`.

    Times are seconds; `growth` counts what was recorded and is still there, superseded facts too.
    """
    with store.reading() as connection:
        connection.dialect.plan_for_one(connection)
        kinds = counting.count_kinds(connection, workspace)
        shelves = counting.count_shelves(connection, workspace)
        keys = {key.key_id: key for key in read_keys(connection, workspace)}
        statuses = counting.count_answers(connection, workspace)
        return {
            "brain": read_name(connection, workspace),
            "store": store.address,
            "bytes": _size(store.address),
            "facts": {
                "current": sum(count for _, _, count in kinds),
                "superseded": shelves.get("past", 0),
                "pinned": counting.count_pinned(connection, workspace),
                "open_to_any_key": shelves.get("open", 0),
                "internal_keys_only": shelves.get("inner", 0),
                "about_a_known_person": shelves.get("personal", 0),
            },
            "kinds": _added("kind", ((kind, count) for kind, _, count in kinds)),
            "origins": sorted(
                _added("origin", ((origin, count) for _, origin, count in kinds)),
                key=lambda row: ORIGINS.index(row["origin"]),
            ),
            "kinds_by_origin": [
                {"kind": kind, "origin": origin, "facts": count} for kind, origin, count in kinds
            ],
            "growth": growth(counting.count_days(connection, workspace)),
            "keys": [
                {
                    "key_name": keys[busy.key_id].name if busy.key_id else None,
                    "key_prefix": keys[busy.key_id].prefix if busy.key_id else None,
                    "facts_taught": busy.facts,
                    "answers_asked": busy.answers,
                }
                for busy in counting.count_by_key(connection, workspace, BUSIEST)
            ],
            "answers": {
                **{status: statuses.get(status, 0) for status in STATUSES},
                "median_seconds": _seconds(counting.answer_time(connection, workspace, 0.5)),
                "p90_seconds": _seconds(counting.answer_time(connection, workspace, 0.9)),
            },
            "people": len(read_people(connection, workspace)),
            "members": len(read_members(connection, workspace)),
            "workers": len(read_workers(connection, workspace)),
            "capture": _captures(read_capturing(connection, workspace)),
            "credits": read_balance(connection, workspace),
        }


def growth(days: Sequence[tuple[int, int]]) -> dict[str, Any]:
    """Days since 1970 and counts as points of a line, in the shortest period that needs few enough of them."""
    if not days:
        return {"period": "day", "points": []}
    first, last = (_EPOCH + timedelta(days=days[place][0]) for place in (0, -1))
    period, starts = "day", _starts("day", first, last)
    for longer in ("week", "month", "year"):
        if len(starts) <= POINTS_MOST:
            break
        period, starts = longer, _starts(longer, first, last)
    points: list[dict[str, Any]] = [
        {"from": start.isoformat(), "recorded": 0, "total": 0} for start in starts
    ]
    place = 0
    for since, count in days:
        day = _EPOCH + timedelta(days=since)
        while place + 1 < len(starts) and starts[place + 1] <= day:
            place += 1
        points[place]["recorded"] += count
    total = 0
    for point in points:
        total += point["recorded"]
        point["total"] = total
    return {"period": period, "points": points}


def _starts(period: str, first: date, last: date) -> list[date]:
    """The first days of all periods from one day to another; one more than are wanted at most."""
    start = {
        "day": first,
        "week": first - timedelta(days=first.weekday()) if first > date(1, 1, 7) else first,
        "month": first.replace(day=1),
        "year": first.replace(month=1, day=1),
    }[period]
    starts = [start]
    while period == "year" or len(starts) <= POINTS_MOST:
        following = _following(period, starts[-1])
        if following is None or following > last:
            break
        starts.append(following)
    return starts


def _following(period: str, start: date) -> date | None:
    """The first day of the next period; None where the calendar ends."""
    try:
        if period in {"day", "week"}:
            return start + timedelta(days=1 if period == "day" else 7)
        if period == "month" and start.month < 12:
            return start.replace(month=start.month + 1)
        return start.replace(year=start.year + 1, month=1)
    except (ValueError, OverflowError):
        return None


def _added(name: str, counts: Iterable[tuple[str, int]]) -> list[dict[str, Any]]:
    """Counts of the same thing together, the largest first."""
    total: dict[str, int] = {}
    for what, count in counts:
        total[what] = total.get(what, 0) + count
    return [
        {name: what, "facts": count}
        for what, count in sorted(total.items(), key=lambda row: (-row[1], row[0]))
    ]


def _seconds(milliseconds: int | None) -> float | None:
    return None if milliseconds is None else milliseconds / 1000


def _captures(worker: str | None) -> str:
    return "rules" if worker is None else f"model: {worker}"


def _size(address: str) -> int | None:
    """The bytes of a file and its log; None for a database, which does not keep one brain's apart."""
    if is_database(address):
        return None
    size = 0
    for suffix in _FILES:
        with suppress(OSError):
            size += os.stat(address + suffix).st_size
    return size
