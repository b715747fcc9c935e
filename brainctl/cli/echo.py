"""Keeps what is typed off a terminal, also where the process is stopped in between and brought back."""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import BinaryIO


@contextmanager
def echo_off(terminal: BinaryIO | None, *, returned: Callable[[], None]) -> Iterator[None]:
    """What is typed at this terminal is not shown. A stream that is none is left alone, and so is Windows.

    `returned` is called whenever the process goes on after it was stopped, from a signal handler: in between, a shell
    has written on the same screen.
    """
    descriptor = _descriptor(terminal)
    if descriptor is None:
        yield
        return
    echo = _Echo(descriptor)

    def come_back(number: int, frame: FrameType | None) -> None:
        echo.off()
        returned()

    def stop(number: int, frame: FrameType | None) -> None:
        # Whoever has the terminal meanwhile finds it as it was.
        echo.on()
        signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        signal.raise_signal(signal.SIGTSTP)
        signal.signal(signal.SIGTSTP, stop)
        echo.off()

    before = {signal.SIGCONT: signal.signal(signal.SIGCONT, come_back)}
    if signal.getsignal(signal.SIGTSTP) == signal.SIG_DFL:  # else nobody can stop us
        before[signal.SIGTSTP] = signal.signal(signal.SIGTSTP, stop)
    try:
        echo.off()
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        echo.on()


def _descriptor(terminal: BinaryIO | None) -> int | None:
    if terminal is None or os.name == "nt":
        return None
    with suppress(OSError, ValueError):
        if os.isatty(terminal.fileno()):
            return terminal.fileno()
    return None


class _Echo:
    """The one thing that is changed at a terminal: who else changes something keeps it."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._is_off = False

    def off(self) -> None:
        if self._switched(on=False):
            self._is_off = True

    def on(self) -> None:
        if self._is_off:
            self._switched(on=True)
            self._is_off = False

    def _switched(self, *, on: bool) -> bool:
        """Switch it; False where it stood so, or the terminal is another's now: touching it would stop us."""
        import termios

        with suppress(termios.error):
            modes = termios.tcgetattr(self._descriptor)
            if bool(modes[3] & termios.ECHO) == on or not self._is_ours():
                return False
            modes[3] ^= termios.ECHO
            termios.tcsetattr(self._descriptor, termios.TCSANOW, modes)
            return True
        return False

    def _is_ours(self) -> bool:
        try:
            return os.tcgetpgrp(self._descriptor) == os.getpgrp()
        except OSError:  # not the terminal that controls us, which stops nobody
            return True
