"""Many requests in one run: each row comes out with its request and what came of it, in the order of the input."""

import gc
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import typer

from brainctl.cli import exits
from brainctl.cli.batch.input import Kind, Row, read_batch
from brainctl.cli.batch.output import Rows, Todo, rows_of
from brainctl.cli.exits import LASTING
from brainctl.cli.session import Interruption
from brainctl.contract.errors import BrainError
from brainctl.contract.keys import mask_secrets

if TYPE_CHECKING:
    from brainctl.cli.session import Session


class Outcome(NamedTuple):
    """What came of a row: its `data`, or an `error`. `key` is its Idempotency-Key; `put_out` is called once it is written."""

    data: Mapping[str, Any] | None
    error: BrainError | None = None
    key: str | None = None
    is_out_of_time: bool = False
    put_out: Callable[[], None] | None = None

    def row(self, request: Mapping[str, Any]) -> dict[str, Any]:
        row: dict[str, Any] = {"request": request}
        if self.key is not None:
            row["idempotency_key"] = self.key
        if self.error is None:
            row["data"] = self.data
        else:
            row |= json.loads(mask_secrets(json.dumps(self.error.report())))
        return row


Answering = Callable[[Sequence[Todo], Sequence[Row]], Iterator[Outcome]]
"""Gives the outcome of each of these rows, in their order; the second are all rows of the batch."""


def run_batch(
    session: "Session",
    kind: Kind,
    source: str,
    resume: str | None,
    common: Mapping[str, Any],
    answering: Answering,
) -> None:
    """Answer every row of the file `source`. Raises the first row's error that has no answer, and says how many have none."""
    rows = read_batch(session, source, kind, common)
    # A short command is over before there is anything worth collecting; a long one would keep what each row leaves.
    gc.freeze()
    gc.enable()
    with rows_of(session, resume) as written:
        todo = written.todo(rows)
        if len(todo) < len(rows):
            session.output.note(f"{len(rows) - len(todo)} of {len(rows)} rows have their answer already.")
        session.if_interrupted = Interruption(
            "The rows so far are written; --resume with their file goes on after them", None
        )
        unanswered = _put_out(session, written, todo, answering(todo, rows))
        written.finish(rows)
    session.output.progress("")
    session.if_interrupted = None
    if unanswered:
        _raise_first(session, unanswered, len(rows))


def one_by_one(call: Callable[[dict[str, Any]], Mapping[str, Any]]) -> Answering:
    """Rows answered in turn by `call`. What stands in the way of every row is met once."""

    def answering(todo: Sequence[Todo], _: Sequence[Row]) -> Iterator[Outcome]:
        in_the_way: BrainError | None = None
        for each in todo:
            if in_the_way is not None:
                yield Outcome(None, in_the_way)
                continue
            try:
                yield Outcome(call(each.row.request))
            except BrainError as error:
                if error.code in LASTING:
                    in_the_way = error
                yield Outcome(None, error)

    return answering


def _put_out(
    session: "Session", written: Rows, todo: Sequence[Todo], outcomes: Iterable[Outcome]
) -> list[tuple[Row, Outcome]]:
    """Write the rows as their outcomes come; returns those without an answer."""
    unanswered = []
    output = session.output
    for done, (each, outcome) in enumerate(zip(todo, outcomes, strict=True), start=1):
        written.write(outcome.row(each.row.request))
        if outcome.put_out is not None:
            outcome.put_out()
        if outcome.error is not None or outcome.is_out_of_time:
            unanswered.append((each.row, outcome))
        if output.draws_progress:
            output.progress(f"Asking: {done} of {len(todo)}")
    return unanswered


def _raise_first(session: "Session", unanswered: Sequence[tuple[Row, Outcome]], count: int) -> None:
    row, outcome = unanswered[0]
    said = f"{len(unanswered)} of {count} rows have no answer"
    way_on = "--resume with the rows' file asks those again"
    error = outcome.error
    if error is None:
        session.output.note(f"{said}, the first on line {row.line}, whose wait ran out; {way_on}.")
        raise typer.Exit(exits.WAIT_RAN_OUT)
    raise BrainError(
        error.code,
        f"{said}; {way_on}. The first, on line {row.line}: {error.message}",
        details=error.details,
        http_status=error.http_status,
        request_id=error.request_id,
    )
