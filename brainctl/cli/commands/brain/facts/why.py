from typing import Annotated

import typer

from brainctl.cli.own.own_brain import open_own
from brainctl.cli.session import Session
from brainctl.cli.tree import app_of
from brainctl.cli.views import explaining as view
from brainctl.cli.views import rows


def why(
    context: typer.Context,
    fact_id: Annotated[str, typer.Argument(metavar="FACT_ID", help="The fact's id.")],
) -> None:
    """Say why a fact is there, and why it is as it is. Its steps: how it is compared, kind, subject, and what it replaced.

    \b
    Examples:
      brainctl brain facts why fact_01k9p3v8m7f2ha6z0qc4rjxn5w

    Texts that were skipped for it are counted here too. Facts that were loaded, and not taught, have no decisions.
    """
    from brainctl.cli.own.explained import why_row

    session = Session.of(context)
    output = session.checked_output()
    with open_own(session) as owner:
        row = why_row(owner.why(fact_id), owner.keys())
    pairs = view.why(row)
    output.result(row, plain=lambda: rows.pairs(pairs), rich=lambda: rows.pairs_table(pairs))


app = app_of(why)
