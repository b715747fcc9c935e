import os
from typing import TYPE_CHECKING, Annotated, Any

import typer

from brainctl.cli import exits
from brainctl.cli.checks.checking import Checking, Result
from brainctl.cli.checks.checks import Check, check_of, problems_in
from brainctl.cli.checks.input import read_checks, refusal
from brainctl.cli.commands.options import EndUser
from brainctl.cli.reading import given_bytes, given_text
from brainctl.cli.session import Session
from brainctl.cli.tree import app_of
from brainctl.cli.views import expect as view
from brainctl.contract.errors import BrainError

if TYPE_CHECKING:
    from collections.abc import Sequence


def expect(
    context: typer.Context,
    query: Annotated[
        str | None,
        typer.Argument(metavar="[QUERY]", help="What to look for; - or a pipe reads standard input."),
    ] = None,
    contains: Annotated[
        str | None,
        typer.Option("--contains", metavar="TEXT", help="A fact that is found must contain this text."),
    ] = None,
    fact_id: Annotated[
        str | None, typer.Option("--fact-id", metavar="ID", help="This fact must be found.")
    ] = None,
    min_facts: Annotated[
        int | None, typer.Option("--min-facts", metavar="N", help="At least so many facts must be found.")
    ] = None,
    top: Annotated[
        int | None,
        typer.Option("--top", metavar="K", help="Look at the first K facts (default 20; with --absent 100)."),
    ] = None,
    absent: Annotated[
        bool, typer.Option("--absent", help="Turn it round: this must not be found, or not so many.")
    ] = False,
    end_user_id: EndUser = None,
    file: Annotated[
        str | None,
        typer.Option("--file", "-f", metavar="FILE", help="Checks as JSON lines; - reads standard input."),
    ] = None,
    junit: Annotated[
        str | None, typer.Option("--junit", metavar="FILE", help="Also write a JUnit XML report, for CI.")
    ] = None,
) -> None:
    """Check what the brain knows, and what a key must not see.

    \b
    Examples:
      brainctl expect "moving a wedding" --contains "twelve months" --top 3
      brainctl expect "margins" --contains "58%" --absent --profile widget
      brainctl expect --file checks.jsonl --junit report.xml

    \b
    A file holds a check a line:
      {"query": "dogs", "contains": "welcome", "top": 3}
      {"query": "margins", "min_facts": 1, "absent": true, "profile": "widget"}
      {"name": "Maria's date", "query": "wedding date", "contains": "22 May 2027", "end_user": "cust_419"}

    Texts are compared without case, and any white space as one blank. All checks are made, whatever comes of one.
    The exit code is 12 where an expectation does not hold, else that of the first check that could not be made.
    """
    session = Session.of(context)
    output = session.checked_output()
    stated = {
        "contains": contains,
        "fact_id": fact_id,
        "min_facts": min_facts,
        "top": top,
        "end_user": end_user_id,
        "absent": absent or None,
    }
    given = {name: value for name, value in stated.items() if value is not None}
    if file is None:
        checks = [_stated(given_text(session, query, "QUERY"), given)]
    elif query is not None or given:
        raise BrainError("usage", "With --file, each check says all that it expects: give nothing beside it.")
    else:
        checks = read_checks(given_bytes(session, file), _called(file))
    if junit is not None:
        _check_folder(junit)
    results = _made(session, checks, file)
    count = view.counts(results)
    rows = [each.row() for each in results]
    output.result(
        {"checks": rows, "passed": count["passed"], "failed": count["failed"], "errors": count["error"]},
        plain=lambda: view.lines(results),
        rich=lambda: view.table(results, output.environment.columns()),
        rows=rows,
    )
    if junit is not None:
        _write(junit, view.junit(results, os.path.basename(_called(file)) if file else ""))
    if output.form == "human" and (len(results) > 1 or count["failed"]):
        output.note(view.summary(count) or f"All {len(results)} expectations hold.")
    if count["failed"]:
        raise typer.Exit(exits.UNMET)
    for each in results:
        if each.error is not None:
            raise each.error


def _stated(query: str, given: dict[str, Any]) -> Check:
    """The check that a command line states. Raises a usage error that names the options."""
    fields = {"query": query, **given}
    problems = problems_in(fields)
    if not any(name in given for name in ("contains", "fact_id", "min_facts")):
        raise BrainError(
            "usage", "Nothing is expected: give --contains, --fact-id or --min-facts, or checks with --file."
        )
    if problems:
        first = problems[0]
        if not first.field:
            raise BrainError(
                "usage", "Give one of --contains, --fact-id and --min-facts: one check, one question."
            )
        name = "QUERY" if first.field == "query" else f"--{first.field.replace('_', '-')}"
        raise BrainError("usage", f"{name} {first.message}.")
    return check_of(fields)


def _made(session: Session, checks: "Sequence[Check]", file: str | None) -> list[Result]:
    checking = Checking(session)
    results: list[Result] = []
    try:
        problems = checking.unusable(checks, _called(file or ""))
        if problems.count:
            raise refusal(problems)
        for place, check in enumerate(checks, start=1):
            session.output.progress(f"Checking {place} of {len(checks)}: {check.name}")
            results.append(checking.make(check))
    finally:
        session.output.progress("")
        checking.close()
    return results


def _called(file: str) -> str:
    return "standard input" if file == "-" else file


def _check_folder(path: str) -> None:
    """Raises a usage error where a report could not be written, before any check is made for it."""
    folder = os.path.dirname(os.path.abspath(path))
    if not os.path.isdir(folder):
        raise BrainError("usage", f"The report cannot be written: there is no folder {folder}.")
    if os.path.isdir(path):
        raise BrainError("usage", f"The report cannot be written: {path} is a folder.")


def _write(path: str, report: str) -> None:
    try:
        with open(path, "wb") as file:
            file.write(report.encode("utf-8", "replace"))
    except OSError as error:
        raise BrainError("usage", f"The report {path} cannot be written: {error.strerror}.") from error


app = app_of(expect)
