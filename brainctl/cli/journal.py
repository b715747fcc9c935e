"""What this machine has asked: written before a request leaves, so that nothing asked is lost.

An append-only file of JSON lines. A line is written whole or, where the machine dies in the middle, not at all:
the next one starts on a line of its own, and a torn line is passed over.
"""

import contextlib
import json
import os
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from brainctl.contract.errors import BrainError

FILE: Final = "answers.jsonl"
COMPACT_BYTES: Final = 1024 * 1024
KEEP_FINISHED: Final = 200
"""How many finished answers stay when the file is made small again; they complete `wait` and nothing else."""


class Asked(NamedTuple):
    """A question of this machine, under `mark`: the brain's address and the key's source.

    `answer_id` is None until a brain told it; then only `idempotency_key` and `request` can find the answer.
    """

    mark: str
    answer_id: str | None
    idempotency_key: str | None
    request: dict[str, Any] | None
    finished: bool


class Journal:
    """The answers that this machine asked for, newest last."""

    def __init__(self, folder: str) -> None:
        self._path = os.path.join(folder, FILE)

    def intend(self, mark: str, idempotency_key: str, request: Mapping[str, Any], at: float) -> None:
        """Before a queued question is sent."""
        self._append({"mark": mark, "idempotency_key": idempotency_key, "request": dict(request), "time": at})

    def learn(self, mark: str, answer_id: str, idempotency_key: str | None, at: float) -> None:
        """As soon as an answer's id is known."""
        row = {"mark": mark, "answer_id": answer_id, "time": at}
        if idempotency_key is not None:
            row["idempotency_key"] = idempotency_key
        self._append(row)

    def finish(self, mark: str, *, answer_id: str | None = None, idempotency_key: str | None = None) -> None:
        """Once an answer was seen finished, or a question was refused and there is nothing to come."""
        row: dict[str, Any] = {"mark": mark, "finished": True}
        if answer_id is not None:
            row["answer_id"] = answer_id
        if idempotency_key is not None:
            row["idempotency_key"] = idempotency_key
        self._append(row)

    def newest_open(self, mark: str) -> Asked | None:
        """The newest question under this mark that was not seen finished."""
        return next((each for each in reversed(self._all()) if each.mark == mark and not each.finished), None)

    def _all(self) -> list[Asked]:
        """Every question in the order it was first asked, with all that was learnt of it."""
        found: dict[tuple[str, str], Asked] = {}
        places: dict[tuple[str, str], tuple[str, str]] = {}
        for row in self._rows():
            mark, answer_id, key = row.get("mark"), row.get("answer_id"), row.get("idempotency_key")
            name = key or answer_id
            if not isinstance(mark, str) or not isinstance(name, str):
                continue
            place = (mark, name)
            if isinstance(answer_id, str):
                # What was first known by its key is later spoken of by its answer's id.
                place = places.setdefault((mark, answer_id), place)
            before = found.get(place) or Asked(mark, None, None, None, finished=False)
            found[place] = Asked(
                mark,
                answer_id or before.answer_id,
                key or before.idempotency_key,
                row.get("request") or before.request,
                finished=before.finished or bool(row.get("finished")),
            )
        return list(found.values())

    def _rows(self) -> Iterator[dict[str, Any]]:
        try:
            with open(self._path, "rb") as file:
                raw = file.read()
        except OSError:
            return
        for line in raw.splitlines():
            with contextlib.suppress(ValueError):
                row = json.loads(line)
                if isinstance(row, dict):
                    yield row

    def _append(self, row: dict[str, Any]) -> None:
        from brainctl.profiles.files import locked, make_folders

        line = f"\n{json.dumps(row)}\n".encode()
        try:
            make_folders(os.path.dirname(self._path))
            with locked(self._path):
                self._compact()
                number = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
                try:
                    os.write(number, line)
                    os.fsync(number)
                finally:
                    os.close(number)
        except OSError as error:
            raise BrainError(
                "fault",
                f"The journal of answers {self._path} cannot be written ({error.strerror}), so nothing was asked "
                "that could be lost: free some space, or move it with BRAINCTL_HOME.",
            ) from error

    def _compact(self) -> None:
        """Leave finished questions behind once the file has grown large."""
        try:
            if os.path.getsize(self._path) < COMPACT_BYTES:
                return
        except OSError:
            return
        from brainctl.profiles.files import write_atomically

        everything = self._all()
        finished = [each for each in everything if each.finished][-KEEP_FINISHED:]
        kept = [each for each in everything if not each.finished or each in finished]
        lines = (
            json.dumps({name: value for name, value in each._asdict().items() if value}) for each in kept
        )
        write_atomically(self._path, ("\n".join(lines) + "\n").encode())
