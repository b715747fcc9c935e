"""The ids of facts that a command is given: as arguments, or a line each."""

import json
from collections.abc import Iterator, Sequence
from typing import IO, TYPE_CHECKING, Any

from brainctl.cli.teaching.rereading import open_to_reread, spooled
from brainctl.contract.errors import BrainError

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
    problems: list[dict[str, str]] = []
    for number, fact_id in _lines(stream):
        if fact_id is None:
            problems.append(
                {"field": f"{name}:{number}", "message": 'is no fact\'s id, and no {"fact_id": "…"}'}
            )
        else:
            found.append(fact_id)
    if problems:
        what = "1 line names" if len(problems) == 1 else f"{len(problems)} lines name"
        raise BrainError(
            "validation_error", f"{what} no fact, so nothing was changed", details={"fields": problems}
        )
    return found


def _lines(stream: IO[bytes]) -> Iterator[tuple[int, str | None]]:
    for number, raw in enumerate(stream, start=1):
        line = raw.removeprefix(b"\xef\xbb\xbf").strip()
        if line:
            yield number, _id(line)


def _id(line: bytes) -> str | None:
    try:
        text = line.decode()
        if not text.startswith("{"):
            return text if text.isascii() and text.replace("_", "").isalnum() else None
        value: Any = json.loads(text)
    except (ValueError, RecursionError):
        return None
    fact_id = value.get("fact_id")
    return fact_id if isinstance(fact_id, str) and fact_id else None
