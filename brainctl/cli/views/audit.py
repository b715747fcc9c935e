"""What an audit of a brain's facts found. Secrets come here masked already."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from brainctl.cli.sanitise import cell, one_line
from brainctl.cli.views.facts import shown

if TYPE_CHECKING:
    from rich.console import RenderableType


def lines(found: Sequence[Mapping[str, Any]]) -> str:
    """Finding, id, the fact beside it, why, and text, tab-separated."""
    names = ("finding", "fact_id", "beside", "why", "fact_text")
    return "".join("\t".join(cell(shown(each[name])) for name in names) + "\n" for each in found)


def blocks(found: Sequence[Mapping[str, Any]]) -> "RenderableType":
    """The findings under a heading for each sort."""
    from rich.console import Group
    from rich.text import Text

    shown_lines: list[Text] = []
    sort = None
    for each in found:
        if each["finding"] != sort:
            sort = each["finding"]
            if shown_lines:
                shown_lines.append(Text(""))
            count = sum(other["finding"] == sort for other in found)
            shown_lines.append(Text(f"{str(sort).replace('_', ' ')} ({count})", style="bold"))
        shown_lines.append(Text(one_line(shown(each["fact_text"])), overflow="fold"))
        told = Text("  ", style="dim", overflow="fold")
        told.append(each["fact_id"], style="cyan")
        told.append(f" · {one_line(each['why'])}")
        shown_lines.append(told)
        if each["beside"]:
            beside = Text("  ", style="dim", overflow="fold")
            beside.append(each["beside"], style="cyan")
            beside.append(f" · {one_line(shown(each['beside_text']))}")
            shown_lines.append(beside)
    return Group(*shown_lines)
