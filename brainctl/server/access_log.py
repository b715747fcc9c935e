"""What is written of each request: who, what, how it went and how long it took; never what was said.

Lines of JSON, since programs read them. No secret, no body, no query and no text of a fact is in any of them.
"""

import json
import time
from collections.abc import Callable
from datetime import UTC, datetime
from threading import Lock
from traceback import extract_tb
from typing import Any, BinaryIO, Final

from brainctl.contract.keys import mask_secrets

_PATH_MOST: Final = 200
_MESSAGE_MOST: Final = 300


class Log:
    """Writes to one stream, whole lines from any thread. A stream that cannot be written to stops nobody."""

    def __init__(self, stream: BinaryIO | None, clock: Callable[[], float] = time.time) -> None:
        self._stream = stream
        self._clock = clock
        self._lock = Lock()

    def request(
        self,
        request_id: str,
        method: str,
        path: str,
        status: int | None,
        seconds: float,
        key_prefix: str | None,
        *,
        cut: bool = False,
    ) -> None:
        """One request that is over. No status: nobody was there to be answered. `cut`: the reply did not get to its end."""
        line: dict[str, Any] = {
            "request_id": request_id,
            "method": method,
            # Somebody may have put a key where it does not belong.
            "path": mask_secrets(path)[:_PATH_MOST],
            "status": status,
            "ms": round(seconds * 1000, 2),
        }
        if key_prefix is not None:
            line["key_prefix"] = key_prefix
        if cut:
            line["cut"] = True
        self._write(line)

    def fault(self, request_id: str, error: BaseException) -> None:
        """A fault of our own: what it was and where. Its message may hold anything, and is left out."""
        frames = extract_tb(error.__traceback__)
        where = [f"{_module(frame.filename)}:{frame.lineno} {frame.name}" for frame in frames]
        self._write({"request_id": request_id, "fault": type(error).__name__, "where": where})

    def note(self, message: str) -> None:
        """Something that an operator wants to know."""
        self._write({"note": mask_secrets(message)[:_MESSAGE_MOST]})

    def _write(self, line: dict[str, Any]) -> None:
        moment = datetime.fromtimestamp(self._clock(), UTC)
        whole = {"time": moment.isoformat(timespec="milliseconds").replace("+00:00", "Z"), **line}
        if self._stream is None:
            return
        # Escapes keep a line one line, whatever was in a path.
        data = json.dumps(whole).encode() + b"\n"
        with self._lock:
            try:
                self._stream.write(data)
                self._stream.flush()
            except (OSError, ValueError):
                self._stream = None


def _module(filename: str) -> str:
    return filename.replace("\\", "/").rpartition("/")[2]
