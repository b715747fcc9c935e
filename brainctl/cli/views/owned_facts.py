"""Facts as the owner of a brain reads them: with their ids, and with how they stand."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from brainctl.cli.sanitise import one_line
from brainctl.cli.views.facts import day, shown
from brainctl.contract.keys import masked

if TYPE_CHECKING:
    from rich.console import RenderableType


def blocks(facts: Sequence[Mapping[str, Any]]) -> "RenderableType":
    """A fact below the other: its text, then its id and what is told of it."""
    from rich.console import Group
    from rich.text import Text

    lines: list[Text] = []
    for fact in facts:
        lines.append(Text(one_line(shown(fact["fact_text"])), overflow="fold"))
        told = Text("  ", style="dim", overflow="fold")
        told.append(fact["fact_id"], style="cyan")
        parts = (fact["kind"], shown(fact["subject"]), day(fact), _person(fact), _standing(fact))
        for part in filter(None, map(one_line, parts)):
            told.append(f" · {part}")
        lines.append(told)
    return Group(*lines)


def pairs(fact: Mapping[str, Any]) -> list[tuple[str, str]]:
    """All that is stored of one fact, as name and value; what it has not is left out."""
    found = [
        ("id", fact["fact_id"]),
        ("text", fact["fact_text"]),
        ("kind", fact["kind"]),
        ("origin", fact["origin"]),
        ("subject", shown(fact["subject"])),
        ("about", " ".join(filter(None, (fact["about"], shown(fact["person_id"]))))),
        ("seen by", fact["seen_by"].replace("_", " ")),
        ("confidence", shown(fact["confidence_level"])),
        ("recorded", fact["recorded_time"]),
        ("pinned", "yes" if fact["pinned"] else "no"),
        ("taught by", _teacher(fact["taught_by"])),
        ("replaced by", shown(fact["superseded_by"])),
        ("replaced", " ".join(fact["replaced"])),
        ("found by", " ".join(fact["found_by"])),
        ("compared as", fact["normal_form"]),
    ]
    return [(name, value) for name, value in found if value]


def texts(facts: Sequence[Mapping[str, Any]], width: int) -> list[str]:
    """The texts of facts that are about to be lost, a line each, cut where they are wider than they may be."""
    return [f"  {_cut(one_line(shown(fact['fact_text'])), width - 2)}" for fact in facts]


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: max(width - 1, 1)]}…"


def _person(fact: Mapping[str, Any]) -> str:
    return f"of {fact['person_id']}" if fact["person_id"] else ""


def _standing(fact: Mapping[str, Any]) -> str:
    if fact["superseded_by"]:
        return f"replaced by {fact['superseded_by']}"
    return "pinned" if fact["pinned"] else ""


def _teacher(key: Mapping[str, Any] | None) -> str:
    if key is None:
        return "the owner"
    return f"{key['key_name']} ({masked(key['key_prefix'])}, {key['key_audience']})"
