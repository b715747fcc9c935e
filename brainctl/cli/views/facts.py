"""Facts as people and pipes read them."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from brainctl.cli.sanitise import cell, one_line
from brainctl.contract.errors import BrainError

if TYPE_CHECKING:
    from rich.console import RenderableType

COLUMNS: Final = ("fact_id", "kind", "origin", "subject", "confidence_level", "recorded_time", "fact_text")
"""What a tab-separated line holds, in this order; the text comes last since it is the longest."""

TABLE_WIDTH: Final = 72
"""A narrower terminal gets facts one below the other: a table's columns would be slivers."""


def facts_of(reply: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The facts of a reply. Raises `bad_response` where it holds none to read."""
    facts = reply.get("facts")
    if not isinstance(facts, list) or not all(isinstance(fact, dict) for fact in facts):
        raise BrainError("bad_response", "The brain's reply holds no list of facts: is this the Brain API?")
    return facts


def shown(value: Any) -> str:
    """A value of a fact as text; nothing for what is not there."""
    return "" if value is None else str(value)


def lines(facts: Sequence[Mapping[str, Any]]) -> str:
    return "".join("\t".join(cell(shown(fact.get(name))) for name in COLUMNS) + "\n" for fact in facts)


def table(facts: Sequence[Mapping[str, Any]], width: int) -> "RenderableType":
    """Facts in the order given: a table, or blocks on a narrow terminal."""
    return _table(facts) if width >= TABLE_WIDTH else _blocks(facts)


def day(fact: Mapping[str, Any]) -> str:
    return one_line(shown(fact.get("recorded_time")))[:10]


def _table(facts: Sequence[Mapping[str, Any]]) -> "RenderableType":
    from rich import box
    from rich.table import Table
    from rich.text import Text

    grid = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, expand=True)
    grid.add_column("Fact", ratio=1, overflow="fold")
    grid.add_column("Kind", style="cyan", overflow="fold", max_width=17)
    grid.add_column("Subject", style="green", overflow="fold", max_width=16)
    grid.add_column("Recorded", style="dim", no_wrap=True)
    for fact in facts:
        grid.add_row(
            Text(one_line(shown(fact.get("fact_text")))),
            Text(one_line(shown(fact.get("kind")))),
            Text(one_line(shown(fact.get("subject")))),
            Text(day(fact)),
        )
    return grid


def _blocks(facts: Sequence[Mapping[str, Any]]) -> "RenderableType":
    from rich.console import Group
    from rich.text import Text

    blocks: list[Text] = []
    for fact in facts:
        blocks.append(Text(one_line(shown(fact.get("fact_text"))), overflow="fold"))
        about = " · ".join(
            part
            for part in (one_line(shown(fact.get("kind"))), one_line(shown(fact.get("subject"))), day(fact))
            if part
        )
        blocks.append(Text(f"  {about}", style="dim", overflow="fold"))
    return Group(*blocks)
