import typer

from brainctl.cli.commands.brain.workspaces.options import Store
from brainctl.cli.own.own_brain import store_of
from brainctl.cli.session import Session
from brainctl.cli.tree import app_of
from brainctl.cli.views import brain as view
from brainctl.cli.views import rows


def list_all(context: typer.Context, store: Store = None) -> None:
    """List the workspaces, and what each holds. Facts are the current ones, keys the live ones.

    \b
    Examples:
      brainctl brain workspaces list
      brainctl brain workspaces list --store postgresql://brain@db.example.com/brains --json

    In a pipe each is one tab-separated line: name, facts, keys, answers, when it was made.
    """
    from brainctl.engine import times
    from brainctl.engine.workspaces import list_workspaces

    session = Session.of(context)
    output = session.checked_output()
    address = store_of(session, store)
    found = [
        {"workspace": each.name, **each.held._asdict(), "created_at": times.to_text(each.created)}
        for each in list_workspaces(address)
    ]
    output.result(
        {"store": address, "workspaces": found},
        plain=lambda: rows.lines(view.workspace_cells(found)),
        rich=lambda: rows.table(view.WORKSPACE_HEADS, view.workspace_cells(found, days=True)),
        rows=found,
    )


app = app_of(list_all)
