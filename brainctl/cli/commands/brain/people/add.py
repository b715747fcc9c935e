from typing import Annotated

import typer

from brainctl.cli.own.own_brain import open_own
from brainctl.cli.session import Session
from brainctl.cli.tree import app_of
from brainctl.cli.views import brain as view
from brainctl.cli.views import rows


def add(
    context: typer.Context,
    person_id: Annotated[
        str, typer.Argument(metavar="ID", help="Your own id for the person, as --end-user gives it.")
    ],
    name: Annotated[str, typer.Option("--name", metavar="NAME", help="The name that facts know them by.")],
) -> None:
    """Bind a customer's id to a name. An id bound before gets the new name.

    \b
    Examples:
      brainctl brain people add cust_419 --name Maria
    """
    session = Session.of(context)
    output = session.checked_output()
    with open_own(session) as owner:
        person = owner.add_person(person_id, name)
    output.result(view.person_row(person), plain=lambda: rows.lines([person]))


app = app_of(add)
