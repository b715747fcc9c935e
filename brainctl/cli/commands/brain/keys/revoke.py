from typing import Annotated

import typer

from brainctl.cli.own.keys import key_row
from brainctl.cli.own.own_brain import open_own
from brainctl.cli.session import Session
from brainctl.cli.tree import app_of
from brainctl.cli.views import brain as view
from brainctl.cli.views import rows


def revoke(
    context: typer.Context,
    which: Annotated[str, typer.Argument(metavar="KEY", help="The key's name, prefix or id.")],
) -> None:
    """Revoke a key: its next request fails. A revoked key cannot be brought back.

    \b
    Examples:
      brainctl brain keys revoke support-bot
    """
    session = Session.of(context)
    output = session.checked_output()
    with open_own(session) as owner:
        key = owner.revoke_key(which)
    row = key_row(key, round(session.environment.now() * 1000))
    output.result(
        row,
        plain=lambda: rows.lines(view.key_cells([row])),
        rich=lambda: rows.table(view.KEY_HEADS, view.key_cells([row], days=True)),
    )


app = app_of(revoke)
