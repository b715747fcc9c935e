"""How far a teaching got, kept by what is taught, so that an interrupted run goes on where it stopped."""

import contextlib
import json
import os
from typing import Final, NamedTuple

from brainctl.contract.replies import TeachReply

COUNTERS: Final = tuple(TeachReply.__annotations__)


class Progress(NamedTuple):
    """How many facts were sent and accepted, and what came of them."""

    sent: int
    reply: TeachReply


def nothing() -> TeachReply:
    return {"accepted_fact_count": 0, "created": 0, "superseded": 0, "skipped": 0}


def added(total: TeachReply, reply: TeachReply) -> TeachReply:
    """Both replies' counters together."""
    return {
        "accepted_fact_count": total["accepted_fact_count"] + reply["accepted_fact_count"],
        "created": total["created"] + reply["created"],
        "superseded": total["superseded"] + reply["superseded"],
        "skipped": total["skipped"] + reply["skipped"],
    }


class Ledger:
    """One file a teaching, named by a digest of the brain, the key and every fact in order.

    A line is appended after each accepted call and the file is deleted at the end; what a crash leaves half
    written is passed over, since repeating a call is harmless.
    """

    def __init__(self, folder: str, digest: str) -> None:
        self._path = os.path.join(folder, f"{digest}.jsonl")

    def progress(self) -> Progress:
        """What was accepted before; nothing where this was never begun or was finished."""
        sent, total = 0, nothing()
        try:
            with open(self._path, "rb") as file:
                raw = file.read()
        except OSError:
            return Progress(0, total)
        for line in raw.splitlines():
            try:
                row = json.loads(line)
                reply: TeachReply = row["reply"]
                total = added(total, reply)
                sent += int(row["facts"])
            except (ValueError, KeyError, TypeError):
                break
        return Progress(sent, total)

    def accept(self, facts: int, reply: TeachReply) -> None:
        """Write down that a call of so many facts was accepted. Raises `BrainError` where the file cannot be written."""
        from brainctl.profiles.files import file_error, make_folders

        line = json.dumps({"facts": facts, "reply": {name: reply.get(name, 0) for name in COUNTERS}}) + "\n"
        try:
            make_folders(os.path.dirname(self._path))
            number = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            try:
                os.write(number, line.encode())
            finally:
                os.close(number)
        except OSError as error:
            raise file_error(self._path, "written", error) from None

    def finish(self) -> None:
        """Forget the teaching: it is done."""
        # Where it was never written, a file system that cannot be written to refuses in words of its own.
        with contextlib.suppress(OSError):
            os.unlink(self._path)
