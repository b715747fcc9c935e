"""A small company that does not exist, whose facts make a brain worth asking within a minute."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypedDict


class SampleFact(TypedDict):
    """A fully described fact. `recorded_time` is ISO 8601 with milliseconds and Z."""

    text: str
    kind: str
    origin: str
    subject: str
    confidence: float
    recorded_time: str
    pinned: bool


def _lines(of: str) -> Iterator[dict[str, Any]]:
    for line in (Path(__file__).parent / "company.jsonl").read_text("utf-8").splitlines():
        described: dict[str, Any] = json.loads(line)
        if described.pop("type") == of:
            yield described


def facts() -> list[SampleFact]:
    """The company's facts, oldest first."""
    return [
        SampleFact(
            text=fact["text"],
            kind=fact["kind"],
            origin=fact["origin"],
            subject=fact["subject"],
            confidence=fact["confidence"],
            recorded_time=fact["recorded_time"],
            pinned=fact["pinned"],
        )
        for fact in _lines("fact")
    ]


def people() -> list[tuple[str, str]]:
    """The customers bound to an id, as pairs of id and name."""
    return [(person["id"], person["name"]) for person in _lines("person")]


def members() -> list[str]:
    """The names of the colleagues."""
    return [member["name"] for member in _lines("member")]
