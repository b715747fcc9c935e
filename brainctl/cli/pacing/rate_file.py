"""The slots of a key, in a file that all processes of this machine share.

Losing it costs a refusal that is waited out; so it is written in place, without waiting for the disk, and a damaged
one is begun anew. Times are of the monotonic clock, which all processes share and nobody sets.
"""

import json
import os
import threading
import time
from collections.abc import Callable
from typing import TypeVar

from brainctl.cli.pacing.rate_slots import Slots
from brainctl.contract.errors import BrainError

T = TypeVar("T")


def path_for(folder: str, address: str, secret: str) -> str:
    """The file for a key at an address. Its name tells nothing of the key."""
    import hashlib

    mark = f"{address}\n{secret}".encode("utf-8", "backslashreplace")
    return os.path.join(folder, f"{hashlib.sha256(mark).hexdigest()[:32]}.json")


class SharedSlots:
    """Changes the slots in the file at `path` under its lock; those of this process alone where there can be no file."""

    def __init__(self, path: str | None, clock: Callable[[], float] = time.monotonic) -> None:
        self._path = path
        self._clock = clock
        self._own = Slots()
        self._lock = threading.Lock()

    def change(self, action: Callable[[Slots, float], T]) -> T:
        """What the action returns; it is handed the slots and the time."""
        if self._path is not None:
            try:
                return self._change_file(self._path, action)
            except (OSError, BrainError):
                # A home that cannot be written to: pacing is a kindness, and never in the way.
                self._path = None
        with self._lock:
            return action(self._own, self._clock())

    def _change_file(self, path: str, action: Callable[[Slots, float], T]) -> T:
        from brainctl.profiles.files import locked

        with locked(path):
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600)
            try:
                # After the lock: whoever held it before has written an earlier time.
                now = self._clock()
                slots = _read(descriptor, now)
                result = action(slots, now)
                _write(descriptor, slots, now)
            finally:
                os.close(descriptor)
        return result


def _read(descriptor: int, now: float) -> Slots:
    parts = []
    while part := os.read(descriptor, 65536):
        parts.append(part)
    try:
        # Only the first line counts: a process may have died before it cut off what an earlier one wrote behind.
        return Slots.read(json.loads(b"".join(parts).partition(b"\n")[0]), now)
    except (ValueError, TypeError, KeyError, RecursionError, OverflowError):
        return Slots()


def _write(descriptor: int, slots: Slots, now: float) -> None:
    line = json.dumps(slots.document(now), separators=(",", ":")).encode() + b"\n"
    os.lseek(descriptor, 0, os.SEEK_SET)
    os.ftruncate(descriptor, os.write(descriptor, line))
