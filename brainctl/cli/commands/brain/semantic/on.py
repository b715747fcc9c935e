import typer

from brainctl.cli.own.own_brain import open_own
from brainctl.cli.session import Session
from brainctl.cli.tree import app_of
from brainctl.cli.views import meanings as view
from brainctl.cli.views import rows


def on(context: typer.Context) -> None:
    """Find facts by their meaning too.

    \b
    Examples:
      brainctl brain semantic on

    Every fact is read once, about a hundred a second; the brain can be used meanwhile. Stopped halfway, it goes on
    where it was when it is called again, and new facts are seen to as they come.
    """
    session = Session.of(context)
    output = session.checked_output()
    done = 0

    def tell(count: int) -> None:
        nonlocal done
        done += count
        output.progress(f"Reading facts: {done:,}")

    with open_own(session) as owner:
        owner.find_by_meaning(tell)
        standing = owner.meanings()
    output.progress("")
    result = view.result(standing)
    output.result(
        result,
        plain=lambda: rows.pairs(view.pairs(result)),
        rich=lambda: rows.pairs_table(view.pairs(result)),
    )


app = app_of(on)
