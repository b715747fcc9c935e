"""The one writer: every byte of standard output and standard error goes through here."""

import contextlib
import errno
import json
import os
import re
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, BinaryIO, Final, Literal, Protocol

from brainctl.cli.environment import Environment
from brainctl.cli.sanitise import cell, json_text, one_line, terminal_text
from brainctl.contract.errors import BrainError
from brainctl.contract.keys import mask_secrets

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

Format = Literal["human", "json", "jsonl"]
FORMATS: Final = ("human", "json", "jsonl")
_IN_BACKTICKS: Final = re.compile("`[^`\n]*`")
_UNBROKEN: Final = "\0"
"""Stands for a blank at which no line may end; no text that was made harmless holds it."""


class ReaderGone(Exception):  # noqa: N818 - not an error: whoever read our output has had enough
    """Standard output's reader closed it."""


class Passing(Protocol):
    """Something on the screen that will not stay, and must not be in the way of what will."""

    def aside(self) -> AbstractContextManager[None]: ...


class Output:
    """Writes results to standard output and everything else to standard error, in the form that was asked for."""

    def __init__(
        self,
        environment: Environment,
        form: Format = "human",
        *,
        colour: str = "auto",
        quiet: bool = False,
        verbose: bool = False,
    ) -> None:
        self.environment = environment
        self.form = form
        self.colour = colour
        self.quiet = quiet
        self.verbose = verbose
        self.at_terminal = environment.is_terminal(environment.stdout)
        self.errors_at_terminal = environment.is_terminal(environment.stderr)
        self.draws_progress = self.errors_at_terminal and not environment.is_dumb
        self.passing: Passing | None = None

    # Results

    def result(
        self,
        data: Any,
        *,
        plain: Callable[[], str],
        rich: Callable[[], "RenderableType"] | None = None,
        rows: Iterable[Any] | None = None,
    ) -> None:
        """One result in the asked form: `data` as JSON, `rows` as JSON lines (else `data` on one line),
        `rich` at a terminal, and `plain` text in a pipe.
        """
        if self.form == "json":
            self.document(data)
        elif self.form == "jsonl":
            for row in [data] if rows is None else rows:
                self.json_line(row)
        elif self.at_terminal and rich is not None:
            self.show(rich())
        else:
            self.text(plain())

    def document(self, data: Any) -> None:
        """One JSON document: laid out at a terminal, on one line elsewhere."""
        self._out(_dumped(data, indent=2 if self.at_terminal else None) + "\n")

    def json_line(self, data: Any) -> None:
        self._out(_dumped(data) + "\n")

    def text(self, text: str) -> None:
        """Plain text with a line end; made harmless at a terminal, as it is in a pipe."""
        if text and not text.endswith("\n"):
            text += "\n"
        self._out(terminal_text(text) if self.at_terminal else text)

    def raw(self, data: bytes) -> None:
        """Bytes as they are."""
        self._write(self.environment.stdout, data)

    def line(self, *cells: str) -> None:
        """One tab-separated line."""
        self.text("\t".join(cell(value) for value in cells))

    def show(self, *renderables: "RenderableType") -> None:
        """Rich output; whatever text of a brain it holds must have gone through a view."""
        console = self.console()
        for renderable in renderables:
            with console.capture() as captured:
                # Nothing is cut: what is wider than the screen is text that is to stay in one piece.
                console.print(renderable, crop=False)
            # Blanks up to the edge would take lines of their own once the window is made narrower.
            self._out("\n".join(line.rstrip(" ") for line in captured.get().split("\n")))

    def control(self, text: str) -> None:
        """Text for a terminal together with what moves its cursor; whoever calls has made the text harmless."""
        self._out(text)

    def console(self, *, errors: bool = False) -> "Console":
        """A Rich console that takes our word for colour and width, and no markup or emoji codes from anyone."""
        from rich.console import Console

        stream = self.environment.stderr if errors else self.environment.stdout
        colour = self.environment.wants_colour(self.colour, stream)
        return Console(
            width=self.environment.columns(),
            force_terminal=colour,
            color_system=self._palette() if colour else None,
            no_color=not colour,
            markup=False,
            emoji=False,
            highlight=False,
            legacy_windows=False,
        )

    def _palette(self) -> Literal["auto", "standard"]:
        # Left to itself Rich has no colours for a dumb terminal, also where they were asked for.
        return "standard" if self.environment.environ.get("TERM") in {"dumb", "unknown"} else "auto"

    # All the rest

    def note(self, message: str) -> None:
        """Something worth knowing, on standard error; silent with --quiet."""
        if not self.quiet:
            self._lasting(f"{terminal_text(mask_secrets(message))}\n")

    def warn(self, message: str) -> None:
        if not self.quiet:
            self._lasting(self._styled("warning: ", "33") + f"{terminal_text(mask_secrets(message))}\n")

    def trace(self, message: str) -> None:
        """A line of --verbose."""
        if self.verbose:
            self._lasting(self._styled(terminal_text(mask_secrets(message)), "2") + "\n")

    def error(self, error: BrainError, *, key_name: str | None = None) -> None:
        """An error on standard error: a sentence and what to do, or one line of JSON."""
        if self.form != "human":
            self._err(mask_secrets(_dumped(error.report())) + "\n")
            return
        from brainctl.cli.views.errors import error_lines

        lines = [one_line(mask_secrets(line)) for line in error_lines(error, key_name=key_name)]
        text = self._laid_out("\n".join(["error: " + lines[0], *lines[1:]]))
        self._err(self._styled("error: ", "1;31") + text.removeprefix("error: ") + "\n")

    def progress(self, text: str) -> None:
        """A line that replaces itself at a terminal; nothing elsewhere. An empty text takes it away."""
        if self.draws_progress and not self.quiet:
            shown = one_line(text)[: max(self.environment.columns() - 1, 1)]
            self._err(f"\r\x1b[2K{shown}")

    def prompt(self, text: str) -> None:
        self._err(terminal_text(text))

    def _lasting(self, text: str) -> None:
        """Write on standard error, above what will not stay on the same screen."""
        if self.passing is None or not self.errors_at_terminal:
            self._err(text)
        else:
            with self.passing.aside():
                self._err(text)

    def _laid_out(self, text: str) -> str:
        """The text with its lines broken between words at a terminal, which would break inside them.

        What stands in backticks is a command to copy, and stays on one line however long it is.
        """
        if not self.errors_at_terminal:
            return text
        import textwrap

        width = max(self.environment.columns(), 20)
        whole = _IN_BACKTICKS.sub(lambda found: found.group().replace(" ", _UNBROKEN), text)
        return "\n".join(
            textwrap.fill(
                line, width, break_long_words=False, break_on_hyphens=False, replace_whitespace=False
            )
            for line in whole.split("\n")
        ).replace(_UNBROKEN, " ")

    def _styled(self, text: str, style: str) -> str:
        if self.environment.wants_colour(self.colour, self.environment.stderr):
            return f"\x1b[{style}m{text}\x1b[0m"
        return text

    # Bytes

    def _out(self, text: str) -> None:
        self._write(self.environment.stdout, text.encode("utf-8", "backslashreplace"))

    def _write(self, stream: BinaryIO | None, data: bytes) -> None:
        if stream is None:
            raise BrainError("unwritable", "The result cannot be written: standard output is closed.")
        try:
            _put(stream, data)
        except BrokenPipeError as error:
            raise ReaderGone from error
        except OSError as error:
            if error.errno == errno.EINVAL and os.name == "nt":  # how Windows tells of a closed pipe
                raise ReaderGone from error
            discard(stream)
            reason = error.strerror or str(error)
            raise BrainError(
                "unwritable", f"The result cannot be written to standard output: {reason}."
            ) from error

    def _err(self, text: str) -> None:
        stream = self.environment.stderr
        if stream is None:
            return
        try:
            _put(stream, text.encode("utf-8", "backslashreplace"))
        except (OSError, ValueError):
            # Nobody is left to be told where standard error itself fails.
            discard(stream)


def _put(stream: BinaryIO, data: bytes) -> None:
    """Write all of the data: an unbuffered stream takes a part at a time, a non-blocking one none while it is full."""
    rest = memoryview(data)
    while True:
        try:
            while rest:
                rest = rest[_taken(stream.write(rest)) :]
            stream.flush()
        except BlockingIOError as full:
            rest = rest[full.characters_written :]
            import select

            select.select([], [stream], [])
        else:
            return


def _taken(count: int | None) -> int:
    if count is None:  # what an unbuffered stream says where a buffered one would raise
        raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN), 0)
    return count


def discard(stream: BinaryIO) -> None:
    """Send what the stream still holds nowhere, so that the interpreter's own flush at exit stays silent."""
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


def _dumped(data: Any, indent: int | None = None) -> str:
    separators = None if indent else (",", ":")
    return json_text(json.dumps(data, ensure_ascii=False, indent=indent, separators=separators))
