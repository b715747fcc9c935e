from typing import Annotated

import typer

from brainctl.cli.session import Session
from brainctl.cli.tree import app_of
from brainctl.cli.views import keys as view
from brainctl.contract.errors import BrainError


def use(
    context: typer.Context,
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="The profile, or ENVIRONMENT/NAME.")
    ] = None,
) -> None:
    """Choose the profile that commands use.

    \b
    Examples:
      brainctl keys use support
      brainctl keys use staging/dev
      brainctl keys use --env local          that environment, with its own current profile
    """
    from brainctl.profiles.book import read_book
    from brainctl.profiles.changes import use as make_current

    session = Session.of(context)
    output = session.checked_output()
    book = read_book(session.environ)
    environment = session.shared.environment
    if name is not None:
        profile = book.find(name, environment)
        environment = profile.environment
        chosen: str | None = profile.name
    elif environment is None:
        raise BrainError("usage", "NAME is missing: say which profile, or which environment with --env.")
    else:
        chosen = None
    now = make_current(session.environ, environment, chosen, warn=output.warn)
    current = {"environment": now.name, "profile": now.current}
    output.result(current, plain=lambda: view.current_line(current))
    if now.current is None:
        output.note(
            f"The environment {now.name} has no current profile: `brainctl keys use NAME --env {now.name}`."
        )


app = app_of(use)
