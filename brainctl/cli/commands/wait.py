from typing import Annotated

import typer

from brainctl.cli.asking.asking import Asking
from brainctl.cli.asking.presenting import Presenter
from brainctl.cli.session import Session
from brainctl.cli.tree import app_of
from brainctl.contract.errors import BrainError


def wait(
    context: typer.Context,
    answer_id: Annotated[
        str | None,
        typer.Argument(metavar="[ANSWER_ID]", help="The answer; else the newest that is still open."),
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(
            "--wait", "-w", min=0, metavar="SECONDS", help="The longest wait (60 but at a terminal; 0: none)."
        ),
    ] = None,
    sources: Annotated[
        bool | None,
        typer.Option("--sources/--no-sources", help="The facts it was built from (at a terminal: yes)."),
    ] = None,
) -> None:
    """Keep waiting for an answer; it is never asked for twice.

    A brain of your own answers in the process that waits. What that has begun it finishes, also after the longest
    wait; with -w 0 it begins nothing and only looks.

    \b
    Examples:
      brainctl wait                                        the newest that this machine asked for
      brainctl wait event_01k9p3zq8w4m1te6h2ndkbx9pf --json
    """
    session = Session.of(context)
    presenter = Presenter(session.checked_output())
    if answer_id is not None and not answer_id.strip():
        # A script's variable that was never set must not bring another question's answer.
        raise BrainError("usage", "ANSWER_ID is empty: give an id, or leave it out for the newest answer.")
    asking = Asking(session)
    limit = presenter.longest_wait(seconds)
    with_sources = presenter.is_watched if sources is None else sources
    found = asking.newest() if answer_id is None else answer_id
    presenter.wait(asking, found, limit, sources=with_sources)


app = app_of(wait)
