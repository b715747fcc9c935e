from typing import Annotated

import typer

from brainctl.cli.own.archive_lines import written
from brainctl.cli.own.own_brain import open_own
from brainctl.cli.own.saving import saved
from brainctl.cli.session import Session
from brainctl.cli.tree import app_of
from brainctl.cli.views import archive as view
from brainctl.cli.views import rows


def export(
    context: typer.Context,
    file: Annotated[
        str | None,
        typer.Argument(metavar="[FILE]", help="Where to; standard output where it is left out, or -."),
    ] = None,
    answers: Annotated[bool, typer.Option("--answers", help="The answers too.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there.")] = False,
) -> None:
    """Write the brain out as JSON lines. `brainctl brain import` makes the same brain of them.

    \b
    Examples:
      brainctl brain export brain.jsonl
      brainctl brain export | gzip > brain.jsonl.gz

    Facts, superseded ones too, people, members, workers and credits are in it; with --answers, what was answered.
    Keys are not: the brain does not hold their secrets. Those that taught are named, so that who taught stays known.
    """
    session = Session.of(context)
    output = session.checked_output()
    with open_own(session) as owner:
        if file is None or file == "-":
            counts = written(session, owner, output.raw, answers=answers)
            output.progress("")
            output.note(view.exported(counts))
            return
        with saved(file, replace=force, never=owner.store.address) as write:
            counts = written(session, owner, write, answers=answers)
    output.progress("")
    result = {"file": file, **counts}
    output.result(
        result,
        plain=lambda: rows.pairs(view.pairs(result)),
        rich=lambda: rows.pairs_table(view.pairs(result)),
    )


app = app_of(export)
