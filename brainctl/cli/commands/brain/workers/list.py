import typer

from brainctl.cli.own.own_brain import open_own
from brainctl.cli.session import Session
from brainctl.cli.tree import app_of
from brainctl.cli.views import rows


def list_workers(context: typer.Context) -> None:
    """List the workers that are set.

    \b
    Examples:
      brainctl brain workers list
    """
    session = Session.of(context)
    output = session.checked_output()
    with open_own(session) as owner:
        found = owner.workers()
    cells = [[value or "" for value in worker] for worker in found]
    output.result(
        {"workers": [worker._asdict() for worker in found]},
        plain=lambda: rows.lines(cells),
        rich=lambda: rows.table(("Slug", "Model", "Endpoint", "Key from"), cells),
        rows=[worker._asdict() for worker in found],
    )


app = app_of(list_workers)
