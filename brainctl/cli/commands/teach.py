from typing import Annotated

import typer

from brainctl.cli.output import Output
from brainctl.cli.session import Session
from brainctl.cli.teaching.fact_sources import Facts, gather
from brainctl.cli.teaching.files import TeachingFiles
from brainctl.cli.teaching.teaching import Progress, teach_all
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
    report: Annotated[
        str | None,
        typer.Option("--report", metavar="FILE", help="Write what came of each fact, as JSON lines."),
    ] = None,
    rejected: Annotated[
        str | None,
        typer.Option(
            "--rejected", metavar="FILE", help="Write the facts that were not accepted, for --file."
        ),
    ] = None,
) -> None:
    """Teach the brain any number of facts. Repeating a fact is harmless.

    \b
    Examples:
      brainctl teach "Deposits are refundable until 30 days before the event."
      brainctl teach -f handbook.txt -f prices.csv
      git log -1 --format=%s | brainctl teach
      brainctl teach -f facts.jsonl --dry-run
      brainctl teach -f facts.csv --report report.jsonl --rejected again.jsonl

    Text files hold one fact a line; blank lines and lines that start with # are passed over.
    JSON lines are {"text": "..."}; a CSV file has a column named text.
    Everything is checked before anything is sent.
    A call that the brain refuses does not keep back the others; the exit code is then not 0.
    """
    session = Session.of(context)
    output = session.checked_output()
    files_given = files or []
    with (
        TeachingFiles(report, rejected, files_given) as written,
        gather(session, texts or [], files_given, form, written.refuse) as facts,
    ):
        if dry_run:
            _print_only(output, facts)
            return

        def each(progress: Progress) -> None:
            if output.form == "jsonl":
                output.json_line(progress.reply)
            output.progress(view.progress(progress.done, facts.count))

        total, failure = teach_all(session, facts, written, resume=resume, each=each)
    output.progress("")
    if output.form == "jsonl":
        output.note(view.sentence(total))
    else:
        output.result(total, plain=lambda: view.counters(total), rich=lambda: view.table(total))
    if failure is not None:
        raise failure


def _print_only(output: Output, facts: Facts) -> None:
    """What would be sent, call by call, however much it is."""
    calls = 0
    for calls, batch in enumerate(facts.batches(), start=1):
        texts = [fact.text for fact in batch]
        if output.form == "jsonl":
            output.json_line({"facts": [{"text": text} for text in texts]})
        elif output.form == "json":
            output.raw(view.part_of_document(texts, is_first=calls == 1).encode())
        else:
            output.text(view.texts(texts))
    if output.form == "json":
        output.raw(view.DOCUMENT_END.encode())
    output.note(f"Facts: {facts.count}, calls: {calls}. Nothing was sent.")


app = app_of(teach)
