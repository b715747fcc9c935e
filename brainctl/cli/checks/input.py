"""Checks read from a file of JSON lines. Everything is read and found good before anything is used."""

from typing import Final

from brainctl.cli.checks.checks import Check, check_of, problems_in
from brainctl.cli.json_line import parsed
from brainctl.contract.errors import BrainError

PROBLEMS_SHOWN: Final = 1000

Problems = list[tuple[int, str]]
"""What is wrong, each with its line."""


def read_checks(data: bytes, source: str) -> list[Check]:
    """The checks of a file, a JSON object a line; blank lines are passed over.

    Raises `validation_error` naming every line that does not fit, and `usage` where there is no check at all: a
    run that checks nothing must not pass.
    """
    checks: list[Check] = []
    problems: Problems = []
    for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            fields = parsed(line)
        except ValueError as error:
            problems.append((number, str(error)))
            continue
        found = problems_in(fields)
        problems.extend((number, f"{each.field} {each.message}".strip()) for each in found)
        if not found:
            checks.append(check_of(fields, number))
    if problems:
        raise refusal(problems, source)
    if not checks:
        raise BrainError("usage", f"{source} holds no check: write one JSON object a line.")
    return checks


def refusal(problems: Problems, source: str) -> BrainError:
    """All that is wrong with a file of checks, by line."""
    fields = [{"field": f"{source}:{line}", "message": said} for line, said in problems[:PROBLEMS_SHOWN]]
    if len(problems) > PROBLEMS_SHOWN:
        fields.append({"field": "…", "message": f"and {len(problems) - PROBLEMS_SHOWN} more"})
    lines = len({line for line, _ in problems})
    noun = "1 check cannot" if lines == 1 else f"{lines} checks cannot"
    error = BrainError("validation_error", f"{noun} be made, so nothing was sent", details={"fields": fields})
    error.http_status = None
    return error
