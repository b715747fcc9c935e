"""Checks read from a file of JSON lines. Everything is read and found good before anything is used."""

from brainctl.cli.checks.checks import Check, check_of, problems_in
from brainctl.contract.errors import BrainError
from brainctl.contract.lines import Problems, parsed


def read_checks(data: bytes, source: str) -> list[Check]:
    """The checks of a file, a JSON object a line; blank lines are passed over.

    Raises `validation_error` naming every line that does not fit, and `usage` where there is no check at all: a
    run that checks nothing must not pass.
    """
    checks: list[Check] = []
    problems = Problems()
    for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            fields = parsed(line)
        except ValueError as error:
            problems.add(f"{source}:{number}", str(error))
            continue
        found = problems_in(fields)
        for each in found:
            problems.add(f"{source}:{number}", f"{each.field} {each.message}".strip())
        if not found:
            checks.append(check_of(fields, number))
    if problems.count:
        raise refusal(problems)
    if not checks:
        raise BrainError("usage", f"{source} holds no check: write one JSON object a line.")
    return checks


def refusal(problems: Problems) -> BrainError:
    """All that is wrong with a file of checks, by line."""
    noun = "1 check cannot" if problems.lines == 1 else f"{problems.lines} checks cannot"
    return problems.refusal(f"{noun} be made, so nothing was sent")
