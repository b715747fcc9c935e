"""The chunks of a streamed chat completion, read from bytes as they come."""

import json
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any, Final

from brainctl.engine.worker.worker import WorkerError

BYTES_MAX: Final = 8 * 1024 * 1024
"""The most that one reply may send. A word costs a few hundred bytes of its chunk, so this is a long answer."""
LINE_MAX: Final = 1024 * 1024

_MANY_BYTES: Final = 8 * 1024
"""What comes at once from a model that floods; one that thinks sends a chunk or a few."""
_PAUSES: Final = 3.0
_reading = Lock()


def chunks(parts: Iterable[bytes]) -> Iterator[list[dict[str, Any]]]:
    """The JSON objects of a reply as they come, those of a moment together, up to `[DONE]` or the end.

    Raises `WorkerError` for what is none, or never ends.
    """
    for lines in _lines(parts):
        found: list[dict[str, Any]] = []
        is_done = False
        with _in_turn(sum(map(len, lines))):
            for line in lines:
                field, _, value = line.partition(b":")
                value = value.strip()
                # Event names, ids, comments that keep the line open.
                if field != b"data" or not value:
                    continue
                if is_done := value == b"[DONE]":
                    break
                found.append(_chunk(value))
        if found:
            yield found
        if is_done:
            return


def _chunk(value: bytes) -> dict[str, Any]:
    try:
        chunk = json.loads(value)
    except (ValueError, RecursionError):
        chunk = None
    if not isinstance(chunk, dict):
        raise WorkerError("the model's server sent a chunk that is no JSON object")
    return chunk


@contextmanager
def _in_turn(size: int) -> Iterator[None]:
    """Read much at once when nobody else does, and then rest: however many models flood, most of the time is others'."""
    if size < _MANY_BYTES:
        yield
        return
    with _reading:
        started = time.thread_time()
        yield
        time.sleep(_PAUSES * (time.thread_time() - started))


def _lines(parts: Iterable[bytes]) -> Iterator[list[bytes]]:
    """The lines that are complete, by LF, CR LF or CR; servers put one chunk on one line."""
    rest: list[bytes] = []
    waiting = total = 0
    for part in parts:
        total += len(part)
        # A CR LF cut in two gives an empty line, which means nothing here.
        *lines, last = part.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        if lines:
            lines[0] = b"".join([*rest, lines[0]])
            rest, waiting = [], 0
        rest.append(last)
        waiting += len(last)
        if total > BYTES_MAX or waiting > LINE_MAX:
            raise WorkerError("the model's server sent more than any answer needs")
        if lines:
            yield lines
    if waiting:
        yield [b"".join(rest)]
