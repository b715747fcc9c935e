"""The brain that you run yourself."""

from typing import ClassVar

from brainctl.cli.tree import Entry, LazyGroup, group_of


class BrainGroup(LazyGroup):
    entries: ClassVar[dict[str, Entry]] = {
        "init": Entry("brainctl.cli.commands.brain.init", "Make a brain of your own."),
        "serve": Entry(
            "brainctl.cli.commands.brain.serve",
            "Serve your brain to others: the Brain API and MCP, over HTTP.",
        ),
        "keys": Entry("brainctl.cli.commands.brain.keys", "Make, list and revoke the keys of your brain."),
        "people": Entry("brainctl.cli.commands.brain.people", "Bind your customers' ids to their names."),
        "members": Entry("brainctl.cli.commands.brain.members", "Name your colleagues."),
        "facts": Entry(
            "brainctl.cli.commands.brain.facts",
            "Look at the facts of your brain, all of them, and remove those that must go.",
        ),
        "explain": Entry(
            "brainctl.cli.commands.brain.explain",
            "Show what a key would get for a query, and what is withheld from it.",
        ),
        "audit": Entry(
            "brainctl.cli.commands.brain.audit", "List the facts that deserve a second look, and why."
        ),
        "semantic": Entry(
            "brainctl.cli.commands.brain.semantic",
            "Find facts by their meaning too, with a model on this machine.",
        ),
        "capture": Entry(
            "brainctl.cli.commands.brain.capture",
            "Show or choose who captures: the rules alone, or a worker's model within the rules' guards.",
        ),
        "workers": Entry("brainctl.cli.commands.brain.workers", "Choose who answers."),
        "credits": Entry(
            "brainctl.cli.commands.brain.credits",
            "Count what answers cost, to try out how a client meets an empty balance.",
        ),
        "export": Entry("brainctl.cli.commands.brain.export", "Write the brain out as JSON lines."),
        "import": Entry("brainctl.cli.commands.brain.importing", "Load JSON lines into the brain."),
        "backup": Entry("brainctl.cli.commands.brain.backup", "Copy the brain's file while it is in use."),
        "move": Entry("brainctl.cli.commands.brain.move", "Move the brain to another store, and back."),
        "workspaces": Entry(
            "brainctl.cli.commands.brain.workspaces",
            "Make, list and remove the brains that one database holds.",
        ),
        "stats": Entry("brainctl.cli.commands.brain.stats", "Show what the brain holds, in figures."),
    }


def brain() -> None:
    """Run a brain of your own. It is a file on this machine, or a part of a database: no account.

    \b
    Examples:
      brainctl brain init --sample
      brainctl brain keys create support-bot --audience external --scope memory.read
      brainctl brain people add cust_419 --name Maria
    """


app = group_of(BrainGroup, brain)
