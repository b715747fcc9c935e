from typing import Annotated

import typer

from brainctl.cli.own.own_brain import open_own
from brainctl.cli.rereading import open_to_reread, spooled
from brainctl.cli.session import Interruption, Session
from brainctl.cli.tree import app_of
from brainctl.cli.views import archive as view
from brainctl.cli.views import rows
from brainctl.contract.errors import BrainError


def import_archive(
    context: typer.Context,
    file: Annotated[
        str | None, typer.Argument(metavar="[FILE]", help="What export wrote, or facts; - is standard input.")
    ] = None,
) -> None:
    """Load JSON lines into the brain. What it holds already is passed over, so it may be run again.

    \b
    Examples:
      brainctl brain import brain.jsonl
      gunzip -c brain.jsonl.gz | brainctl brain import

    Everything is checked before anything is written. Interrupted, run it again: it goes on where it stopped.
    A line may also be a fact written by hand:
    {"text": "...", "kind": "decision", "origin": "ingested", "subject": "refunds", "confidence": 0.9,
    "recorded_time": "2026-07-14T09:12:44.318Z"}
    """
    session = Session.of(context)
    output = session.checked_output()
    stdin = session.environment.stdin
    if file is None and (stdin is None or session.environment.is_terminal(stdin)):
        raise BrainError("usage", "FILE is missing: give it as an argument, or pipe it in.")
    is_piped = file is None or file == "-"
    name = "standard input" if file is None or file == "-" else file
    with (
        spooled(stdin) if is_piped else open_to_reread(name) as stream,
        open_own(session) as owner,
    ):
        plan = owner.check_archive(stream, name, lambda lines: output.progress(f"Checking: {lines:,} lines"))
        session.if_interrupted = Interruption("Run the same command again to go on.", None)
        stream.seek(0)
        loaded = owner.load_archive(
            stream, plan, lambda lines: output.progress(view.progress("Importing", lines, plan.lines))
        )
        pending = owner.pending_meanings()
        to_index = owner.store.address, owner.workspace
    output.progress("")
    result = {
        "imported": loaded.facts,
        "already_there": loaded.known,
        "people": loaded.people,
        "members": loaded.members,
        "keys": loaded.keys,
        "workers": loaded.workers,
        "answers": loaded.answers,
    }
    output.result(
        result,
        plain=lambda: rows.pairs(view.pairs(result)),
        rich=lambda: rows.pairs_table(view.pairs(result)),
    )
    if pending:
        from brainctl.cli.own.indexing import start_indexing
        from brainctl.cli.views import meanings

        output.note(meanings.waiting(pending, started=start_indexing(*to_index)))


app = app_of(import_archive)
