from typing import Annotated, Any, cast

import typer

from brainctl.cli.commands.options import Batch, EndUser, EndUserName, Resume
from brainctl.cli.reading import end_user, given_text, is_batch
from brainctl.cli.session import Session
from brainctl.cli.tree import app_of
from brainctl.cli.views import facts as view
from brainctl.contract.requests import SEARCH, SearchRequest


def search(
    context: typer.Context,
    query: Annotated[
        str | None,
        typer.Argument(metavar="[QUERY]", help="What to look for; - or a pipe reads standard input."),
    ] = None,
    limit: Annotated[
        int | None, typer.Option("--limit", "-n", metavar="N", help="The most facts, 1 to 100 (default 20).")
    ] = None,
    end_user_id: EndUser = None,
    end_user_name: EndUserName = None,
    batch: Batch = None,
    resume: Resume = None,
) -> None:
    """Find facts, most relevant first.

    \b
    Examples:
      brainctl search "refund policy for weddings"
      brainctl search "wedding date" --end-user cust_419 -n 5
      brainctl search "opening hours" --json | jq -r '.facts[].fact_text'
      echo "deposits" | brainctl search
      brainctl search --batch queries.txt --resume found.jsonl

    In a pipe each fact is one tab-separated line: id, kind, origin, subject, confidence, time, text.
    """
    session = Session.of(context)
    output = session.checked_output()
    common = end_user(end_user_id, end_user_name)
    if limit is not None:
        common["limit"] = limit
    if is_batch(batch, resume, query, "QUERY"):
        from brainctl.cli.batch.batch import one_by_one, run_batch
        from brainctl.cli.batch.input import Kind

        found_by = one_by_one(lambda body: session.brain.search(cast("SearchRequest", body)))
        run_batch(session, Kind(SEARCH, "query"), str(batch), resume, common, found_by)
        return
    body: dict[str, Any] = {"query": given_text(session, query, "QUERY"), **common}
    reply = session.brain.search(cast("SearchRequest", body))
    found = view.facts_of(reply)
    if not found and output.form == "human" and output.at_terminal:
        output.note("No facts match.")
        return
    output.result(
        reply,
        plain=lambda: view.lines(found),
        rich=lambda: view.table(found, output.environment.columns()),
        rows=found,
    )


app = app_of(search)
