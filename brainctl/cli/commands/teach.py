from typing import Annotated

import typer

from brainctl.cli.session import Session
from brainctl.cli.teaching import Batch, gather, teach_all
from brainctl.cli.tree import app_of
from brainctl.cli.views import teaching as view


def teach(
    context: typer.Context,
    texts: Annotated[
        list[str] | None, typer.Argument(metavar="[TEXT]...", help="Facts, one each; - reads standard input.")
    ] = None,
    files: Annotated[
        list[str] | None,
        typer.Option("--file", "-f", metavar="FILE", help="A file of facts; - is standard input."),
    ] = None,
    form: Annotated[
        str | None,
        typer.Option(
            "--format", metavar="text|jsonl|csv", help="The files' format; else their suffix says it."
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print what would be sent, and send nothing.")
    ] = False,
    resume: Annotated[
        bool,
        typer.Option(
            "--resume/--no-resume", help="Go on where an interrupted run of the same facts stopped."
        ),
    ] = True,
) -> None:
    """Teach the brain any number of facts. Repeating a fact is harmless.

    \b
    Examples:
      brainctl teach "Deposits are refundable until 30 days before the event."
      brainctl teach -f handbook.txt -f prices.csv
      git log -1 --format=%s | brainctl teach
      brainctl teach -f facts.jsonl --dry-run

    Text files hold one fact a line; blank lines and lines that start with # are passed over.
    JSON lines are {"text": "..."}; a CSV file has a column named text.
    Everything is checked before anything is sent.
    """
    session = Session.of(context)
    output = session.checked_output()
    with gather(session, texts or [], files or [], form) as taught:
        if dry_run:
            bodies = [{"facts": [{"text": text} for text in batch]} for batch in taught.batches()]
            everything = {"facts": [fact for body in bodies for fact in body["facts"]]}
            output.result(
                everything,
                plain=lambda: view.texts(fact["text"] for fact in everything["facts"]),
                rows=bodies,
            )
            output.note(f"Facts: {taught.count}, calls: {len(bodies)}. Nothing was sent.")
            return

        def each(batch: Batch) -> None:
            if output.form == "jsonl":
                output.json_line(batch.reply)
            output.progress(view.progress(batch.done, taught.count))

        total = teach_all(session, taught, resume=resume, each=each)
    output.progress("")
    if output.form == "jsonl":
        output.note(view.sentence(total))
    else:
        output.result(total, plain=lambda: view.counters(total), rich=lambda: view.table(total))


app = app_of(teach)
