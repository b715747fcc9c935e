"""Short rows of text, for people and for pipes."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from brainctl.cli.sanitise import cell, one_line

if TYPE_CHECKING:
    from rich.console import RenderableType


def pairs(rows: Sequence[tuple[str, str]]) -> str:
    """Name and value, tab-separated, one a line."""
    return "".join(f"{cell(name)}\t{cell(value)}\n" for name, value in rows)


def pairs_table(rows: Sequence[tuple[str, str]]) -> "RenderableType":
    from rich.table import Table
    from rich.text import Text

    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column(overflow="fold")
    for name, value in rows:
        grid.add_row(name, Text(one_line(value)))
    return grid


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> "RenderableType":
    """A plain table of short texts."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    grid = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for head in heads:
        grid.add_column(head, overflow="fold")
    for row in rows:
        grid.add_row(*(Text(one_line(value)) for value in row))
    return grid


def lines(rows: Sequence[Sequence[str]]) -> str:
    """Tab-separated lines without a header."""
    return "".join("\t".join(cell(value) for value in row) + "\n" for row in rows)
