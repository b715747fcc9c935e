"""The line that says we are waiting, and for how long, while nothing else can be shown."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, Self

from brainctl.cli.output import Output

FRAMES: Final = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
PERIOD_SECONDS: Final = 0.1


class WaitingLine:
    """Shows a text with the time elapsed on standard error, at a terminal alone, until it is left or told to stop."""

    def __init__(self, output: Output, text: str) -> None:
        self._output = output
        self._text = text
        self._over = threading.Event()
        self._drawing = threading.Lock()
        self._thread: threading.Thread | None = None
        self._started = time.monotonic()

    def __enter__(self) -> Self:
        if self._output.draws_progress and not self._output.quiet:
            self._output.passing = self
            self._thread = threading.Thread(target=self._turn, daemon=True)
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def say(self, text: str) -> None:
        """Another text from now on."""
        self._text = text

    def stop(self) -> None:
        """Take the line away; nothing of it is left."""
        if self._thread is not None:
            self._over.set()
            self._thread.join()
            self._thread = None
            self._output.passing = None
            self._output.progress("")

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Out of the way while something lasting is written; the next frame comes below it."""
        with self._drawing:
            self._output.progress("")
            yield

    def _turn(self) -> None:
        frame = 0
        while not self._over.wait(PERIOD_SECONDS):
            seconds = time.monotonic() - self._started
            with self._drawing:
                self._output.progress(f"{FRAMES[frame % len(FRAMES)]} {self._text} {seconds:.0f} s")
            frame += 1
