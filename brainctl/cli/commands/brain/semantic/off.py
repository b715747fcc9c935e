import typer

from brainctl.cli.own.own_brain import open_own
from brainctl.cli.session import Session
from brainctl.cli.tree import app_of
from brainctl.cli.views import meanings as view
from brainctl.cli.views import rows


def off(context: typer.Context) -> None:
    """Find facts by their words alone. What was kept of their meaning is removed; the facts stay as they are.

    \b
    Examples:
      brainctl brain semantic off
    """
    session = Session.of(context)
    output = session.checked_output()
    with open_own(session) as owner:
        owner.find_by_words()
        standing = owner.meanings()
    result = view.result(standing)
    output.result(
        result,
        plain=lambda: rows.pairs(view.pairs(result)),
        rich=lambda: rows.pairs_table(view.pairs(result)),
    )


app = app_of(off)
