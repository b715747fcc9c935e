"""The Idempotency-Keys of a batch, known before its first question is sent, so that no question is ever asked twice."""

import contextlib
import json
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from brainctl.cli.batch.input import Row
from brainctl.contract.errors import BrainError

if TYPE_CHECKING:
    from brainctl.cli.session import Session

RUN_BYTES: Final = 12


class BatchKeys:
    """A key for each row, by its place: made of one random word, which is kept until all rows are written.

    An unfinished run of the same rows hands on its word where its own rows went to the file `resume`, of which `marks`
    are those that `marks_of` gave. That file is made here, before anything is sent, so that one that is missing means a
    run of its own.
    """

    def __init__(
        self, session: "Session", rows: Sequence[Row], resume: str | None, marks: Sequence[str]
    ) -> None:
        self._paths: list[str] = []
        self._run = os.urandom(RUN_BYTES).hex()
        try:
            self._paths = paths = [_path(session, rows, mark) for mark in marks]
            handed_on = _newest(paths) if resume is not None and len(marks) > 1 else None
            if handed_on is not None:
                self._run = handed_on.run
            if handed_on is None or handed_on.path != paths[0]:
                _keep(paths[0], self._run, session.environment.now())
        except BrainError as error:
            session.output.warn(
                f"{error.message.rstrip('.')}. Should this be interrupted, a question that was sent may be asked again."
            )
        if resume is not None:
            _make(resume)

    def of(self, place: int) -> str:
        """The key of the row at this place, from 0."""
        return f"brainctl-{self._run}-{place + 1}"

    def finish(self) -> None:
        """All rows are written, each with its key."""
        for path in self._paths:
            with contextlib.suppress(OSError):
                os.unlink(path)


def marks_of(session: "Session", resume: str | None) -> list[str]:
    """What tells the file that the rows go to from others: its path, then its numbers where there is such a file.

    Where the shell opened it for us its numbers are all that is known. They are to be asked for before the file is
    touched, since one that is written anew has others.
    """
    if resume is None:
        try:
            stream = session.environment.stdout
            return [_numbers(os.fstat(stream.fileno()))] if stream is not None else [""]
        except (OSError, ValueError):
            return [""]
    marks = [os.path.realpath(resume)]
    with contextlib.suppress(OSError):
        marks.append(_numbers(os.stat(resume)))
    return marks


class _Kept(NamedTuple):
    at: float
    run: str
    path: str


def _path(session: "Session", rows: Sequence[Row], mark: str) -> str:
    """Where the word of a run of these rows is kept: runs at the same time, each into a file of its own, have one each."""
    import hashlib

    place = f"{session.address}\n{session.access.source}\n{mark}\n"
    digest = hashlib.sha256(place.encode("utf-8", "backslashreplace"))
    for row in rows:
        digest.update(json.dumps(row.request, sort_keys=True).encode() + b"\n")
    return os.path.join(session.state, "batches", f"{digest.hexdigest()}.json")


def _keep(path: str, run: str, at: float) -> None:
    from brainctl.profiles.files import write_atomically

    write_atomically(path, json.dumps({"run": run, "time": at}).encode())


def _newest(paths: Sequence[str]) -> _Kept | None:
    """The word that the last unfinished run has left: a file may have been written to in either way, one after the other."""
    return max(filter(None, map(_kept, paths)), default=None)


def _kept(path: str) -> _Kept | None:
    from brainctl.profiles.files import DamagedFileError, read_json

    try:
        kept = read_json(path) or {}
    except DamagedFileError:
        return None
    run, at = kept.get("run"), kept.get("time")
    if isinstance(run, str) and run.isalnum() and isinstance(at, int | float):
        return _Kept(at, run, path)
    return None


def _numbers(status: os.stat_result) -> str:
    return f"{status.st_dev} {status.st_ino}"


def _make(path: str) -> None:
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666))
    except OSError as error:
        raise BrainError("usage", f"{path} cannot be written: {error.strerror}; name another file.") from None
