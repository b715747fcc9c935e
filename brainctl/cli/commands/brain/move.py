from typing import TYPE_CHECKING, Annotated, Any

import typer

from brainctl.cli.own.own_brain import open_own, own_environment, whole
from brainctl.cli.session import Interruption, Session
from brainctl.cli.tree import app_of
from brainctl.cli.views import moving as view
from brainctl.cli.views import rows
from brainctl.contract.errors import BrainError

if TYPE_CHECKING:
    from brainctl.engine.moving.moving import Plan


def move(
    context: typer.Context,
    to: Annotated[
        str, typer.Option("--to", metavar="ADDRESS", help="A file, or postgresql://user@host/database.")
    ],
    workspace: Annotated[
        str | None,
        typer.Option("--workspace", metavar="NAME", help="What it is called in a database; else as now."),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would be moved, and move nothing.")
    ] = False,
) -> None:
    """Move the brain to another store, and back. Its keys, facts, answers and their ids stay what they are.

    \b
    Examples:
      brainctl brain move --to postgresql://brain@db.example.com/brains
      brainctl brain move --to brain.db --dry-run

    First stop whatever serves the brain or writes to it. One state of it is copied, and compared with the brain, table
    by table, at the end; had it changed meanwhile, it stays where it is, and you run the same command again. Only a
    brain that is all there is named there, and used from then on. The old store is left as it was, for you to remove.
    Interrupted at any moment, run it again: it goes on where it stopped.
    A server that was not stopped goes on with the old store. What counts requests a minute begins anew.
    """
    from contextlib import nullcontext

    from brainctl.engine.store.opening import is_database
    from brainctl.profiles.changes import move_environment
    from brainctl.profiles.files import locked
    from brainctl.profiles.grammar import check_name

    session = Session.of(context)
    output = session.checked_output()
    address = whole(to)
    if workspace is not None:
        check_name(workspace, "workspace")
        if not is_database(address):
            raise BrainError(
                "usage", "--workspace names a brain in a database, and a file holds one brain: leave it out."
            )
    environment = own_environment(session)
    # Of two that move it at once, the second finds it moved; a database sees to that itself.
    with open_own(session) as owner, nullcontext() if is_database(address) or dry_run else locked(address):
        way = owner.move(address, workspace)
        if dry_run:
            _show_plan(session, environment.store or "", address, way.plan())
            return
        session.if_interrupted = Interruption("Run the same command again to go on.", None)
        moved = way.run(lambda doing, done, of: output.progress(view.progress(doing, done, of)))
        output.progress("")
        there = moved.name if is_database(address) else None
        move_environment(session.environ, environment, address, there, warn=output.warn)
        session.if_interrupted = None
    tables = [{"table": name, "rows": digest.rows, "digest": digest.sum} for name, digest in moved.tables]
    result: dict[str, Any] = {
        "environment": environment.name,
        "from": environment.store,
        "to": address,
        "workspace": there,
        "was_there": moved.was_there,
        "tables": tables,
    }
    output.result(
        result,
        plain=lambda: rows.lines(view.cells(tables)),
        rich=lambda: rows.table(view.HEADS, view.cells(tables, short=True)),
        rows=tables,
    )
    output.note(
        f"Both stores hold the same, table by table. The environment {environment.name} now uses {address}."
    )
    output.note(
        view.old_one(
            environment.store or "", environment.workspace, is_file=not is_database(environment.store or "")
        )
    )


def _show_plan(session: Session, source: str, address: str, plan: "Plan") -> None:
    tables = [each._asdict() for each in plan.tables]
    result = {"from": source, "to": address, "workspace": plan.name, "there": plan.there, "tables": tables}
    session.output.result(
        result,
        plain=lambda: rows.lines(view.plan_cells(tables)),
        rich=lambda: rows.table(view.HEADS[:2], view.plan_cells(tables)),
        rows=tables,
    )
    session.output.note(view.THERE[plan.there])


app = app_of(move)
