from typing import Annotated

import typer

from brainctl.cli.commands.brain.workspaces.options import Store
from brainctl.cli.own.own_brain import store_of
from brainctl.cli.session import Session
from brainctl.cli.tree import app_of
from brainctl.cli.views import brain as view
from brainctl.cli.views import rows


def create(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="What to call it.")],
    store: Store = None,
) -> None:
    """Make an empty workspace, and its first key; the secret is shown this once.

    \b
    Examples:
      brainctl brain workspaces create support --store postgresql://brain@db.example.com/brains
      brainctl brain workspaces create support | brainctl keys add owner --env support --store ADDRESS --key-stdin

    The key may do everything. Saved as above, it lets you run the `brain` commands for that workspace too.
    """
    from brainctl.engine.workspaces import create_workspace
    from brainctl.profiles.grammar import check_name

    session = Session.of(context)
    output = session.checked_output()
    check_name(name, "workspace")
    address = store_of(session, store)
    new = create_workspace(address, name)
    made = {
        "workspace": name,
        "store": address,
        "key_name": new.key.name,
        "key_prefix": new.key.prefix,
        "scopes": list(new.key.scopes),
        "key_audience": new.key.audience,
        "secret": new.secret,
        "expires_at": None,
    }
    pairs = [("workspace", name), *view.new_key_pairs(made)]
    output.result(made, plain=lambda: f"{new.secret}\n", rich=lambda: rows.pairs_table(pairs))
    output.note("Keep the secret now: it is not shown again.")


app = app_of(create)
