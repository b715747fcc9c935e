import re
from typing import Annotated, Any, Final

import typer

from brainctl.cli.own.keys import time_or_none
from brainctl.cli.own.own_brain import environment_of, open_own
from brainctl.cli.session import Session
from brainctl.cli.tree import app_of
from brainctl.cli.views import brain as view
from brainctl.cli.views import rows
from brainctl.contract.bounds import AUDIENCES, RATE_REQUESTS, RATE_WINDOW_SECONDS, SCOPES
from brainctl.contract.errors import BrainError

SECONDS: Final = {"m": 60, "h": 3600, "d": 86400, "w": 7 * 86400}
LONGEST_SECONDS: Final = 100 * 365 * 86400


def create(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="What to call the key.")],
    audience: Annotated[
        str,
        typer.Option(
            "--audience", metavar="internal|external", help="external for anything a customer touches."
        ),
    ] = "internal",
    scopes: Annotated[
        list[str] | None,
        typer.Option(
            "--scope",
            metavar="memory.read|memory.write|answers.write",
            help="What it may do; give it once for each.",
        ),
    ] = None,
    expires: Annotated[
        str | None, typer.Option("--expires", metavar="TIME", help="After this long, such as 12h, 90d or 4w.")
    ] = None,
    save_as: Annotated[
        str | None, typer.Option("--save-as", metavar="PROFILE", help="Save it as a profile too.")
    ] = None,
) -> None:
    """Make a key; its secret is shown this once.

    \b
    Examples:
      brainctl brain keys create support-bot --audience external --scope memory.read --scope answers.write
      brainctl brain keys create ci --scope memory.read --expires 90d --save-as ci
    """
    session = Session.of(context)
    output = session.checked_output()
    if audience not in AUDIENCES:
        raise BrainError("usage", f"--audience is internal or external; got {audience!r}.")
    if not scopes:
        raise BrainError(
            "usage", f"A key needs a scope: give --scope one or more times, of {', '.join(SCOPES)}."
        )
    if save_as is not None:
        from brainctl.profiles.grammar import check_name

        check_name(save_as, "profile")
    expires_ms = None
    if expires is not None:
        expires_ms = round((session.environment.now() + _seconds(expires)) * 1000)
    with open_own(session) as owner:
        new = owner.create_key(name, audience, scopes, expires_ms)
    told: dict[str, Any] = {
        "key_name": new.key.name,
        "key_prefix": new.key.prefix,
        "scopes": list(new.key.scopes),
        "key_audience": new.key.audience,
        "rate_limit": {"requests_per_window": RATE_REQUESTS, "window_seconds": RATE_WINDOW_SECONDS},
    }
    made = {**told, "secret": new.secret, "expires_at": time_or_none(expires_ms)}
    pairs = view.new_key_pairs(made)
    output.result(made, plain=lambda: f"{new.secret}\n", rich=lambda: rows.pairs_table(pairs))
    if save_as is not None:
        from brainctl.profiles.book import read_book
        from brainctl.profiles.changes import add_profile

        environment = read_book(session.environ).environment(environment_of(session))
        profile = add_profile(
            session.environ, environment, save_as, new.secret, whoami=told, warn=output.warn
        )
        output.note(f"Saved as the profile {profile.slot}.")
    else:
        output.note("Keep the secret now: it is not shown again.")


def _seconds(text: str) -> int:
    found = re.fullmatch(r"([0-9]{1,6})([mhdw])", text)
    seconds = int(found[1]) * SECONDS[found[2]] if found else 0
    if not 0 < seconds <= LONGEST_SECONDS:
        raise BrainError(
            "usage",
            f"--expires is a number with m, h, d or w, such as 90d, and up to 100 years; got {text!r}.",
        )
    return seconds


app = app_of(create)
