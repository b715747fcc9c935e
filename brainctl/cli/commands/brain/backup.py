import os
from typing import Annotated

import typer

from brainctl.cli.own.own_brain import open_own, own_environment
from brainctl.cli.session import Session
from brainctl.cli.tree import app_of
from brainctl.cli.views import archive as view
from brainctl.cli.views import rows
from brainctl.contract.errors import BrainError


def backup(
    context: typer.Context,
    file: Annotated[str, typer.Argument(metavar="FILE", help="Where the copy goes.")],
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there.")] = False,
) -> None:
    """Copy the brain's file while it is in use. The copy is one state of it, and is checked.

    \b
    Examples:
      brainctl brain backup brain-2026-11-30.db

    The copy holds everything, answers and the digests of keys too; it is made readable by you alone.
    To restore it, put it in place of the brain's file while no brainctl runs, and delete the files beside that
    one whose names end in -wal and -shm.
    A database is backed up by its own means: run here, this says how.
    """
    session = Session.of(context)
    output = session.checked_output()
    _refuse_database(own_environment(session).store or "", file)

    def tell(done: int, pages: int) -> None:
        output.progress(f"Copying: {done * 100 // max(pages, 1)} %" if done < pages else "Checking the copy")

    with open_own(session) as owner:
        counted = owner.back_up(file, replace=force, tell=tell)
    output.progress("")
    result = {"file": file, "bytes": os.stat(file).st_size, **counted._asdict()}
    output.result(
        result,
        plain=lambda: rows.pairs(view.pairs(result)),
        rich=lambda: rows.pairs_table(view.pairs(result)),
    )


def _refuse_database(store: str, file: str) -> None:
    from shlex import quote

    from brainctl.engine.store.opening import is_database

    if is_database(store):
        raise BrainError(
            "usage",
            "A database is backed up by its own means, with all brains in it: "
            f"`pg_dump --format=custom --schema=brainctl --file={quote(file)} {quote(store)}`; "
            "`brainctl brain export` writes this brain alone as lines.",
        )


app = app_of(backup)
