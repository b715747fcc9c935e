"""How far a teaching got, kept by what is taught, so that an interrupted run goes on where it stopped."""

import contextlib
import json
import os
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, cast

from brainctl.contract.errors import BrainError
from brainctl.contract.keys import mask_secrets
from brainctl.contract.replies import COUNTERS, TeachReply


class Entry(NamedTuple):
    """A call that is done with: its `facts` begin after the first `first` ones; the brain replied, or refused it."""

    first: int
    facts: int
    reply: TeachReply | None
    error: BrainError | None


def nothing() -> TeachReply:
    return cast("TeachReply", dict.fromkeys(COUNTERS, 0))


def added(total: Mapping[str, Any], reply: Mapping[str, Any]) -> TeachReply:
    """Both replies' counters together."""
    return cast("TeachReply", {name: total[name] + reply[name] for name in COUNTERS})


class Ledger:
    """One file a teaching, named by a digest of the brain, the key and every fact in order.

    A line is appended after each call and the file is deleted at the end. What a crash leaves half written is passed
    over, since repeating a call is harmless; and every line says where its facts begin, so that nothing is taken for
    taught because a line is torn, or because two runs wrote in the same file.
    """

    def __init__(self, folder: str, digest: str) -> None:
        self._path = os.path.join(folder, f"{digest}.jsonl")

    def entries(self) -> Iterator[Entry]:
        """The calls that were done before, in order and without a gap; none where this was never begun or was finished."""
        done = 0
        try:
            with open(self._path, "rb") as file:
                for line in file:
                    entry = _entry(line)
                    if entry is not None and entry.first == done and entry.facts > 0:
                        done += entry.facts
                        yield entry
        except OSError:
            return

    def add(self, entry: Entry) -> None:
        """Write down that a call is done with. Raises `BrainError` where the file cannot be written."""
        from brainctl.profiles.files import append, file_error, make_folders

        # A line of its own, whatever a crash left before it.
        line = f"\n{mask_secrets(json.dumps(_row(entry)))}\n".encode()
        try:
            make_folders(os.path.dirname(self._path))
            append(self._path, line)
        except OSError as error:
            raise file_error(self._path, "written", error) from None

    def finish(self) -> None:
        """Forget the teaching: it is done."""
        # Where it was never written, a file system that cannot be written to refuses in words of its own.
        with contextlib.suppress(OSError):
            os.unlink(self._path)


def _row(entry: Entry) -> dict[str, Any]:
    row: dict[str, Any] = {"first": entry.first, "facts": entry.facts}
    if entry.reply is not None:
        row["reply"] = {name: entry.reply.get(name, 0) for name in COUNTERS}
    if entry.error is not None:
        row |= entry.error.report()
    return row


def _entry(line: bytes) -> Entry | None:
    """The entry of a line; None where it is torn."""
    try:
        row = json.loads(line)
        reply, error = row.get("reply"), row.get("error")
        return Entry(
            int(row["first"]),
            int(row["facts"]),
            _counters(reply) if reply is not None else None,
            BrainError(
                str(error["code"]),
                str(error["message"]),
                details=error.get("details"),
                http_status=error.get("http_status"),
                request_id=error.get("request_id"),
            )
            if error is not None
            else None,
        )
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
        return None


def _counters(reply: Mapping[str, Any]) -> TeachReply:
    return cast("TeachReply", {name: int(reply[name]) for name in COUNTERS})
