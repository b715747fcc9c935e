"""A fact that its owner describes in full, and the shapes of what it is described by."""

import re
from typing import Any, Final

from brainctl.contract.bounds import FACT_TEXT_MAX, ID_MAX, ORIGINS
from brainctl.contract.errors import BrainError
from brainctl.contract.shapes import Boolean, Choice, Problem, Record, Text
from brainctl.engine import times

_KIND: Final = re.compile(r"[a-z][a-z_]{0,63}")


class Share:
    """A number from 0 to 1."""

    def read(self, value: Any, path: str, problems: list[Problem]) -> Any:
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
            problems.append(Problem(path, "must be a number from 0 to 1", "range"))
        return value

    def schema(self) -> dict[str, Any]:
        return {"type": "number", "minimum": 0, "maximum": 1}


class Kind:
    """Any kind, also one that the documents do not name: only internal keys will see it."""

    def read(self, value: Any, path: str, problems: list[Problem]) -> Any:
        if not isinstance(value, str) or not _KIND.fullmatch(value):
            problems.append(Problem(path, "must be a kind such as decision", "kind"))
        return value

    def schema(self) -> dict[str, Any]:
        return {"type": "string", "pattern": f"^{_KIND.pattern}$"}


class Moment:
    """A time as the API writes it, read to milliseconds."""

    def read(self, value: Any, path: str, problems: list[Problem]) -> Any:
        try:
            return times.from_text(value if isinstance(value, str) else "")
        except BrainError:
            problems.append(Problem(path, "must be a UTC time such as 2026-07-14T09:12:44.318Z", "time"))
        return value

    def schema(self) -> dict[str, Any]:
        return {"type": "string", "format": "date-time"}


FACT: Final = Record(
    {
        "text": Text(FACT_TEXT_MAX),
        "kind": Kind(),
        "origin": Choice(ORIGINS),
        "subject": Text(ID_MAX),
        "confidence": Share(),
        "recorded_time": Moment(),
        "pinned": Boolean("", None),
    },
    required=("text", "kind", "origin", "subject", "confidence", "recorded_time"),
)
"""A fact that its owner describes in full."""
