import typer

from brainctl.cli.own.own_brain import open_own
from brainctl.cli.session import Session
from brainctl.cli.tree import app_of


def show(context: typer.Context) -> None:
    """Show what is left.

    \b
    Examples:
      brainctl brain credits show --json
    """
    session = Session.of(context)
    output = session.checked_output()
    with open_own(session) as owner:
        left = owner.credits()
    output.result({"credits": left}, plain=lambda: "off" if left is None else str(left))


app = app_of(show)
