"""An answer as people read it."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from brainctl.cli.sanitise import one_line, terminal_text
from brainctl.cli.views.facts import TABLE_WIDTH, shown
from brainctl.contract.errors import BrainError

if TYPE_CHECKING:
    from rich.console import RenderableType


def text_of(answer: Mapping[str, Any]) -> str:
    """The worker's final message. Raises `bad_response` where a finished answer has none."""
    text = answer.get("output_text")
    if not isinstance(text, str):
        raise BrainError("bad_response", "The brain's reply holds no output_text: is this the Brain API?")
    return text


def markdown(text: str) -> "RenderableType":
    """The text as Markdown, nothing of it lost: HTML in it is text, and its links are written out, never made live."""
    from brainctl.cli.views.markdown import laid_out

    return laid_out(terminal_text(text))


def sources(found: Sequence[Mapping[str, Any]], width: int) -> "RenderableType":
    """The facts the answer was built from: a table, or lines on a narrow terminal."""
    from rich import box
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    cells = [
        [one_line(shown(source.get(name))) for name in ("fact_text", "kind", "subject")] for source in found
    ]
    if width < TABLE_WIDTH:
        lines: list[Text] = [Text("Sources", style="bold")]
        for text, kind, subject in cells:
            lines.append(Text(text, overflow="fold"))
            lines.append(
                Text(
                    "  " + " · ".join(part for part in (kind, subject) if part), style="dim", overflow="fold"
                )
            )
        return Group(*lines)
    grid = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, expand=True)
    grid.add_column("Source", ratio=1, overflow="fold")
    grid.add_column("Kind", style="cyan", overflow="fold", max_width=17)
    grid.add_column("Subject", style="green", overflow="fold", max_width=16)
    for row in cells:
        grid.add_row(*(Text(value) for value in row))
    return grid


def footer(answer: Mapping[str, Any], seconds: float) -> "RenderableType":
    """What the answer took: tokens in and out, and the time."""
    from rich.text import Text

    parts = []
    usage = answer.get("usage")
    if isinstance(usage, Mapping):
        parts.append(f"{usage.get('input_tokens', '?')} tokens in, {usage.get('output_tokens', '?')} out")
    parts.append(f"{seconds:.1f} s")
    return Text(one_line(" · ".join(parts)), style="dim")


def sources_of(answer: Mapping[str, Any]) -> list[dict[str, Any]]:
    found = answer.get("sources")
    return [source for source in found if isinstance(source, dict)] if isinstance(found, list) else []
