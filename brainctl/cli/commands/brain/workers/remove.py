from typing import Annotated

import typer

from brainctl.cli.own.own_brain import open_own
from brainctl.cli.session import Session
from brainctl.cli.tree import app_of
from brainctl.contract.errors import BrainError


def remove(
    context: typer.Context,
    slug: Annotated[str, typer.Argument(metavar="SLUG", help="The worker's name.")],
) -> None:
    """Forget a worker. Without it, `main` answers from the facts alone.

    \b
    Examples:
      brainctl brain workers remove legal
    """
    session = Session.of(context)
    output = session.checked_output()
    with open_own(session) as owner:
        if not owner.remove_worker(slug):
            raise BrainError(
                "not_found",
                f"There is no worker {slug!r} here: `brainctl brain workers list` shows those there are.",
            )
    output.result({"removed": slug}, plain=lambda: slug)


app = app_of(remove)
