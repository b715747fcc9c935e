"""The files that a teaching leaves behind where it is told to: what came of each fact, and the facts to try again."""

import json
import os
from collections.abc import Sequence
from types import TracebackType
from typing import Any, Final, NamedTuple, Self

from brainctl.cli.teaching.fact_sources import Fact
from brainctl.contract.errors import BrainError
from brainctl.contract.keys import mask_secrets
from brainctl.contract.replies import COUNTERS, TeachReply

REJECTED_SUFFIXES: Final = (".jsonl", ".ndjson")


class Call(NamedTuple):
    """What came of some facts. `number` counts the calls from 1 and is None for facts that were never sent; `reply` is
    what the brain said of the whole call; with an `error` they were not accepted.
    """

    number: int | None
    facts: Sequence[Fact]
    reply: TeachReply | None = None
    error: BrainError | None = None


class TeachingFiles:
    """Writes the report, a row a fact, and the facts that were not accepted, as JSON lines for `--file`; a path of None
    is a file that nobody asked for.

    Nothing is opened before there is something to write, or `begin`. Raises `usage` for paths that cannot be meant, or
    written; `fault` for a disk that is full. Leaving the context closes both.
    """

    def __init__(self, report: str | None, rejected: str | None, inputs: Sequence[str]) -> None:
        self._report = _Lines(report) if report is not None else None
        self._rejected = _Lines(rejected) if rejected is not None else None
        self.keeps_rejected = rejected is not None
        self.is_asked_for = report is not None or rejected is not None
        if rejected is not None and not rejected.lower().endswith(REJECTED_SUFFIXES):
            raise BrainError(
                "usage",
                f"--rejected writes JSON lines, and --file reads them from a name that ends in .jsonl; got {rejected!r}.",
            )
        _refuse_the_same("--report", report, [*inputs, *([rejected] if rejected is not None else [])])
        _refuse_the_same("--rejected", rejected, inputs)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for lines in (self._report, self._rejected):
            if lines is not None:
                lines.close()

    def begin(self) -> None:
        """Everything was found good: start both files, before the first fact is sent."""
        for lines in (self._report, self._rejected):
            if lines is not None:
                lines.open()

    def refuse(self, source: str, line: int, problem: str) -> None:
        """A line that cannot be taught, so that nothing is."""
        if self._report is not None:
            error = {"code": "validation_error", "message": problem}
            self._report.write([{"source": source, "line": line, "call": None, "error": error}])

    def add(self, call: Call) -> None:
        """What came of the facts of one call."""
        if self._report is not None:
            self._report.write([_row(call, fact) for fact in call.facts])
        if self._rejected is not None and call.error is not None:
            self._rejected.write([{"text": fact.text} for fact in call.facts])


class _Lines:
    """A file of JSON lines, written a call at a time, so that what is there can be read whenever this ends."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._descriptor: int | None = None

    def open(self) -> int:
        if self._descriptor is None:
            try:
                flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0)
                self._descriptor = os.open(self._path, flags, 0o666)
            except OSError as error:
                raise BrainError(
                    "usage", f"{self._path} cannot be written: {error.strerror}; name another file."
                ) from None
        return self._descriptor

    def write(self, rows: Sequence[dict[str, Any]]) -> None:
        from brainctl.profiles.files import write_all

        data = "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows).encode(
            "utf-8", "backslashreplace"
        )
        descriptor = self.open()
        try:
            write_all(descriptor, data)
        except OSError as error:
            raise BrainError(
                "fault", f"{self._path} cannot be written: {error.strerror}; make room, and run again."
            ) from None

    def close(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def _row(call: Call, fact: Fact) -> dict[str, Any]:
    import hashlib

    row: dict[str, Any] = {
        "source": fact.source,
        "line": fact.line,
        "sha256": hashlib.sha256(fact.text.encode()).hexdigest(),
        "call": call.number,
    }
    if call.reply is not None:
        row |= {name: call.reply.get(name, 0) for name in COUNTERS}
    if call.error is not None:
        row |= json.loads(mask_secrets(json.dumps(call.error.report())))
    return row


def _refuse_the_same(option: str, path: str | None, others: Sequence[str]) -> None:
    """Raises `usage` where writing a file would destroy one that is still needed."""
    for other in others:
        if path is None or other == "-":
            continue
        try:
            is_same = os.path.samefile(path, other)
        except OSError:
            is_same = os.path.abspath(path) == os.path.abspath(other)
        if is_same:
            raise BrainError("usage", f"{option} {path} is also a file that this command uses: name another.")
