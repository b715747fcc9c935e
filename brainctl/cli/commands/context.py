from typing import Annotated, Any, cast

import typer

from brainctl.cli.commands.options import Batch, EndUser, EndUserName, Resume
from brainctl.cli.reading import end_user, given_text, is_batch
from brainctl.cli.session import Session
from brainctl.cli.tree import app_of
from brainctl.cli.views import packet as view
from brainctl.contract.bounds import PACKET_VERSION, TOKEN_BUDGET_DEFAULT, TOKEN_BUDGET_MAX
from brainctl.contract.errors import BrainError
from brainctl.contract.replies import ContextReply
from brainctl.contract.requests import CONTEXT, ContextRequest


def context(
    context: typer.Context,
    query: Annotated[
        str | None,
        typer.Argument(metavar="[QUERY]", help="What the packet is to help with; - reads standard input."),
    ] = None,
    token_budget: Annotated[
        int | None,
        typer.Option(
            "--token-budget", "-b", metavar="N", help="The most tokens, 100 to 20000 (default 1500)."
        ),
    ] = None,
    expect_version: Annotated[
        int | None,
        typer.Option(
            "--expect-version", metavar="N", help="Fail unless the packet's format has this version."
        ),
    ] = None,
    end_user_id: EndUser = None,
    end_user_name: EndUserName = None,
    batch: Batch = None,
    resume: Resume = None,
) -> None:
    """Build a memory packet, ready to paste or pipe.

    \b
    Examples:
      brainctl context "can Maria move her wedding date again" --end-user cust_419
      brainctl context "refund policy" -b 400 | pbcopy
      brainctl context "refund policy" --json | jq .packet_version
      brainctl context --batch queries.txt --resume packets.jsonl

    In a pipe the rendered packet is printed and nothing else. A terminal is also told how much of the budget it used.
    """
    session = Session.of(context)
    output = session.checked_output()
    common = end_user(end_user_id, end_user_name)
    if token_budget is not None:
        common["token_budget"] = token_budget

    def packet(body: dict[str, Any]) -> ContextReply:
        reply = session.brain.context(cast("ContextRequest", body))
        if expect_version is not None:
            _require(view.parts_of(reply)[1], expect_version)
        return reply

    if is_batch(batch, resume, query, "QUERY"):
        from brainctl.cli.batch.batch import one_by_one, run_batch
        from brainctl.cli.batch.input import Kind

        run_batch(session, Kind(CONTEXT, "query"), str(batch), resume, common, one_by_one(packet))
        return
    query_text = given_text(session, query, "QUERY")
    reply = packet({"query": query_text, **common})
    rendered, version = view.parts_of(reply)
    if expect_version is None and version != PACKET_VERSION:
        output.warn(f"The packet has version {version}; this brainctl knows version {PACKET_VERSION}.")
    output.result(reply, plain=lambda: rendered, rich=lambda: view.packet(rendered))
    if output.at_terminal and output.form == "human" and not output.quiet:
        left_out = None
        # A brain on this machine is asked once more, without a limit worth naming; a hosted one would count that.
        if session.access.store is not None:
            whole = packet({"query": query_text, **common, "token_budget": TOKEN_BUDGET_MAX})
            left_out = len(whole["facts"]) - len(reply["facts"])
        output.note(view.used(reply, token_budget or TOKEN_BUDGET_DEFAULT, left_out))


def _require(version: Any, expected: int) -> None:
    if version != expected:
        raise BrainError(
            "bad_response",
            f"The packet has version {version}, and version {expected} was expected: "
            "check your prompt against the new format, then raise --expect-version.",
        )


app = app_of(context)
