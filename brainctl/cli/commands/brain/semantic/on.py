from typing import TYPE_CHECKING, Annotated

import typer

from brainctl.cli.own.own_brain import open_own
from brainctl.cli.session import Interruption, Session
from brainctl.cli.tree import app_of
from brainctl.cli.views import meanings as view
from brainctl.cli.views import rows

if TYPE_CHECKING:
    from brainctl.cli.output import Output
    from brainctl.engine.owner import Owner


def on(
    context: typer.Context,
    wait: Annotated[
        bool, typer.Option("--wait", help="Stay until all facts are read, and show how far it is.")
    ] = False,
) -> None:
    """Find facts by their meaning too.

    \b
    Examples:
      brainctl brain semantic on
      brainctl brain semantic on --wait

    Every fact is read once, about a hundred a second, in the background: by the server where the brain is served, else by
    a process that ends when all are read. The brain can be used meanwhile. Stopped halfway, call it again: it goes on
    where it was. New facts are seen to as they come.
    """
    from brainctl.cli.own.indexing import start_indexing

    session = Session.of(context)
    output = session.checked_output()
    with open_own(session) as owner:
        owner.want_meanings()
        if wait:
            session.if_interrupted = Interruption("Run the same command again to go on.", None)
            _wait(owner, output)
        standing = owner.meanings()
        to_index = owner.store.address, owner.workspace
    started = bool(standing.pending) and not wait and start_indexing(*to_index)
    result = view.result(standing)
    output.result(
        result,
        plain=lambda: rows.pairs(view.pairs(result)),
        rich=lambda: rows.pairs_table(view.pairs(result)),
    )
    if standing.pending:
        output.note(view.waiting(standing.pending, started=started))


def _wait(owner: "Owner", output: "Output") -> None:
    def tell(ready: int, pending: int) -> None:
        output.progress(f"Reading facts: {ready:,} of {ready + pending:,}")

    owner.await_meanings(tell)
    output.progress("")


app = app_of(on)
