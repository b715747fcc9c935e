from typing import Annotated

import typer

from brainctl.cli.own.own_brain import open_own
from brainctl.cli.own.owned import whole_row
from brainctl.cli.session import Session
from brainctl.cli.tree import app_of
from brainctl.cli.views import owned_facts as view
from brainctl.cli.views import rows
from brainctl.contract.errors import BrainError


def show(
    context: typer.Context,
    fact_id: Annotated[str, typer.Argument(metavar="FACT_ID", help="The fact's id.")],
) -> None:
    """Show all that is stored of a fact. Who taught it and when, who sees it, and what replaced it.

    \b
    Examples:
      brainctl brain facts show fact_01k9p3v8m7f2ha6z0qc4rjxn5w
    """
    session = Session.of(context)
    output = session.checked_output()
    with open_own(session) as owner:
        found = owner.fact(fact_id)
        if found is None:
            raise BrainError(
                "not_found",
                f"There is no fact {fact_id} in this brain: `brainctl brain facts list` shows those there are.",
            )
        row = whole_row(*found, owner.keys())
    pairs = view.pairs(row)
    output.result(row, plain=lambda: rows.pairs(pairs), rich=lambda: rows.pairs_table(pairs))


app = app_of(show)
