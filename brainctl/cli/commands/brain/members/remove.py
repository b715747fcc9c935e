from typing import Annotated

import typer

from brainctl.cli.own.own_brain import open_own
from brainctl.cli.session import Session
from brainctl.cli.tree import app_of
from brainctl.contract.errors import BrainError


def remove(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="The name.")],
) -> None:
    """Forget a colleague; the facts stay, and stay inside.

    \b
    Examples:
      brainctl brain members remove "Priya Nair"
    """
    session = Session.of(context)
    output = session.checked_output()
    with open_own(session) as owner:
        if not owner.remove_member(name):
            raise BrainError(
                "not_found",
                f"There is no member {name!r} here: `brainctl brain members list` shows those there are.",
            )
    output.result({"removed": name}, plain=lambda: name)


app = app_of(remove)
