"""Markdown as Rich lays it out, without what Rich would leave out."""

from typing import ClassVar, Final

from markdown_it import MarkdownIt
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.markdown import Markdown, TableElement
from rich.table import Table
from rich.text import Text

NESTED_MOST: Final = 16
"""Quotes and lists in one another leave no room for text beyond this; such a text is shown as it is written."""

CELL_LEAST: Final = 6
"""A table whose cells would be narrower is read more easily line by line."""


class WholeTable(TableElement):
    """A table that breaks a long word instead of cutting it off."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        heads = self.header.row.cells if self.header and self.header.row else []
        if len(heads) * CELL_LEAST > options.max_width:
            yield from self._line_by_line()
            return
        for part in super().__rich_console__(console, options):
            if isinstance(part, Table):
                for column in part.columns:
                    column.overflow = "fold"
            yield part

    def _line_by_line(self) -> RenderResult:
        heads = [cell.content for cell in self.header.row.cells] if self.header and self.header.row else []
        for row in self.body.rows if self.body else []:
            for head, cell in zip(heads, row.cells, strict=False):
                yield Text.assemble(head, ": ", cell.content)
            yield Text()


class WholeMarkdown(Markdown):
    elements: ClassVar = {**Markdown.elements, "table_open": WholeTable}


def laid_out(text: str) -> RenderableType:
    """Clean text as Markdown, HTML in it as text, links and images with their addresses written out."""
    parser = MarkdownIt("commonmark", {"html": False, "maxNesting": 2 * NESTED_MOST})
    # The definition of a reference would vanish, and an image would lose its address.
    parser.enable(["strikethrough", "table"]).disable(["reference", "image"])
    tokens = parser.parse(text)
    if any(token.level > NESTED_MOST for token in tokens):
        return Text(text)
    rendered = WholeMarkdown("", hyperlinks=False)
    rendered.markup = text
    rendered.parsed = tokens
    return rendered
