"""Where the rows of a batch go: to standard output, or behind those of an earlier run in its file."""

import contextlib
import errno
import json
import os
from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from brainctl.cli.batch.input import Row
from brainctl.cli.sanitise import json_text
from brainctl.contract.errors import BrainError

if TYPE_CHECKING:
    from brainctl.cli.output import Output
    from brainctl.cli.session import Session


class Todo(NamedTuple):
    """A row that has no answer yet: its place among all rows, from 0, and the Idempotency-Key it was asked with, if any."""

    place: int
    row: Row
    key: str | None = None


class Rows(Protocol):
    """A place for the rows of a batch."""

    def todo(self, rows: Sequence[Row]) -> list[Todo]:
        """Those of the rows that are to be asked."""

    def write(self, row: Mapping[str, Any]) -> None: ...

    def finish(self, rows: Sequence[Row]) -> None:
        """All rows have been written."""


class Printed:
    """Rows on standard output."""

    def __init__(self, output: "Output") -> None:
        self._output = output

    def todo(self, rows: Sequence[Row]) -> list[Todo]:
        return [Todo(place, row) for place, row in enumerate(rows)]

    def write(self, row: Mapping[str, Any]) -> None:
        self._output.json_line(row)

    def finish(self, rows: Sequence[Row]) -> None:
        """Nothing is left to do."""


class Resumed:
    """Rows in the file of an earlier run, which need not exist yet. What has an answer there is not asked again.

    Rows without one are taken out and asked anew, under the same Idempotency-Key if it may still bring the answer; at
    the end the rows stand in the order of the input. Raises `usage` for a file that no batch wrote, and changes nothing.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        lines = _lines(path)
        self._answered = [line for line in lines if _is_answered(line.row)]
        self._keys: dict[str, deque[str]] = {}
        for line in lines:
            if not _is_answered(line.row) and (key := _key_to_use_again(line.row)) is not None:
                self._keys.setdefault(_mark(line.row["request"]), deque()).append(key)
        self._replace(self._answered)

    def todo(self, rows: Sequence[Row]) -> list[Todo]:
        answered = Counter(_mark(line.row["request"]) for line in self._answered)
        found = []
        for place, row in enumerate(rows):
            mark = _mark(row.request)
            if answered[mark]:
                answered[mark] -= 1
                continue
            keys = self._keys.get(mark)
            found.append(Todo(place, row, keys.popleft() if keys else None))
        return found

    def write(self, row: Mapping[str, Any]) -> None:
        from brainctl.profiles.files import append

        text = json_text(json.dumps(row, ensure_ascii=False, separators=(",", ":")))
        data = f"{text}\n".encode("utf-8", "backslashreplace")
        try:
            append(self._path, data, 0o666)
        except OSError as error:
            raise _unwritable(self._path, error) from None

    def finish(self, rows: Sequence[Row]) -> None:
        lines = _lines(self._path)
        by_mark: dict[str, deque[_Line]] = {}
        for line in lines:
            by_mark.setdefault(_mark(line.row["request"]), deque()).append(line)
        in_order = []
        for row in rows:
            waiting = by_mark.get(_mark(row.request))
            if waiting:
                in_order.append(waiting.popleft())
        # What the input no longer holds was answered all the same.
        others = [line for left in by_mark.values() for line in left]
        self._replace(others + in_order)

    def _replace(self, lines: "Sequence[_Line]") -> None:
        """Make these the file's lines, at once or not at all."""
        from brainctl.profiles.files import read_bytes, write_atomically

        data = b"".join(line.data for line in lines)
        if (read_bytes(self._path) or b"") == data:
            return
        mode = os.stat(self._path).st_mode & 0o777
        write_atomically(self._path, data)
        with contextlib.suppress(OSError):
            os.chmod(self._path, mode)


@contextlib.contextmanager
def rows_of(session: "Session", resume: str | None) -> Iterator[Rows]:
    """The place for the rows: the file named, held against every other batch, or standard output."""
    if resume is None:
        yield Printed(session.output)
        return
    _check_file(resume)
    with contextlib.ExitStack() as stack:
        _hold(session, resume, stack)
        yield Resumed(resume)


def _check_file(path: str) -> None:
    """Raises `usage` where rows cannot go, before anything is asked: a pipe would be waited for without end."""
    folder = os.path.dirname(path) or os.curdir
    if os.path.exists(path) and not os.path.isfile(path):
        raise BrainError("usage", f"{path} is no file that rows can be kept in: name one.")
    if not os.path.isdir(folder):
        raise BrainError("usage", f"{path} cannot be written: there is no folder {folder}.")


class _Line(NamedTuple):
    data: bytes
    row: dict[str, Any]


def _lines(path: str) -> list[_Line]:
    """The whole lines of a file; what a crash left half written at its end is none."""
    from brainctl.profiles.files import read_bytes

    try:
        lines = (read_bytes(path) or b"").split(b"\n")
    except BrainError as error:
        raise BrainError(
            error.code, f"{path} cannot be read: check its permissions, or name another file."
        ) from None
    found = []
    for number, data in enumerate(lines[:-1], start=1):
        try:
            row = json.loads(data)
        except (ValueError, RecursionError):
            row = None
        if (
            not isinstance(row, dict)
            or not isinstance(row.get("request"), dict)
            or not row.keys() & {"data", "error"}
        ):
            raise BrainError(
                "usage", f"{path}:{number} is no row of a batch's output: name a file that --batch wrote."
            )
        found.append(_Line(data + b"\n", row))
    return found


def _is_answered(row: Mapping[str, Any]) -> bool:
    data = row.get("data")
    return "error" not in row and not (isinstance(data, dict) and data.get("wait_timed_out"))


def _key_to_use_again(row: Mapping[str, Any]) -> str | None:
    """The row's Idempotency-Key, unless it stands for an answer that failed, or for another question."""
    key, error = row.get("idempotency_key"), row.get("error")
    if isinstance(error, dict):
        details = error.get("details")
        if (isinstance(details, dict) and "answer_id" in details) or error.get(
            "code"
        ) == "idempotency_key_reused":
            return None
    return key if isinstance(key, str) else None


def _mark(request: Mapping[str, Any]) -> str:
    return json.dumps(request, sort_keys=True)


def _hold(session: "Session", path: str, stack: contextlib.ExitStack) -> None:
    """Keep every other batch out of this file. Raises `usage` where one is at work in it."""
    import hashlib

    from brainctl.profiles.files import locked

    try:
        name = hashlib.sha256(os.path.realpath(path).encode("utf-8", "backslashreplace")).hexdigest()
        stack.enter_context(locked(os.path.join(session.state, "batches", name[:32]), timeout=0))
    except BrainError as error:
        # Where no lock can be made there is none, as on a read-only home.
        if error.code == "fault":
            raise BrainError(
                "usage", f"{path} is being written by another batch: wait for it, or name another file."
            ) from None


def _unwritable(path: str, error: OSError) -> BrainError:
    if error.errno in {errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOENT, errno.ENOTDIR, errno.EISDIR}:
        return BrainError("usage", f"{path} cannot be written: {error.strerror}; name another file.")
    return BrainError("unwritable", f"{path} cannot be written: {error.strerror}; make room.")
