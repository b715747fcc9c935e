import typer

from brainctl.cli.session import Session
from brainctl.cli.tree import app_of
from brainctl.cli.views import keys, rows


def whoami(context: typer.Context) -> None:
    """Show the key in use and where it came from.

    \b
    Examples:
      brainctl whoami
      brainctl whoami --profile support --json
    """
    session = Session.of(context)
    output = session.checked_output()
    reply = session.brain.whoami()
    where = keys.where(session.address, session.access.workspace)
    identity = keys.identity(reply, session.access.source, where)
    output.result(reply, plain=lambda: rows.pairs(identity), rich=lambda: rows.pairs_table(identity))


app = app_of(whoami)
