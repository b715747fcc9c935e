from typing import Annotated

import typer

from brainctl.cli.profile_rows import profile_row
from brainctl.cli.session import Session
from brainctl.cli.tree import app_of
from brainctl.cli.views import keys as view
from brainctl.cli.views import rows


def show(
    context: typer.Context,
    name: Annotated[
        str | None,
        typer.Argument(metavar="[NAME]", help="The profile, or ENVIRONMENT/NAME; else the current one."),
    ] = None,
) -> None:
    """Show what is known of one profile. The key itself is never shown.

    \b
    Examples:
      brainctl keys show
      brainctl keys show staging/dev --json
    """
    from brainctl.profiles.book import read_book

    session = Session.of(context)
    output = session.checked_output()
    book = read_book(session.environ)
    profile = session.profile_named(name, book)
    row = profile_row(book, profile, session.environ)
    known = view.profile_pairs(row)
    output.result(row, plain=lambda: rows.pairs(known), rich=lambda: rows.pairs_table(known))


app = app_of(show)
