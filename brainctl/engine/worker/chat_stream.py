"""The chunks of a streamed chat completion, read from bytes as they come."""

import json
from collections.abc import Iterable, Iterator
from typing import Any, Final

from brainctl.engine.worker.worker import WorkerError

BYTES_MAX: Final = 16 * 1024 * 1024
"""The most that one reply may send. A word costs a few hundred bytes of its chunk, so this is a long answer."""
LINE_MAX: Final = 1024 * 1024


def chunks(parts: Iterable[bytes]) -> Iterator[dict[str, Any]]:
    """The JSON objects of a reply up to `[DONE]` or the end. Raises `WorkerError` for what is none, or never ends."""
    for line in _lines(parts):
        field, _, value = line.partition(b":")
        if field != b"data":
            # Event names, ids, comments that keep the line open.
            continue
        value = value.strip()
        if value == b"[DONE]":
            return
        if not value:
            continue
        try:
            chunk = json.loads(value)
        except (ValueError, RecursionError):
            chunk = None
        if not isinstance(chunk, dict):
            raise WorkerError("the model's server sent a chunk that is no JSON object")
        yield chunk


def _lines(parts: Iterable[bytes]) -> Iterator[bytes]:
    """The lines that are complete, by LF, CR LF or CR; servers put one chunk on one line."""
    rest = b""
    total = 0
    for part in parts:
        total += len(part)
        # A CR LF cut in two gives an empty line, which means nothing here.
        *lines, rest = (rest + part).replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        if total > BYTES_MAX or len(rest) > LINE_MAX:
            raise WorkerError("the model's server sent more than any answer needs")
        yield from lines
    if rest:
        yield rest
