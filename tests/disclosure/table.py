"""Every combination of a kind, an origin and a subject as a fact of its own, and the rule for who may see it."""

import re
from itertools import product
from typing import Any, Final, NamedTuple

from tests.doors.workspace import fact

# Written out here and not taken from the program, which might lack one or have one too many.
KINDS: Final = (
    "profile_fact",
    "preference",
    "decision",
    "observation",
    "project",
    "role",
    "roster",
    "relationship",
    "incident",
    "routine",
    "channel_digest",
    "workspace_profile",
    "forecast",
)
"""The twelve kinds, and one of tomorrow's."""
ORIGINS: Final = ("user_stated", "ingested", "agent_inferred", "agent_action", "system")


class Subject(NamedTuple):
    """Somebody or something that facts are about. `person_id` is theirs where they are bound to one."""

    name: str
    person_id: str | None = None
    team: bool = False
    person: bool = False


SUBJECTS: Final = (
    Subject("refund policy"),
    Subject("Maria Keller", "cust_419", person=True),
    Subject("Jonas Berg", "cust_777", person=True),
    Subject("Petra Novak", person=True),
    Subject("Sam Okafor", team=True),
    Subject("Ana Sousa", "cust_team", team=True),
    Subject("worker", team=True),
)
"""A thing, two customers, a person nobody has bound to an id, a colleague, one who is a customer too, the worker."""


class Viewer(NamedTuple):
    """A key's audience, and the id of the person it names."""

    audience: str
    end_user: str | None

    def __str__(self) -> str:
        return f"{self.audience} for {self.end_user or 'nobody'}"

    def asking(self, **fields: Any) -> Any:
        """The body of a request."""
        return fields if self.end_user is None else {**fields, "end_user": {"id": self.end_user}}


VIEWERS: Final = [
    Viewer(*each) for each in product(("internal", "external"), (None, "cust_419", "cust_777", "cust_team"))
]


class Combination(NamedTuple):
    """A fact. `marker` is its whole text, and in no other."""

    marker: str
    kind: str
    origin: str
    subject: Subject


COMBINATIONS: Final = [
    # Letters around a number are neither stemmed nor taken for a slip of another word, and no id has these letters.
    Combination(f"u{number:03}l", kind, origin, subject)
    for number, (kind, origin, subject) in enumerate(product(KINDS, ORIGINS, SUBJECTS))
]
_MARKER: Final = re.compile(r"u\d{3}l")
_TOGETHER: Final = 45
QUERIES: Final = [
    [each.marker for each in COMBINATIONS[start : start + _TOGETHER]]
    for start in range(0, len(COMBINATIONS), _TOGETHER)
]
"""All markers, as many in one query as a packet has room for beside what is known about one person."""


def may_see(viewer: Viewer, fact: Combination) -> bool:
    """The rule: the kind decides first, then the subject, then the origin, then the person."""
    if viewer.audience == "external":
        if fact.kind not in {"profile_fact", "preference", "decision", "observation"}:
            return False
        if fact.subject.team:
            return False
        if fact.origin not in {"user_stated", "ingested"}:
            return False
        if fact.subject.person:
            return fact.subject.person_id is not None and fact.subject.person_id == viewer.end_user
        return True
    if fact.subject.team or fact.subject.person_id is None:
        return True
    return fact.subject.person_id == viewer.end_user


def visible(viewer: Viewer) -> set[str]:
    return {each.marker for each in COMBINATIONS if may_see(viewer, each)}


def markers_in(text: str) -> set[str]:
    return set(_MARKER.findall(text))


def described(combination: Combination) -> dict[str, Any]:
    """The combination as its owner loads it."""
    return fact(
        combination.marker,
        kind=combination.kind,
        origin=combination.origin,
        subject=combination.subject.name,
    )
