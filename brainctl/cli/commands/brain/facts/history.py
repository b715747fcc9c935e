from typing import Annotated

import typer

from brainctl.cli.own.own_brain import open_own
from brainctl.cli.session import Session
from brainctl.cli.tree import app_of
from brainctl.cli.views import explaining as view


def history(
    context: typer.Context,
    subject: Annotated[str, typer.Argument(metavar="SUBJECT", help="The subject, as `facts list` shows it.")],
) -> None:
    """Show how the facts of a subject came to be. The oldest first, the superseded ones too.

    \b
    Examples:
      brainctl brain facts history "opening hour"
      brainctl brain facts history maria -o jsonl

    Facts of another subject are here too where one replaced the other.
    """
    from brainctl.cli.own.explained import history_rows

    session = Session.of(context)
    output = session.checked_output()
    with open_own(session) as owner:
        found = history_rows(owner.history(subject), owner.keys())
    output.result(
        {"facts": found},
        plain=lambda: view.history_lines(found),
        rich=lambda: view.history(found),
        rows=found,
    )
    if not found:
        output.note("There is no fact of that subject: `brainctl brain facts list` shows the subjects.")


app = app_of(history)
