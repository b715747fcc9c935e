"""The root of the command tree."""

from typing import Annotated, ClassVar

import typer

from brainctl import __version__
from brainctl.cli.session import Session
from brainctl.cli.tree import Entry, LazyGroup, group_of


class Root(LazyGroup):
    entries: ClassVar[dict[str, Entry]] = {
        "search": Entry("brainctl.cli.commands.search", "Find facts, most relevant first."),
        "context": Entry("brainctl.cli.commands.context", "Build a memory packet, ready to paste or pipe."),
        "teach": Entry("brainctl.cli.commands.teach", "Teach the brain any number of facts."),
        "ask": Entry("brainctl.cli.commands.ask", "Ask the worker a question."),
        "wait": Entry(
            "brainctl.cli.commands.wait", "Keep waiting for an answer; it is never asked for twice."
        ),
        "whoami": Entry(
            "brainctl.cli.commands.whoami",
            "Show the key in use and where it came from.",
        ),
        "keys": Entry("brainctl.cli.commands.keys", "Keep key profiles, per environment."),
        "brain": Entry("brainctl.cli.commands.brain", "Run a brain of your own."),
        "mcp": Entry("brainctl.cli.commands.mcp", "Give an agent the brain as tools."),
        "api": Entry("brainctl.cli.commands.api", "Make one raw request with the profile's key."),
        "expect": Entry(
            "brainctl.cli.commands.expect", "Check what the brain knows, and what a key must not see."
        ),
        "doctor": Entry(
            "brainctl.cli.commands.doctor", "Look for what is wrong with this set-up, and say what to do."
        ),
        "completion": Entry("brainctl.cli.commands.completion", "Print a completion script for your shell."),
        "man": Entry("brainctl.cli.commands.man", "Write the man pages, one for each command."),
    }


def _show_version(context: typer.Context, asked: bool) -> None:
    if asked and not context.resilient_parsing:
        Session.of(context).output.text(f"brainctl {__version__}")
        raise typer.Exit


def root(
    version: Annotated[
        bool,
        typer.Option(
            "--version", "-V", is_eager=True, callback=_show_version, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    """Operate a workspace brain: hosted, or your own on this machine.

    \b
    Examples:
      brainctl brain init --sample                  a brain on this machine, with facts to try
      brainctl search "refund policy"               facts, most relevant first
      brainctl context "can Maria move her date" --end-user cust_419
      brainctl teach "We close on public holidays."
      brainctl search "opening hours" --json | jq -r '.facts[].fact_text'
    """


app = group_of(Root, root)
