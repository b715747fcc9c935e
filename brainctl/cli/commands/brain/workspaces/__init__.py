"""The brains that one database holds."""

from typing import ClassVar

from brainctl.cli.tree import Entry, LazyGroup, group_of


class WorkspacesGroup(LazyGroup):
    entries: ClassVar[dict[str, Entry]] = {
        "create": Entry(
            "brainctl.cli.commands.brain.workspaces.create",
            "Make an empty workspace, and its first key; the secret is shown this once.",
        ),
        "list": Entry(
            "brainctl.cli.commands.brain.workspaces.list", "List the workspaces, and what each holds."
        ),
        "remove": Entry(
            "brainctl.cli.commands.brain.workspaces.remove", "Remove a workspace with all that it holds."
        ),
    }


def workspaces() -> None:
    """Make, list and remove the brains that one database holds. No key of one sees anything of another.

    \b
    Examples:
      brainctl brain workspaces create support --store postgresql://brain@db.example.com/brains
      brainctl brain workspaces list
      brainctl brain workspaces remove support
    """


app = group_of(WorkspacesGroup, workspaces)
