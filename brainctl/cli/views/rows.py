"""Short rows of text, for people and for pipes."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from brainctl.cli.sanitise import cell, one_line

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType, RenderResult


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


WORD_MAX: Final = 24
"""A longer word, such as a path, may be broken to fit its column."""

GAP: Final = 3


class Rows:
    """Short texts as a plain table, or where the terminal is too narrow for one, each row as a block of its own."""

    def __init__(self, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        self._heads = heads
        self._rows = [[one_line(value) for value in row] for row in rows]

    def __rich_console__(self, console: "Console", options: "ConsoleOptions") -> "RenderResult":
        from rich import box
        from rich.table import Table
        from rich.text import Text

        widths = self._widths(options.max_width)
        if widths is None:
            for place, row in enumerate(self._rows):
                if place:
                    yield ""
                yield pairs_table([pair for pair in zip(self._heads, row, strict=True) if pair[1]])
            return
        grid = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
        for head, width in zip(self._heads, widths, strict=True):
            grid.add_column(head, width=width, overflow="fold")
        for row in self._rows:
            grid.add_row(*map(Text, row))
        yield grid

    def _widths(self, available: int) -> list[int] | None:
        """How wide each column may be, its words kept whole; None where that is wider than there is room."""
        from rich.cells import cell_len

        columns = list(zip(self._heads, *self._rows, strict=True))
        widths = [max(map(cell_len, column)) for column in columns]
        least = [
            min(WORD_MAX, max(cell_len(word) for value in column for word in value.split() or [""]))
            for column in columns
        ]
        excess = sum(widths) + GAP * (len(widths) - 1) - available
        if sum(width - low for width, low in zip(widths, least, strict=True)) < excess:
            return None
        for _ in range(excess):
            roomiest = max(range(len(widths)), key=lambda place: widths[place] - least[place])
            widths[roomiest] -= 1
        return widths


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> "RenderableType":
    """A plain table of short texts, or blocks on a narrow terminal."""
    return Rows(heads, rows)


def lines(rows: Sequence[Sequence[str]]) -> str:
    """Tab-separated lines without a header."""
    return "".join("\t".join(cell(value) for value in row) + "\n" for row in rows)
