"""Shows text at a terminal while it is still being written, and takes it away whole when it is done.

Only the last lines that fit on the screen are shown: what has scrolled off a screen cannot be taken back.
"""

from typing import TYPE_CHECKING, Final

from brainctl.cli.sanitise import StreamSanitiser

if TYPE_CHECKING:
    from brainctl.cli.output import Output

ROWS_KEPT: Final = 2
"""Rows of the screen left free, so that drawing never scrolls."""


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
            self._text += clean
            self._draw()

    def clear(self) -> None:
        """Take everything shown away, as if it had never been there."""
        self._output.control(self._erasure())
        self._shown = []

    def leave(self) -> None:
        """Leave what is shown where it is, and the cursor on a line of its own."""
        if self._shown:
            self._output.control("\n")
            self._shown = []

    def _draw(self) -> None:
        width, height = self._output.environment.size()
        rows = max(height - ROWS_KEPT, 1)
        # A terminal's last column is left free: a full line would leave the cursor on the next one, or not.
        lines = _wrapped(self._text, max(width - 1, 1), rows)
        same = 0
        if len(lines) >= len(self._shown) and lines[: len(self._shown) - 1] == self._shown[:-1]:
            same = max(len(self._shown) - 1, 0)
        if same and lines[same].startswith(self._shown[same]):
            # The common case: the text grew at its end.
            drawn = lines[same][len(self._shown[same]) :] + "".join(f"\n{line}" for line in lines[same + 1 :])
            self._output.control(drawn)
        else:
            self._output.control(self._erasure() + "\n".join(lines))
        self._shown = lines

    def _erasure(self) -> str:
        """What moves the cursor to where the text began and clears from there, at the width of now."""
        if not self._shown:
            return ""
        from rich.cells import cell_len

        # Lines drawn on a wider screen take several rows on a narrower one.
        width = max(self._output.environment.size()[0], 1)
        rows = sum(max(-(-cell_len(line) // width), 1) for line in self._shown)
        up = f"\x1b[{rows - 1}A" if rows > 1 else ""
        return f"\r{up}\x1b[J"


def _wrapped(text: str, width: int, rows: int) -> list[str]:
    """The last `rows` lines of a text laid out in `width` cells."""
    from rich.cells import chop_cells

    lines: list[str] = []
    for paragraph in reversed(text.expandtabs(4).split("\n")[-rows:]):
        lines = [*(chop_cells(paragraph, width) or [""]), *lines]
        if len(lines) >= rows:
            break
    return lines[-rows:]
