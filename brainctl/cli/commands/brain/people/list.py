import typer

from brainctl.cli.own.own_brain import open_own
from brainctl.cli.session import Session
from brainctl.cli.tree import app_of
from brainctl.cli.views import brain as view
from brainctl.cli.views import rows


def list_people(context: typer.Context) -> None:
    """List the people.

    \b
    Examples:
      brainctl brain people list
    """
    session = Session.of(context)
    output = session.checked_output()
    with open_own(session) as owner:
        found = owner.people()
    output.result(
        {"people": [view.person_row(person) for person in found]},
        plain=lambda: rows.lines(found),
        rich=lambda: rows.table(("Id", "Name"), found),
        rows=[view.person_row(person) for person in found],
    )


app = app_of(list_people)
