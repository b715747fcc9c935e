"""The keys of a brain of one's own."""

from typing import ClassVar

from brainctl.cli.tree import Entry, LazyGroup, group_of


class BrainKeysGroup(LazyGroup):
    entries: ClassVar[dict[str, Entry]] = {
        "create": Entry(
            "brainctl.cli.commands.brain.keys.create", "Make a key; its secret is shown this once."
        ),
        "list": Entry("brainctl.cli.commands.brain.keys.list", "List the keys, never their secrets."),
        "revoke": Entry("brainctl.cli.commands.brain.keys.revoke", "Revoke a key: its next request fails."),
    }


def keys() -> None:
    """Make, list and revoke the keys of your brain.

    \b
    Examples:
      brainctl brain keys create support-bot --audience external --scope memory.read --expires 90d
      brainctl brain keys list
      brainctl brain keys revoke support-bot
    """


app = group_of(BrainKeysGroup, keys)
