"""The colleagues a brain knows."""

from typing import ClassVar

from brainctl.cli.tree import Entry, LazyGroup, group_of


class MembersGroup(LazyGroup):
    entries: ClassVar[dict[str, Entry]] = {
        "add": Entry("brainctl.cli.commands.brain.members.add", "Name a colleague."),
        "list": Entry("brainctl.cli.commands.brain.members.list", "List the colleagues."),
        "remove": Entry(
            "brainctl.cli.commands.brain.members.remove",
            "Forget a colleague; the facts stay, and stay inside.",
        ),
    }


def members() -> None:
    """Name your colleagues. Facts about them never reach an external key.

    \b
    Examples:
      brainctl brain members add "Priya Nair"
      brainctl brain members list
    """


app = group_of(MembersGroup, members)
