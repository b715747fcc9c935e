from typing import Annotated

import typer

from brainctl.cli.own.own_brain import open_own
from brainctl.cli.session import Session
from brainctl.cli.tree import app_of


def restore(
    context: typer.Context,
    fact_id: Annotated[str, typer.Argument(metavar="FACT_ID", help="The id of a superseded fact.")],
) -> None:
    """Let a superseded fact be current again. What had taken its place is superseded by it.

    \b
    Examples:
      brainctl brain facts list --past
      brainctl brain facts restore fact_01k9p3v8m7f2ha6z0qc4rjxn5w

    Nothing is removed: restoring the other one takes it back.
    """
    session = Session.of(context)
    output = session.checked_output()
    with open_own(session) as owner:
        done = owner.restore(fact_id)
    output.result(
        {"restored": done.fact_id, "superseded": done.superseded},
        plain=lambda: f"{done.fact_id}\n",
    )
    if done.superseded:
        output.note(f"{done.superseded} is superseded by it.")


app = app_of(restore)
