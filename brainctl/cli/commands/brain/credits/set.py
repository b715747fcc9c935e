from typing import Annotated

import typer

from brainctl.cli.own.own_brain import open_own
from brainctl.cli.session import Session
from brainctl.cli.tree import app_of
from brainctl.contract.errors import BrainError


def set_credits(
    context: typer.Context,
    amount: Annotated[str, typer.Argument(metavar="N|off", help="How many credits are left, or off.")],
) -> None:
    """Give so many credits, or count none. An answer costs one; at zero, asking and teaching are refused.

    \b
    Examples:
      brainctl brain credits set 10
      brainctl brain credits set off
    """
    session = Session.of(context)
    output = session.checked_output()
    if amount != "off" and not (amount.isascii() and amount.isdigit() and len(amount) <= 18):
        raise BrainError("usage", f"Credits are a whole number from 0 on, or off; got {amount!r}.")
    left = None if amount == "off" else int(amount)
    with open_own(session) as owner:
        owner.set_credits(left)
    output.result({"credits": left}, plain=lambda: "off" if left is None else str(left))


app = app_of(set_credits)
