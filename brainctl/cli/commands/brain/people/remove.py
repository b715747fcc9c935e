from typing import Annotated

import typer

from brainctl.cli.own.own_brain import open_own
from brainctl.cli.session import Session
from brainctl.cli.tree import app_of
from brainctl.contract.errors import BrainError


def remove(
    context: typer.Context,
    person_id: Annotated[str, typer.Argument(metavar="ID", help="The id.")],
) -> None:
    """Forget a binding; the facts stay, about nobody that a key can name.

    \b
    Examples:
      brainctl brain people remove cust_419
    """
    session = Session.of(context)
    output = session.checked_output()
    with open_own(session) as owner:
        if not owner.remove_person(person_id):
            raise BrainError(
                "not_found",
                f"There is no person {person_id!r} here: `brainctl brain people list` shows those there are.",
            )
    output.result({"removed": person_id}, plain=lambda: person_id)


app = app_of(remove)
