from typing import Annotated

import typer

from brainctl.cli.own.own_brain import open_own
from brainctl.cli.session import Session
from brainctl.cli.tree import app_of
from brainctl.cli.views import explaining as view
from brainctl.contract.bounds import LIMIT_MAX

DEFAULT = 10


def explain(
    context: typer.Context,
    query: Annotated[str, typer.Argument(metavar="QUERY", help="What the key would ask.")],
    as_key: Annotated[
        str, typer.Option("--as", metavar="KEY_NAME", help="The name, prefix or id of the key.")
    ],
    end_user_id: Annotated[
        str | None, typer.Option("--end-user", metavar="ID", help="The customer whom the key would name.")
    ] = None,
    top: Annotated[
        int,
        typer.Option("--top", "-n", min=1, max=LIMIT_MAX, metavar="K", help="The most facts of each sort."),
    ] = DEFAULT,
) -> None:
    """Show what a key would get for a query, and what is withheld from it. With each score's parts, and the rule that withholds.

    \b
    Examples:
      brainctl brain explain "refund policy" --as support-bot
      brainctl brain explain "wedding date" --as support-bot --end-user cust_419

    This is for the owner of the brain alone, and shows what the key must not see.
    """
    from brainctl.cli.own.explained import key_row, shown_rows
    from brainctl.engine.gate import key_named

    session = Session.of(context)
    output = session.checked_output()
    with open_own(session) as owner:
        keys = owner.keys()
        key = key_named(keys, as_key)
        facts, withheld = shown_rows(owner.explain(key, query, end_user_id, top), keys)
    output.result(
        {
            "query": query,
            "key": key_row(key),
            "end_user_id": end_user_id,
            "facts": facts,
            "withheld": withheld,
        },
        plain=lambda: view.explain_lines(facts, withheld),
        rich=lambda: view.explain(facts, withheld),
        rows=[*facts, *withheld],
    )
    if key.revoked is not None:
        output.note("The key is revoked: it gets nothing any more, and this is what it would get.")
    elif "memory.read" not in key.scopes:
        output.note("The key has no scope memory.read: it cannot search, and this is what it would get.")


app = app_of(explain)
