import typer

from brainctl.cli.own.own_brain import open_own
from brainctl.cli.session import Session
from brainctl.cli.tree import app_of
from brainctl.cli.views import figures as view


def stats(context: typer.Context) -> None:
    """Show what the brain holds, in figures. Facts, how they grew, keys, and answers with their times.

    \b
    Examples:
      brainctl brain stats
      brainctl brain stats --json | jq .facts.current
    """
    session = Session.of(context)
    output = session.checked_output()
    with open_own(session) as owner:
        found = owner.figures()
    environment = session.environment
    output.result(
        found,
        plain=lambda: view.lines(found),
        rich=lambda: view.page(found, environment.columns(), blocks=environment.draws_blocks),
    )


app = app_of(stats)
