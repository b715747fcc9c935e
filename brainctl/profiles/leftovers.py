"""What a killed process has left beside a file of ours: copies that were never put in its place."""

import os
import re
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Final

LEFT_SECONDS: Final = 3600.0
"""A copy this old is nobody's work any more: a write takes milliseconds."""


def sweep_leftovers(path: str, clock: Callable[[], float] = time.time) -> None:
    """Delete what killed writes of `path` left in its folder. Call it under the file's lock. Never raises.

    A link is passed over: its target's folder is not ours to clean.
    """
    folder, name = os.path.split(path)
    if os.path.islink(path):
        return
    with suppress(OSError):
        for each in os.listdir(folder):
            if re.fullmatch(re.escape(name) + r"\.[0-9a-f]{12}\.tmp", each):
                left = os.path.join(folder, each)
                with suppress(OSError):
                    if clock() - os.lstat(left).st_mtime > LEFT_SECONDS:
                        os.unlink(left)
