from typing import Annotated

import typer

from brainctl.cli.confirming import confirm
from brainctl.cli.session import Session
from brainctl.cli.tree import app_of
from brainctl.contract.errors import BrainError


def remove(
    context: typer.Context,
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="The profile, or ENVIRONMENT/NAME.")
    ] = None,
    whole_environment: Annotated[
        bool, typer.Option("--environment", help="Remove the environment of --env with all its profiles.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Forget a profile and its key. The key itself stays good: revoke it where it was made.

    \b
    Examples:
      brainctl keys remove support
      brainctl keys remove staging/dev --yes
      brainctl keys remove --environment --env staging
    """
    from brainctl.profiles.book import read_book
    from brainctl.profiles.changes import remove_environment, remove_profile

    session = Session.of(context)
    output = session.checked_output()
    book = read_book(session.environ)
    if whole_environment:
        if name is not None or session.shared.environment is None:
            raise BrainError("usage", "--environment goes with --env NAME, and with no profile's name.")
        environment = book.environment(session.shared.environment)
        count = len(book.profiles(environment.name))
        confirm(session, f"Remove the environment {environment.name} and its {count} profiles?", yes=yes)
        gone = remove_environment(session.environ, environment.name, warn=output.warn)
    else:
        if name is None:
            raise BrainError("usage", "NAME is missing: say which profile to remove.")
        profile = session.profile_named(name, book)
        confirm(session, f"Remove the profile {profile.slot}?", yes=yes)
        gone = [remove_profile(session.environ, profile.environment, profile.name, warn=output.warn)]
    removed = [each.slot for each in gone]
    output.result({"removed": removed}, plain=lambda: "".join(f"{slot}\n" for slot in removed), rows=removed)


app = app_of(remove)
