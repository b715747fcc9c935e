import typer

from brainctl.cli.own.keys import key_row
from brainctl.cli.own.own_brain import open_own
from brainctl.cli.session import Session
from brainctl.cli.tree import app_of
from brainctl.cli.views import brain as view
from brainctl.cli.views import rows


def list_keys(context: typer.Context) -> None:
    """List the keys, never their secrets.

    \b
    Examples:
      brainctl brain keys list
      brainctl brain keys list --json | jq -r '.keys[] | select(.state == "live") | .key_name'
    """
    session = Session.of(context)
    output = session.checked_output()
    now_ms = round(session.environment.now() * 1000)
    with open_own(session) as owner:
        found = [key_row(key, now_ms) for key in owner.keys()]
    output.result(
        {"keys": found},
        plain=lambda: rows.lines(view.key_cells(found)),
        rich=lambda: rows.table(view.KEY_HEADS, view.key_cells(found, days=True)),
        rows=found,
    )


app = app_of(list_keys)
