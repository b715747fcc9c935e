"""The requests of a batch, a line each: a text alone, or the request's own fields as JSON. All are checked before any is sent."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from brainctl.cli.reading import given_bytes
from brainctl.contract.errors import BrainError
from brainctl.contract.lines import Problems, decoded, parsed
from brainctl.contract.shapes import Record, problems_of

if TYPE_CHECKING:
    from brainctl.cli.session import Session


class Kind(NamedTuple):
    """The requests of a command: their shape, and the field that a line of text alone gives."""

    shape: Record
    field: str


class Row(NamedTuple):
    """A request of a batch, and the line of the input that it stands on, from 1."""

    line: int
    request: dict[str, Any]


def read_batch(session: "Session", path: str, kind: Kind, common: Mapping[str, Any]) -> list[Row]:
    """The requests of a file, or of standard input for `-`; `common` has the fields that a line need not give.

    A line that begins with `{` is JSON, blank lines are passed over. Raises `validation_error` naming every line that
    does not fit, `usage` where nothing can be read or there is no request at all.
    """
    source = "standard input" if path == "-" else path
    rows: list[Row] = []
    problems = Problems()
    data = given_bytes(session, path).removeprefix(b"\xef\xbb\xbf")
    for number, line in enumerate(data.split(b"\n"), start=1):
        text = line.removesuffix(b"\r")
        if not text.strip():
            continue
        try:
            given = parsed(text) if text.lstrip().startswith(b"{") else {kind.field: decoded(text)}
        except ValueError as error:
            problems.add(f"{source}:{number}", str(error))
            continue
        request = given | {name: value for name, value in common.items() if name not in given}
        found = problems_of(kind.shape, request)
        for each in found:
            problems.add(f"{source}:{number}", f"{each.field} {each.message}".strip())
        rows.append(Row(number, request))
    if problems.count:
        noun = "1 line cannot" if problems.lines == 1 else f"{problems.lines} lines cannot"
        raise problems.refusal(f"{noun} be asked, so nothing was sent")
    if not rows:
        raise BrainError("usage", f"{source} holds nothing to ask: write one query a line.")
    return rows
