"""The ids of facts that a command is given: as arguments, or a line each."""

from collections.abc import Sequence
from typing import IO, TYPE_CHECKING

from brainctl.cli.rereading import open_to_reread, spooled
from brainctl.contract.errors import BrainError
from brainctl.contract.lines import Problems, decoded, parsed

if TYPE_CHECKING:
    from brainctl.cli.session import Session


def given_ids(session: "Session", arguments: Sequence[str], file: str | None) -> list[str]:
    """The ids in the order given, each once. A line of the file is an id, or a JSON object with a `fact_id`, as
    search and list print them. Raises `validation_error` naming every line that is neither.
    """
    found = list(arguments)
    if file is not None:
        name = "standard input" if file == "-" else file
        stream = spooled(session.environment.stdin) if file == "-" else open_to_reread(file)
        with stream:
            found += _ids(stream, name)
    if not found:
        raise BrainError("usage", "FACT_ID is missing: give ids as arguments, or with --file.")
    return list(dict.fromkeys(found))


def _ids(stream: IO[bytes], name: str) -> list[str]:
    found: list[str] = []
    problems = Problems()
    for number, raw in enumerate(stream, start=1):
        line = raw.removeprefix(b"\xef\xbb\xbf").strip()
        if not line:
            continue
        try:
            found.append(_id(line))
        except ValueError as error:
            problems.add(f"{name}:{number}", str(error))
    if problems.count:
        what = "1 line names" if problems.count == 1 else f"{problems.count} lines name"
        raise problems.refusal(f"{what} no fact, so nothing was changed")
    return found


def _id(line: bytes) -> str:
    value = parsed(line) if line.startswith(b"{") else {"fact_id": decoded(line)}
    fact_id = value.get("fact_id")
    if isinstance(fact_id, str) and fact_id.isascii() and fact_id.replace("_", "").isalnum():
        return fact_id
    raise ValueError('is no fact\'s id, and no {"fact_id": "…"}')
