from typing import Annotated

import typer

from brainctl.cli.commands.brain.workspaces.options import Store
from brainctl.cli.confirming import confirm
from brainctl.cli.own.own_brain import store_of
from brainctl.cli.session import Session
from brainctl.cli.tree import app_of
from brainctl.cli.views import brain as view
from brainctl.cli.views import rows


def remove(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="The workspace.")],
    store: Store = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Remove a workspace with all that it holds. Its keys stop at once.

    \b
    Examples:
      brainctl brain workspaces remove support
      brainctl brain workspaces remove support --store postgresql://brain@db.example.com/brains --yes

    Nothing brings it back but a backup of the database, or an export of it that you kept.
    """
    from brainctl.engine.workspaces import held_by, remove_workspace

    session = Session.of(context)
    output = session.checked_output()
    address = store_of(session, store)
    held = held_by(address, name)
    confirm(session, view.removal(name, held), yes=yes)
    output.progress(f"Removing {name}")
    remove_workspace(address, name)
    output.progress("")
    gone = {"workspace": name, **held._asdict()}
    pairs = [(each.replace("_", " "), str(value)) for each, value in gone.items()]
    output.result(gone, plain=lambda: rows.pairs(pairs), rich=lambda: rows.pairs_table(pairs))
    for environment in _environments(session, address, name):
        output.note(
            f"The environment {environment} still names it: `brainctl keys remove --environment --env {environment}`."
        )


def _environments(session: Session, store: str, workspace: str) -> list[str]:
    """The environments of this machine whose brain that was."""
    from brainctl.profiles.book import read_book

    found = read_book(session.environ).environments()
    return [each.name for each in found if (each.store, each.workspace) == (store, workspace)]


app = app_of(remove)
