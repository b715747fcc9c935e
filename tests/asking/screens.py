"""A terminal that a test looks at and types into, as a person would while something is going on in it."""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from typing import Any, Self

import pyte

from tests.cli.shell import BRAINCTL, Shell, _everything, _read, _set_size, _spawned

PATIENCE = 60.0
READY = "READY> "
BASH = 'exec bash --norc --noprofile -i <>"$(tty)" >&0 2>&0'
"""Opened by its name, the terminal is the shell's own: it can stop what runs there and bring it back."""


class ReflowingScreen(pyte.HistoryScreen):
    """A screen that lays its lines out anew when its width changes, as most terminals do; pyte's own cuts them off."""

    def resize(self, lines: int | None = None, columns: int | None = None) -> None:
        columns = columns or self.columns
        if columns == self.columns:
            super().resize(lines, columns)
            return
        rows = [*self.history.top, *(self.buffer[number] for number in range(self.lines))]
        here = len(self.history.top) + self.cursor.y
        laid_out: list[list[Any]] = []
        cursor = (0, 0)
        for number, row in enumerate(rows[: here + 1]):
            cells = [row[place] for place in range(self.columns)]
            while cells and cells[-1].data == " " and (number != here or len(cells) > self.cursor.x):
                cells.pop()
            laid_out.extend(cells[start : start + columns] for start in range(0, max(len(cells), 1), columns))
            if number == here:
                cursor = (len(laid_out) - 1, len(laid_out[-1]))
        self.history.top.clear()
        super().resize(lines, columns)
        first = max(cursor[0] - self.lines + 1, 0)
        self.buffer.clear()
        for number, cells in enumerate(laid_out):
            row = (
                self.buffer[number - first]
                if number >= first
                else pyte.screens.StaticDefaultDict(self.default_char)
            )
            for place, cell in enumerate(cells):
                row[place] = cell
            if number < first:
                self.history.top.append(row)
        self.cursor.y, self.cursor.x = cursor[0] - first, min(cursor[1], columns - 1)


class Window:
    """The command at a terminal, until `end`."""

    def __init__(
        self,
        shell: Shell,
        *arguments: str,
        columns: int = 80,
        rows: int = 24,
        reflows: bool = True,
        command: Sequence[str] = (BRAINCTL,),
    ) -> None:
        kind = ReflowingScreen if reflows else pyte.HistoryScreen
        self._screen = kind(columns, rows, history=100_000, ratio=0.5)
        self._stream = pyte.ByteStream(self._screen)
        environ = {"TERM": "xterm-256color", **shell.environ}
        self._process, self._master = _spawned([*command, *arguments], environ, columns, rows)
        self.raw = b""
        self._seen = 0

    @classmethod
    def of_bash(cls, shell: Shell, columns: int = 80, rows: int = 24) -> "Window":
        """A bash at a terminal, which is there once READY is shown. Typed there, `brainctl` is the command."""
        folder = os.path.dirname(BRAINCTL)
        environ = {"PS1": READY, "PATH": f"{folder}{os.pathsep}{shell.environ['PATH']}"}
        window = cls(shell.with_(**environ), command=("sh", "-c", BASH), columns=columns, rows=rows)
        window.until(READY)
        return window

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        os.close(self._master)

    def _take(self) -> bool:
        """Show what has come; False where nothing more will."""
        chunk = _read(self._master)
        if chunk is None:
            return False
        self.raw += chunk
        self._stream.feed(chunk)
        return True

    def until(self, text: str) -> None:
        """Wait for this to be written after what was last waited for."""
        assert self.comes(text, PATIENCE), self.lines

    def comes(self, text: str, seconds: float) -> bool:
        """Whether this is written within so many seconds, after what was last waited for."""
        deadline = time.monotonic() + seconds
        while (place := self.raw.find(text.encode(), self._seen)) < 0:
            if time.monotonic() > deadline or not self._take():
                return False
        self._seen = place + len(text.encode())
        return True

    def closes(self, seconds: float) -> bool:
        """Whether the command leaves the terminal within so many seconds."""
        deadline = time.monotonic() + seconds
        while self._take():
            if time.monotonic() > deadline:
                return False
        return True

    def until_asleep(self) -> None:
        """Wait until the command has nothing more to do than to wait."""
        state = ["ps", "-o", "state=", "-p", str(self._process.pid)]
        deadline = time.monotonic() + PATIENCE
        while subprocess.run(state, capture_output=True, check=True).stdout.strip() != b"S":
            assert time.monotonic() < deadline, self.lines

    def until_shown(self, holds: Callable[[list[str]], bool]) -> None:
        """Wait until what the screen and the scrollback hold is so."""
        deadline = time.monotonic() + PATIENCE
        while not holds(self.lines):
            assert time.monotonic() < deadline, self.lines
            assert self._take(), self.lines

    def type(self, keys: str) -> None:
        os.write(self._master, keys.encode("utf-8", "surrogateescape"))

    def send(self, number: signal.Signals) -> None:
        self._process.send_signal(number)

    def resize(self, columns: int, rows: int) -> None:
        self._screen.resize(rows, columns)
        _set_size(self._master, columns, rows)

    @property
    def echoes(self) -> bool:
        """Whether the terminal shows what is typed."""
        import termios

        return bool(termios.tcgetattr(self._master)[3] & termios.ECHO)

    def end(self) -> int:
        """The exit code, once the command is done."""
        deadline = time.monotonic() + PATIENCE
        while self._take():
            assert time.monotonic() < deadline, self.lines
        return self._process.wait(PATIENCE)

    @property
    def lines(self) -> list[str]:
        """All that the scrollback and the screen hold, without the blank lines at the end."""
        lines = _everything(self._screen)
        while lines and not lines[-1]:
            lines.pop()
        return lines

    @property
    def text(self) -> str:
        return "\n".join(self.lines)
