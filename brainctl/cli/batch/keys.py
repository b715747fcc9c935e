"""The Idempotency-Keys of a batch, known before its first question is sent, so that no question is ever asked twice."""

import contextlib
import json
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from brainctl.cli.batch.input import Row
from brainctl.contract.errors import BrainError

if TYPE_CHECKING:
    from brainctl.cli.session import Session

RUN_BYTES: Final = 12


class BatchKeys:
    """A key for each row, by its place: made of one random word, which is kept until all rows are written.

    An unfinished run of the same rows hands on its word where `resume` is the file that its own rows went to. That file
    is made here, before anything is sent, so that one that is missing means a run of its own.
    """

    def __init__(self, session: "Session", rows: Sequence[Row], resume: str | None) -> None:
        self._path: str | None = None
        self._run = os.urandom(RUN_BYTES).hex()
        try:
            self._path = path = _path(session, rows)
            handed_on = _kept(path, resume) if resume is not None else None
            if handed_on is not None:
                self._run = handed_on
            else:
                from brainctl.profiles.files import write_atomically

                kept = {"run": self._run, "output": _identity(session, resume)}
                write_atomically(path, json.dumps(kept).encode())
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
        if self._path is not None:
            with contextlib.suppress(OSError):
                os.unlink(self._path)


def _path(session: "Session", rows: Sequence[Row]) -> str:
    import hashlib

    digest = hashlib.sha256(f"{session.address}\n{session.access.source}\n".encode())
    for row in rows:
        digest.update(json.dumps(row.request, sort_keys=True).encode() + b"\n")
    return os.path.join(session.state, "batches", f"{digest.hexdigest()}.json")


def _kept(path: str, resume: str) -> str | None:
    """The word of an unfinished run whose rows went to the file `resume`."""
    from brainctl.profiles.files import DamagedFileError, read_json

    try:
        kept = read_json(path) or {}
    except DamagedFileError:
        return None
    run = kept.get("run")
    try:
        is_its_own = kept.get("output") in (os.path.realpath(resume), _numbers(os.stat(resume)))
    except OSError:
        return None
    return run if is_its_own and isinstance(run, str) and run.isalnum() else None


def _identity(session: "Session", resume: str | None) -> str | list[int] | None:
    """What tells the file that the rows go to from others: its path, or its numbers where the shell opened it for us."""
    if resume is not None:
        return os.path.realpath(resume)
    try:
        stream = session.environment.stdout
        return _numbers(os.fstat(stream.fileno())) if stream is not None else None
    except (OSError, ValueError):
        return None


def _numbers(status: os.stat_result) -> list[int]:
    return [status.st_dev, status.st_ino]


def _make(path: str) -> None:
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666))
    except OSError as error:
        raise BrainError("usage", f"{path} cannot be written: {error.strerror}; name another file.") from None
