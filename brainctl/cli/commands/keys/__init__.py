"""Key profiles on this machine."""

from typing import ClassVar

from brainctl.cli.tree import Entry, LazyGroup, group_of


class KeysGroup(LazyGroup):
    entries: ClassVar[dict[str, Entry]] = {
        "add": Entry("brainctl.cli.commands.keys.add", "Save a key as a profile."),
        "list": Entry("brainctl.cli.commands.keys.list", "List the profiles, by environment."),
        "use": Entry("brainctl.cli.commands.keys.use", "Choose the profile that commands use."),
        "show": Entry("brainctl.cli.commands.keys.show", "Show what is known of one profile."),
        "rename": Entry("brainctl.cli.commands.keys.rename", "Give a profile another name."),
        "remove": Entry("brainctl.cli.commands.keys.remove", "Forget a profile and its key."),
        "check": Entry("brainctl.cli.commands.keys.check", "Prove that a profile's key is good."),
    }


def keys() -> None:
    """Keep key profiles, per environment. A key is never taken from an argument.

    \b
    Examples:
      brainctl keys add support                   asks for the key, shows nothing
      pass show alfera | brainctl keys add ci --key-stdin
      brainctl keys add dev --env staging --base-url https://brain.example.com
      brainctl keys use support
      brainctl keys list
    """


app = group_of(KeysGroup, keys)
