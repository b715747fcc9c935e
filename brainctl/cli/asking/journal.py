"""What this machine has asked: written before a request leaves, so that nothing asked is lost.

An append-only file of JSON lines. A line is written whole or, where the machine dies in the middle, not at all:
the next one starts on a line of its own, and a torn line is passed over.
"""

import contextlib
import json
import os
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

FILE: Final = "answers.jsonl"
COMPACT_BYTES: Final = 1024 * 1024
KEEP_FINISHED: Final = 200
"""How many finished answers stay when the file is made small again; they complete `wait` and nothing else."""


class Asked(NamedTuple):
    """A question of this machine, under `mark`: the brain's address and the profile, or the key of no profile.

    `answer_id` is None until a brain told it; till then only `idempotency_key` and `request`, sent with the key that
    begins with `key_prefix`, can find the answer.
    """

    mark: str
    answer_id: str | None = None
    key_prefix: str | None = None
    idempotency_key: str | None = None
    request: dict[str, Any] | None = None
    finished: bool = False


class Journal:
    """The answers that this machine asked for, newest last."""

    def __init__(self, folder: str) -> None:
        self._path = os.path.join(folder, FILE)

    def intend(
        self, mark: str, key_prefix: str, idempotency_key: str, request: Mapping[str, Any], at: float
    ) -> None:
        """Before a queued question is sent."""
        self._append(
            {
                "mark": mark,
                "key_prefix": key_prefix,
                "idempotency_key": idempotency_key,
                "request": dict(request),
                "time": at,
            }
        )

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
            mark = row.get("mark")
            answer_id, prefix, key = (
                _text(row.get(name)) for name in ("answer_id", "key_prefix", "idempotency_key")
            )
            name = key or answer_id
            if not isinstance(mark, str) or name is None:
                continue
            place = (mark, name)
            if answer_id is not None:
                # What was first known by its key is later spoken of by its answer's id.
                place = places.setdefault((mark, answer_id), place)
            request = row.get("request")
            asks = isinstance(request, dict) and answer_id is None
            # A key that is used again asks anew: what became of it before is over.
            before = (found.pop(place, None) if asks else found.get(place)) or Asked(mark)
            found[place] = Asked(
                mark,
                answer_id or before.answer_id,
                prefix or before.key_prefix,
                key or before.idempotency_key,
                request if isinstance(request, dict) else before.request,
                finished=bool(row.get("finished")) or (before.finished and not asks),
            )
        return list(found.values())

    def _rows(self) -> Iterator[dict[str, Any]]:
        try:
            with open(self._path, "rb") as file:
                raw = file.read()
        except OSError:
            return
        for line in raw.splitlines():
            with contextlib.suppress(ValueError, RecursionError):
                row = json.loads(line)
                if isinstance(row, dict):
                    yield row

    def _append(self, row: dict[str, Any]) -> None:
        from brainctl.profiles.files import append, file_error, locked, make_folders

        line = f"\n{json.dumps(row)}\n".encode()
        try:
            make_folders(os.path.dirname(self._path))
            with locked(self._path):
                self._compact()
                append(self._path, line, sync=True)
        except OSError as error:
            raise file_error(self._path, "written", error) from None

    def _compact(self) -> None:
        """Leave finished questions behind once the file has grown large."""
        try:
            if os.path.getsize(self._path) < COMPACT_BYTES:
                return
        except OSError:
            return
        from brainctl.profiles.files import write_atomically
        from brainctl.profiles.leftovers import sweep_leftovers

        sweep_leftovers(self._path)
        everything = self._all()
        finished = [each for each in everything if each.finished][-KEEP_FINISHED:]
        kept = [each for each in everything if not each.finished or each in finished]
        write_atomically(self._path, "".join(f"{json.dumps(_row(each))}\n" for each in kept).encode())


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _row(asked: Asked) -> dict[str, Any]:
    """All that is still needed of a question; once its answer's id is known, that is not the question itself."""
    row = {name: value for name, value in asked._asdict().items() if value}
    if asked.answer_id is not None or asked.finished:
        row.pop("request", None)
    return row
