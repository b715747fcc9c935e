from typing import Annotated

import typer

from brainctl.cli.connect import proven
from brainctl.cli.session import Session
from brainctl.cli.tree import app_of
from brainctl.cli.views import keys as view
from brainctl.cli.views import rows


def check(
    context: typer.Context,
    name: Annotated[
        str | None,
        typer.Argument(metavar="[NAME]", help="The profile, or ENVIRONMENT/NAME; else the current one."),
    ] = None,
) -> None:
    """Prove that a profile's key is good. What it may do is noted beside it.

    \b
    Examples:
      brainctl keys check
      brainctl keys check support --json
    """
    from brainctl.profiles.book import read_book
    from brainctl.profiles.changes import refresh_profile

    session = Session.of(context)
    output = session.checked_output()
    book = read_book(session.environ)
    profile = session.profile_named(name, book)
    environment = book.environment(profile.environment)
    reply = proven(session, environment, profile.name, profile.place)
    refresh_profile(session.environ, profile, reply, warn=output.warn)
    address = view.where(environment.base_url or environment.store or "", environment.workspace)
    identity = view.identity(reply, f"the profile {profile.slot}", address)
    output.result(reply, plain=lambda: rows.pairs(identity), rich=lambda: rows.pairs_table(identity))


app = app_of(check)
