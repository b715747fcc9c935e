"""What surrounds the program: its streams, its terminal, its variables, its clock."""

import contextlib
import io
import os
import sys
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, BinaryIO, NamedTuple, cast

from brainctl.contract.errors import BrainError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

COLUMNS_DEFAULT = 80
LINES_DEFAULT = 24
_LOCALE = ("LC_ALL", "LC_CTYPE", "LANG")


class Environment(NamedTuple):
    """Everything a command may ask of the outside. Streams are bytes; None is a stream that was closed."""

    environ: Mapping[str, str]
    stdin: BinaryIO | None
    stdout: BinaryIO | None
    stderr: BinaryIO | None

    @classmethod
    def of_process(cls) -> "Environment":
        return cls(os.environ, _patient(_bytes(sys.stdin)), _bytes(sys.stdout), _bytes(sys.stderr))

    def now(self) -> float:
        """Seconds since 1970."""
        return time.time()

    def is_terminal(self, stream: BinaryIO | None) -> bool:
        try:
            return stream is not None and stream.isatty()
        except ValueError:  # closed while we run
            return False

    @property
    def is_dumb(self) -> bool:
        """Whether the terminal says that it cannot move its cursor."""
        return self.environ.get("TERM") == "dumb"

    @property
    def draws_blocks(self) -> bool:
        """Whether block characters can be shown: not where a locale is named that is not UTF-8."""
        named = next((self.environ[name] for name in _LOCALE if self.environ.get(name)), "UTF-8")
        return not self.is_dumb and named.upper().replace("-", "").endswith("UTF8")

    def columns(self) -> int:
        """The width to lay text out in: COLUMNS, else the terminal's."""
        return self.size()[0]

    def size(self) -> tuple[int, int]:
        """Columns and lines: COLUMNS and LINES, else the terminal's as it is now, else 80 by 24."""
        columns, lines = (_number(self.environ.get(name)) for name in ("COLUMNS", "LINES"))
        if columns and lines:
            return columns, lines
        for stream in (self.stdout, self.stderr):
            with contextlib.suppress(OSError, ValueError):
                if stream is not None:
                    size = os.get_terminal_size(stream.fileno())
                    return columns or size.columns or COLUMNS_DEFAULT, lines or size.lines or LINES_DEFAULT
        return columns or COLUMNS_DEFAULT, lines or LINES_DEFAULT

    def wants_colour(self, choice: str, stream: BinaryIO | None) -> bool:
        """Whether to colour a stream: the flag, then NO_COLOR, CLICOLOR_FORCE or FORCE_COLOR, TERM, the terminal."""
        if choice != "auto":
            return choice == "always"
        if self.environ.get("NO_COLOR"):
            return False
        for name in ("CLICOLOR_FORCE", "FORCE_COLOR"):
            if forced := self.environ.get(name):
                return forced.lower() not in {"0", "false", "no"}
        if self.is_dumb or self.environ.get("CLICOLOR") == "0":
            return False
        return self.is_terminal(stream)

    def read_stdin(self) -> bytes:
        """All of standard input. Raises a usage error where it is closed or cannot be read."""
        if self.stdin is None:
            raise BrainError(
                "usage", "Standard input is closed, so there is nothing to read: give it as an argument."
            )
        try:
            return self.stdin.read()
        except OSError as error:
            raise BrainError("usage", f"Standard input cannot be read: {error.strerror or error}.") from error


def _number(text: str | None) -> int:
    return int(text) if text and text.isascii() and text.isdigit() else 0


def _bytes(stream: object) -> BinaryIO | None:
    buffer: BinaryIO | None = getattr(stream, "buffer", None)
    return buffer


class _Patient(io.RawIOBase):
    """A stream that is waited for while it has nothing: whoever shares it may have set it so that it does not block."""

    def __init__(self, raw: io.RawIOBase) -> None:
        self._raw = raw

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "WriteableBuffer", /) -> int:
        while (count := cast("int | None", self._raw.readinto(buffer))) is None:
            import select

            select.select([self._raw], [], [])
        return count

    def fileno(self) -> int:
        return self._raw.fileno()

    def isatty(self) -> bool:
        return self._raw.isatty()


def _patient(stream: BinaryIO | None) -> BinaryIO | None:
    raw = getattr(stream, "raw", None)
    return cast("BinaryIO", io.BufferedReader(_Patient(raw))) if isinstance(raw, io.RawIOBase) else stream
