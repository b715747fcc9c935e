"""Shows text at a terminal while it is still being written, and takes it away whole when it is done.

Only the last lines are shown: what has scrolled off a screen cannot be taken back.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from brainctl.cli.sanitise import StreamSanitiser

if TYPE_CHECKING:
    from brainctl.cli.output import Output

SCREEN_SHARE: Final = 2
"""One in so many rows of the screen is drawn on, so that what a terminal made half as wide lays out anew still fits."""

WIDE_FORM: Final = "\ufe0f"
"""Asks for the wide form of the character before it; some terminals listen."""


class LiveText:
    """Text growing at a terminal. Every call leaves the cursor at the end of what is shown."""

    def __init__(self, output: "Output") -> None:
        self._output = output
        self._sanitiser = StreamSanitiser()
        self._text = ""
        self._shown: list[str] = []

    def add(self, piece: str) -> None:
        """Show a piece more."""
        if clean := self._sanitiser.feed(piece):
            self._text += clean.replace("\t", "    ")
            self._output.passing = self
            self._draw()

    def clear(self) -> None:
        """Take everything shown away, as if it had never been there."""
        self._erase()
        self._output.passing = None

    def leave(self) -> None:
        """Leave what is shown where it is, and the cursor on a line of its own."""
        if self._shown:
            self._output.control("\n")
            self._shown = []
        self._output.passing = None

    def forget(self) -> None:
        """Whatever was shown is no more to be touched: somebody else has written below it."""
        self._shown = []

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Out of the way while something lasting is written above."""
        self._erase()
        yield
        self._draw()

    def _draw(self) -> None:
        width, height = self._output.environment.size()
        rows = max(height // SCREEN_SHARE, 1)
        # A terminal's last column is left free: a full line would leave the cursor on the next one, or not.
        lines = self._last_lines(max(width - 1, 2), rows)
        grown = len(self._shown) - 1
        if grown >= 0 and lines[:grown] == self._shown[:-1] and lines[grown].startswith(self._shown[-1]):
            # The common case: the text grew at its end.
            rest = lines[grown][len(self._shown[-1]) :]
            drawn = rest + "".join(f"\n{line}" for line in lines[grown + 1 :])
        else:
            drawn = self._erasure() + "\n".join(lines)
        # Before the drawing: a signal may come in the middle of it.
        self._shown = lines
        self._output.control(drawn)

    def _last_lines(self, width: int, rows: int) -> list[str]:
        """The last `rows` lines of the text laid out in `width` cells; what is above them is let go."""
        # More than this cannot be on the screen, and laying out a whole answer for each of its pieces takes too long.
        self._text = self._text[-8 * width * rows :]
        lines = _laid_out(self._text, width)
        self._text = self._text[lines[-rows:][0][0] :]
        return [line for _, line in lines[-rows:]]

    def _erase(self) -> None:
        if self._shown:
            self._output.control(self._erasure())
            self._shown = []

    def _erasure(self) -> str:
        """What moves the cursor to where the text began and clears each line on the way, at the width of now.

        Some terminals keep what is cleared from the first line on, all at once, for their scrollback.
        """
        if not self._shown:
            return ""
        # Lines drawn on a wider screen take several rows on a narrower one.
        width = max(self._output.environment.size()[0], 2)
        rows = sum(len(_laid_out(line, width)) for line in self._shown)
        return "\r\x1b[2K" + "\x1b[1A\x1b[2K" * (rows - 1)


def _laid_out(text: str, width: int) -> list[tuple[int, str]]:
    """The lines of a text in `width` cells, each with the place in the text where it begins.

    Characters that some terminals join into one are counted one by one: a line must not be wider anywhere than it
    is here, or there would be more rows than are taken away.
    """
    from rich.cells import get_character_cell_size

    lines: list[tuple[int, str]] = []
    start = used = 0
    for place, character in enumerate(text):
        if character == "\n":
            lines.append((start, text[start:place]))
            start, used = place + 1, 0
            continue
        size = 1 if character == WIDE_FORM else get_character_cell_size(character)
        if used + size > width:
            lines.append((start, text[start:place]))
            start, used = place, 0
        used += size
    lines.append((start, text[start:]))
    return lines
