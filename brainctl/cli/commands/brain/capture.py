from typing import Annotated, Final

import typer

from brainctl.cli.own.own_brain import open_own
from brainctl.cli.session import Session
from brainctl.cli.tree import app_of
from brainctl.cli.views import capturing as view
from brainctl.cli.views import rows
from brainctl.contract.bounds import AGENT_DEFAULT
from brainctl.contract.errors import BrainError

HOW: Final = ("rules", "model")


def capture(
    context: typer.Context,
    how: Annotated[
        str | None, typer.Argument(metavar="[rules|model]", help="Who decides what becomes of a taught text.")
    ] = None,
    worker: Annotated[
        str | None,
        typer.Option(
            "--worker", metavar="SLUG", help="The worker whose model helps; main where none is named."
        ),
    ] = None,
) -> None:
    """Show or choose who captures: the rules alone, or a worker's model within the rules' guards.

    \b
    Examples:
      brainctl brain capture
      brainctl brain capture model --worker main
      brainctl brain capture rules

    The model says what kind a taught text is, what it is about, and which known fact it repeats or replaces. The rules
    hold it to that: a number, a date or a "not" that differs is never a repeat, only a fact of the same subject and kind
    is replaced, and what is internal stays so. Where it fails, the rules decide, and --verbose says so.
    """
    session = Session.of(context)
    output = session.checked_output()
    check_how(how)
    if worker is not None and how != "model":
        raise BrainError("usage", "--worker goes with `capture model`.")
    with open_own(session) as owner:
        if how is not None:
            owner.capture_with((worker or AGENT_DEFAULT) if how == "model" else None)
        model = owner.capture_model()
    result = view.result(model)
    output.result(
        result,
        plain=lambda: rows.pairs(view.pairs(result)),
        rich=lambda: rows.pairs_table(view.pairs(result)),
    )
    if note := view.missing(model):
        output.note(note)


def check_how(how: str | None) -> None:
    """Raises `usage` for what is neither the rules nor a model."""
    if how is not None and how not in HOW:
        raise BrainError("usage", f"Capture is by {' or '.join(HOW)}; got {how!r}.")


app = app_of(capture)
