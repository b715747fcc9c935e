"""Markdown as Rich lays it out, without what Rich would leave out."""

import re
from collections.abc import Iterator, Sequence
from typing import ClassVar, Final

from markdown_it import MarkdownIt
from markdown_it.token import Token
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.markdown import Markdown, TableElement
from rich.table import Table
from rich.text import Text

NESTED_MOST: Final = 16
"""Quotes and lists in one another leave no room for text beyond this; such a text is shown as it is written."""

_BARS: Final = re.compile(r"(?<!\\)\|")

CHARACTERS_MOST: Final = 64 * 1024
LINES_MOST: Final = 2000
"""A text longer than either is shown as it is written: to lay it out would take longer than anyone waits."""

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
    if len(text) > CHARACTERS_MOST or text.count("\n") > LINES_MOST:
        return Text(text)
    parser = MarkdownIt("commonmark", {"html": False, "maxNesting": 2 * NESTED_MOST})
    # The definition of a reference would vanish, and an image would lose its address.
    parser.enable(["strikethrough", "table"]).disable(["reference", "image"])
    tokens = parser.parse(text)
    if any(token.level > NESTED_MOST for token in tokens):
        return Text(text)
    tokens = list(_whole(tokens, text.split("\n")))
    rendered = WholeMarkdown("", hyperlinks=False)
    rendered.markup = text
    rendered.parsed = tokens
    return rendered


def _whole(tokens: Sequence[Token], lines: Sequence[str]) -> Iterator[Token]:
    """The tokens with what the standard allows to be left out put back in: words behind a fence, cells too many."""
    table_ends = False
    for token in tokens:
        if token.type == "fence" and (" " in token.info.strip() or not token.content):
            token.content = f"{token.info.strip()}\n{token.content}"
        elif token.type == "table_open" and token.map and _has_too_many(lines[slice(*token.map)]):
            table_ends = True
            content = "\n".join(lines[slice(*token.map)])
            yield Token("code_block", "code", 0, content=content, block=True, level=token.level)
        if not table_ends:
            yield token
        table_ends = table_ends and token.type != "table_close"


def _has_too_many(rows: Sequence[str]) -> bool:
    """Whether a row of a table has more cells than its head, which would not be shown."""
    widths = [len(_BARS.findall(row.strip().strip("|"))) for row in rows]
    return any(width > widths[0] for width in widths)
