"""The people a brain knows by an id."""

from typing import ClassVar

from brainctl.cli.tree import Entry, LazyGroup, group_of


class PeopleGroup(LazyGroup):
    entries: ClassVar[dict[str, Entry]] = {
        "add": Entry("brainctl.cli.commands.brain.people.add", "Bind a customer's id to a name."),
        "list": Entry("brainctl.cli.commands.brain.people.list", "List the people."),
        "remove": Entry(
            "brainctl.cli.commands.brain.people.remove",
            "Forget a binding; the facts stay, about nobody that a key can name.",
        ),
    }


def people() -> None:
    """Bind your customers' ids to their names. Facts about them are theirs from then on.

    A fact about somebody bound to no id is shown to no external key.

    \b
    Examples:
      brainctl brain people add cust_419 --name Maria
      brainctl brain people list
    """


app = group_of(PeopleGroup, people)
