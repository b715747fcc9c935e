from typing import Annotated

import typer

from brainctl.cli.profile_rows import profile_row
from brainctl.cli.session import Session
from brainctl.cli.tree import app_of
from brainctl.cli.views import keys as view


def rename(
    context: typer.Context,
    old: Annotated[str, typer.Argument(metavar="NAME", help="The profile, or ENVIRONMENT/NAME.")],
    new: Annotated[str, typer.Argument(metavar="NEW", help="Its new name.")],
) -> None:
    """Give a profile another name. Its key, and whether it is current, stay as they are.

    \b
    Examples:
      brainctl keys rename support support-bot
    """
    from brainctl.profiles.book import read_book
    from brainctl.profiles.changes import rename_profile

    session = Session.of(context)
    output = session.checked_output()
    was = session.profile_named(old, read_book(session.environ))
    profile = rename_profile(session.environ, was.environment, was.name, new, warn=output.warn)
    row = profile_row(read_book(session.environ), profile, session.environ)
    output.result(row, plain=lambda: view.profile_line(row))


app = app_of(rename)
