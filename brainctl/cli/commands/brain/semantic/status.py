import typer

from brainctl.cli.own.own_brain import open_own
from brainctl.cli.session import Session
from brainctl.cli.tree import app_of
from brainctl.cli.views import meanings as view
from brainctl.cli.views import rows


def status(context: typer.Context) -> None:
    """Show whether facts are found by their meaning too, and how many are.

    \b
    Examples:
      brainctl brain semantic status
    """
    session = Session.of(context)
    output = session.checked_output()
    with open_own(session) as owner:
        standing = owner.meanings()
    result = view.result(standing)
    output.result(
        result,
        plain=lambda: rows.pairs(view.pairs(result)),
        rich=lambda: rows.pairs_table(view.pairs(result)),
    )


app = app_of(status)
