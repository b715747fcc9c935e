"""A key that a command prints, such as a password manager's: run at each use, never stored."""

import os
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import IO, Final

from brainctl.contract.errors import BrainError
from brainctl.contract.keys import label_of, mask_secrets
from brainctl.profiles.key_text import clean_secret

LIMIT_SECONDS: Final = 10.0
OUTPUT_MAX: Final = 64 * 1024


def parse_command(text: str, *, has_escapes: bool = os.name != "nt") -> tuple[str, ...]:
    """The words of a command line, split as a shell would; nothing is expanded. Raises `BrainError` (`usage`).

    On Windows a backslash escapes nothing: it stands in paths.
    """
    import shlex

    reading = shlex.shlex(text, posix=True, punctuation_chars=False)
    reading.whitespace_split = True
    reading.commenters = ""
    if not has_escapes:
        reading.escape = ""
    try:
        words = tuple(reading)
    except ValueError:
        words = ()
    if not words or not words[0] or "\0" in text:
        raise BrainError(
            "usage", "The key command cannot be used: it is empty, or a quotation mark in it is not closed."
        )
    if any(label_of(word) for word in words):
        raise BrainError(
            "usage",
            "The key command holds a key itself: give a command that prints the key, such as `pass show NAME`.",
        )
    return words


def run_key_command(
    words: Sequence[str], limit: float = LIMIT_SECONDS, clock: Callable[[], float] = time.monotonic
) -> str:
    """The secret that the command prints. No shell, no input, its standard error goes to the user.

    Raises `BrainError` (`no_key`) with no more of the command than its first word, and nothing of what it printed.
    """
    import subprocess
    import threading

    give_up = clock() + limit
    name = f"The key command `{mask_secrets(words[0])}`"
    try:
        # S603: the command is the user's own, and no shell reads it.
        process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)  # noqa: S603
    except (OSError, ValueError):
        raise _failed(f"{name} could not be started: is it installed, and on the PATH?") from None

    printed: list[bytes] = []

    def read(stream: IO[bytes]) -> None:
        with stream:
            printed.append(stream.read(OUTPUT_MAX + 1))

    assert process.stdout is not None
    reader = threading.Thread(target=read, args=(process.stdout,), daemon=True)
    reader.start()
    status = None
    try:
        reader.join(limit)
        if printed and len(printed[0]) <= OUTPUT_MAX:
            # It may close its output and live on.
            with suppress(subprocess.TimeoutExpired):
                status = process.wait(max(0.0, give_up - clock()))
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
    if printed and len(printed[0]) > OUTPUT_MAX:
        raise _failed(f"{name} printed more than {OUTPUT_MAX // 1024} KiB, which is no key.")
    if status is None:
        raise _failed(f"{name} was not done after {limit:g} s and was ended.")
    if status != 0:
        raise _failed(f"{name} failed with status {status}.")
    return clean_secret(printed[0], f"What {name[0].lower()}{name[1:]} printed", "no_key")


def _failed(sentence: str) -> BrainError:
    return BrainError("no_key", f"{sentence} Run it by hand to see what it prints.")
