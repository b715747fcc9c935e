from typing import Annotated

import typer

from brainctl.cli.own.own_brain import open_own
from brainctl.cli.own.owned import fact_rows
from brainctl.cli.session import Session
from brainctl.cli.tree import app_of
from brainctl.cli.views import facts as public
from brainctl.cli.views import owned_facts as view
from brainctl.contract.bounds import ORIGINS
from brainctl.contract.errors import BrainError

DEFAULT = 20


def list_facts(
    context: typer.Context,
    subject: Annotated[
        str | None, typer.Option("--subject", metavar="SUBJECT", help="Facts about this subject alone.")
    ] = None,
    kind: Annotated[
        str | None, typer.Option("--kind", metavar="KIND", help="Facts of this kind alone, as decision.")
    ] = None,
    origin: Annotated[
        str | None, typer.Option("--origin", metavar="|".join(ORIGINS), help="Facts that came so alone.")
    ] = None,
    about: Annotated[
        str | None, typer.Option("--about", metavar="PERSON_ID", help="Facts about this person alone.")
    ] = None,
    past: Annotated[
        bool, typer.Option("--past", help="The facts that were superseded, instead of the current ones.")
    ] = False,
    limit: Annotated[
        int, typer.Option("--limit", "-n", min=1, max=1_000_000, metavar="N", help="The most facts to list.")
    ] = DEFAULT,
) -> None:
    """List facts, the newest first. Here are all facts, whichever keys may see them.

    \b
    Examples:
      brainctl brain facts list --about cust_419
      brainctl brain facts list --kind decision -n 100
      brainctl brain facts list --past -o jsonl
    """
    from brainctl.engine.store.owned import Choice

    session = Session.of(context)
    output = session.checked_output()
    if origin is not None and origin not in ORIGINS:
        raise BrainError("usage", f"--origin is one of {', '.join(ORIGINS)}; got {origin!r}.")
    if past and about is not None:
        raise BrainError("usage", "--past goes without --about: a superseded fact is kept as nobody's.")
    with open_own(session) as owner:
        found = fact_rows(owner.facts(Choice(subject, kind, origin, about, past), limit), owner.keys())
        is_nobody = about is not None and all(person.person_id != about for person in owner.people())
    output.result(
        {"facts": found},
        plain=lambda: public.lines(found),
        rich=lambda: view.blocks(found),
        rows=found,
    )
    if is_nobody:
        output.note(f"Nobody is bound to the id {about}: `brainctl brain people list` shows who is.")
    elif not found:
        output.note("There is no such fact here.")
    elif len(found) == limit:
        output.note(f"These are the newest {limit}; -n lists more.")


app = app_of(list_facts)
