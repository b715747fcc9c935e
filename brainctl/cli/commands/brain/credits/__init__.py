"""The credits of a brain of one's own."""

from typing import ClassVar

from brainctl.cli.tree import Entry, LazyGroup, group_of


class CreditsGroup(LazyGroup):
    entries: ClassVar[dict[str, Entry]] = {
        "set": Entry("brainctl.cli.commands.brain.credits.set", "Give so many credits, or count none."),
        "show": Entry("brainctl.cli.commands.brain.credits.show", "Show what is left."),
    }


def balance() -> None:
    """Count what answers cost, to try out how a client meets an empty balance.

    \b
    Examples:
      brainctl brain credits set 10
      brainctl brain credits set off
      brainctl brain credits show
    """


app = group_of(CreditsGroup, balance)
