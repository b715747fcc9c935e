"""Bars and plots of characters: of eighths of a block, or of plain ASCII where a terminal has no blocks."""

from collections.abc import Sequence
from typing import Final

_ACROSS: Final = " ▏▎▍▌▋▊▉█"
_UP: Final = " ▁▂▃▄▅▆▇█"
_ASCII_ACROSS: Final = " #"
_ASCII_UP: Final = " .#"


def bar(value: float, most: float, width: int, *, blocks: bool) -> str:
    """A bar of at most `width` characters, the whole of it for `most`; what is not nothing is seen."""
    steps = _ACROSS if blocks else _ASCII_ACROSS
    return _filled(_height(value, most, width * (len(steps) - 1)), width, steps).rstrip()


def plot(values: Sequence[float], height: int, *, blocks: bool) -> list[str]:
    """A column a value, the highest as high as the plot; the lines from the top."""
    steps = _UP if blocks else _ASCII_UP
    most = max(values, default=0)
    columns = [_filled(_height(value, most, height * (len(steps) - 1)), height, steps) for value in values]
    return ["".join(column[row] for column in columns) for row in reversed(range(height))]


def spread(values: Sequence[float], width: int) -> list[float]:
    """The values over so many columns: each repeated, or, of too many, the last that falls into each column."""
    if not values:
        return []
    if len(values) > width:
        return [values[(column + 1) * len(values) // width - 1] for column in range(width)]
    return [value for value in values for _ in range(min(width // len(values), 4))]


def _height(value: float, most: float, steps: int) -> int:
    if value <= 0 or most <= 0:
        return 0
    return max(round(value / most * steps), 1)


def _filled(height: int, size: int, steps: str) -> str:
    """A line of `size` characters, filled to a height that is counted in parts of a character."""
    whole, part = divmod(height, len(steps) - 1)
    line = steps[-1] * whole + (steps[part] if part else "")
    return line.ljust(size)[:size]
