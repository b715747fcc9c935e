from typing import Annotated, Any, cast

import typer

from brainctl.cli.commands.options import EndUser, EndUserName
from brainctl.cli.reading import end_user, given_text
from brainctl.cli.session import Session
from brainctl.cli.tree import app_of
from brainctl.cli.views import packet as view
from brainctl.contract.bounds import PACKET_VERSION
from brainctl.contract.errors import BrainError
from brainctl.contract.requests import ContextRequest


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
) -> None:
    """Build a memory packet, ready to paste or pipe.

    \b
    Examples:
      brainctl context "can Maria move her wedding date again" --end-user cust_419
      brainctl context "refund policy" -b 400 | pbcopy
      brainctl context "refund policy" --json | jq .packet_version

    In a pipe the rendered packet is printed and nothing else.
    """
    session = Session.of(context)
    output = session.checked_output()
    body: dict[str, Any] = {
        "query": given_text(session, query, "QUERY"),
        **end_user(end_user_id, end_user_name),
    }
    if token_budget is not None:
        body["token_budget"] = token_budget
    reply = session.brain.context(cast("ContextRequest", body))
    rendered, version = view.parts_of(reply)
    if expect_version is not None and version != expect_version:
        raise BrainError(
            "bad_response",
            f"The packet has version {version}, and version {expect_version} was expected: "
            "check your prompt against the new format, then raise --expect-version.",
        )
    if expect_version is None and version != PACKET_VERSION:
        output.warn(f"The packet has version {version}; this brainctl knows version {PACKET_VERSION}.")
    output.result(reply, plain=lambda: rendered, rich=lambda: view.packet(rendered))


app = app_of(context)
