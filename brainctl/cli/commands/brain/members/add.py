from typing import Annotated

import typer

from brainctl.cli.own.own_brain import open_own
from brainctl.cli.session import Session
from brainctl.cli.tree import app_of


def add(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="The name that facts know them by.")],
) -> None:
    """Name a colleague.

    \b
    Examples:
      brainctl brain members add "Priya Nair"
    """
    session = Session.of(context)
    output = session.checked_output()
    with open_own(session) as owner:
        owner.add_member(name)
    output.result({"name": name}, plain=lambda: name)


app = app_of(add)
