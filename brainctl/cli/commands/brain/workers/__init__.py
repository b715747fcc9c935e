"""The workers of a brain of one's own."""

from typing import ClassVar

from brainctl.cli.tree import Entry, LazyGroup, group_of


class WorkersGroup(LazyGroup):
    entries: ClassVar[dict[str, Entry]] = {
        "set": Entry("brainctl.cli.commands.brain.workers.set", "Let a model answer."),
        "list": Entry("brainctl.cli.commands.brain.workers.list", "List the workers that are set."),
        "remove": Entry("brainctl.cli.commands.brain.workers.remove", "Forget a worker."),
    }


def workers() -> None:
    """Choose who answers. Without any, `main` answers from the facts alone, with no model.

    \b
    Examples:
      brainctl brain workers set main --model llama3.2 --base-url http://127.0.0.1:11434/v1
      brainctl brain workers set legal --model gpt-5-mini --base-url https://api.openai.com/v1 --key-env OPENAI_API_KEY
      brainctl brain workers list
    """


app = group_of(WorkersGroup, workers)
