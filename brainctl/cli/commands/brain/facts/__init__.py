"""The facts of a brain of one's own."""

from typing import ClassVar

from brainctl.cli.tree import Entry, LazyGroup, group_of


class FactsGroup(LazyGroup):
    entries: ClassVar[dict[str, Entry]] = {
        "list": Entry("brainctl.cli.commands.brain.facts.list", "List facts, the newest first."),
        "show": Entry("brainctl.cli.commands.brain.facts.show", "Show all that is stored of a fact."),
        "why": Entry(
            "brainctl.cli.commands.brain.facts.why", "Say why a fact is there, and why it is as it is."
        ),
        "history": Entry(
            "brainctl.cli.commands.brain.facts.history", "Show how the facts of a subject came to be."
        ),
        "restore": Entry(
            "brainctl.cli.commands.brain.facts.restore", "Let a superseded fact be current again."
        ),
        "forget": Entry("brainctl.cli.commands.brain.facts.forget", "Remove facts for good."),
    }


def facts() -> None:
    """Look at the facts of your brain, all of them, and remove those that must go.

    \b
    Examples:
      brainctl brain facts list --subject "refund policy"
      brainctl brain facts show fact_01k9p3v8m7f2ha6z0qc4rjxn5w
      brainctl brain facts forget fact_01k9p3v8m7f2ha6z0qc4rjxn5w
    """


app = group_of(FactsGroup, facts)
