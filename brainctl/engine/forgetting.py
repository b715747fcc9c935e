"""Forgetting: facts that their owner wants gone leave the store, and not only what is shown."""

from collections.abc import Sequence
from typing import NamedTuple

from brainctl.contract.errors import BrainError
from brainctl.engine.store.forgetting import Going, count_citing
from brainctl.engine.store.store import Store, facts_of


class Forgotten(NamedTuple):
    """What went. `earlier` are the facts that the named ones had replaced, which went with them; `citing` is how
    many answers hold one of them among their sources; `is_clean` is False where traces may lie in the store:
    another process has it open, or a database does not let this user write its tables anew.
    """

    named: list[str]
    earlier: list[str]
    citing: int
    is_clean: bool


def what_would_go(store: Store, workspace: int, fact_ids: Sequence[str]) -> list[str]:
    """The ids of all facts that would go if these were forgotten, the oldest first. Raises `not_found`."""
    # Naming what would go is writing to a list of one's own, which a database does not call reading.
    with store.transaction() as connection:
        return _going(Going(connection, workspace), fact_ids)


def forget(store: Store, workspace: int, fact_ids: Sequence[str]) -> Forgotten:
    """Remove facts for good, all or none. Raises `not_found`, naming every fact that is not there.

    A current fact takes with it what it had replaced: nothing that was superseded comes back. A superseded one
    goes alone, and what it had replaced is then replaced by its successor. Answers stay as they were said.
    """
    with store.transaction(facts_of(workspace)) as connection:
        going = Going(connection, workspace)
        gone = _going(going, fact_ids)
        citing = count_citing(connection, workspace, gone)
        going.pass_on()
        going.remove()
    is_clean = store.rewrite()
    named = set(fact_ids)
    return Forgotten(
        [each for each in gone if each in named],
        [each for each in gone if each not in named],
        citing,
        is_clean,
    )


def _going(going: Going, fact_ids: Sequence[str]) -> list[str]:
    unknown = going.name(fact_ids)
    if unknown:
        what = f"There is no fact {unknown[0]}" if len(unknown) == 1 else f"{len(unknown)} facts are not"
        raise BrainError(
            "not_found",
            f"{what} in this brain, so nothing was changed; `brainctl brain facts list` shows those there are",
            details={"fields": [{"field": each, "message": "is not in this brain"} for each in unknown]},
        )
    going.add_earlier()
    return going.ids()
