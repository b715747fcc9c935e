import typer

from brainctl.cli.own.own_brain import open_own
from brainctl.cli.session import Session
from brainctl.cli.tree import app_of
from brainctl.cli.views import rows


def list_members(context: typer.Context) -> None:
    """List the colleagues.

    \b
    Examples:
      brainctl brain members list
    """
    session = Session.of(context)
    output = session.checked_output()
    with open_own(session) as owner:
        found = [[name] for name in owner.members()]
    output.result(
        {"members": [{"name": name} for (name,) in found]},
        plain=lambda: rows.lines(found),
        rich=lambda: rows.table(("Name",), found),
        rows=[{"name": name} for (name,) in found],
    )


app = app_of(list_members)
