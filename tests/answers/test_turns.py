"""Several workspaces on one store: whose answer is run next."""

import pytest

from brainctl.engine import gate
from brainctl.engine.answers import ledger
from brainctl.engine.answers.runs import Means
from brainctl.engine.answers.workshop import Turns, Workshop
from brainctl.engine.store.answers import AnswerRow
from brainctl.engine.store.store import Store
from brainctl.engine.store.stores import open_stores
from brainctl.engine.worker.worker import Worker
from tests.answers.house import House, Scripted, echoes


def add_workspace(house: House) -> int:
    with house.owner.store.transaction() as connection:
        (workspace,) = connection.execute(
            "INSERT INTO workspaces (name, created) VALUES (?, ?) RETURNING workspace",
            (f"beside {house.workspace}", 0),
        ).fetchone()
    return int(workspace)


def ask(house: House, workspace: int, *texts: str) -> None:
    """Queue questions with a new key of a workspace."""
    store, now_ms = house.owner.store, int(house.clock() * 1000)
    key = gate.create_key(
        store, workspace, f"key {texts[0]}", "internal", ("answers.write",), now_ms=now_ms
    ).key
    for text in texts:
        question = ledger.Question(key, text, None, None, None, "main")
        ledger.enqueue(store, question, None, watch=house.workshop().means.watch)


@pytest.mark.both_stores
def test_a_busy_workspace_keeps_no_other_waiting(house: House) -> None:
    run: list[int] = []

    def hire(store: Store, row: AnswerRow) -> Worker:
        run.append(row.workspace)
        return Scripted(echoes)

    busy, other = house.workspace, add_workspace(house)
    ask(house, busy, *(f"q{n}" for n in range(20)))
    ask(house, other, "a", "b", "c")
    stores = open_stores(house.path)
    workshop = Workshop(stores, None, Means(hire, house.log.append, clock=house.clock))
    while workshop.run_next():
        pass
    stores.close()
    # A database may hold the workspaces of other tests.
    run = [workspace for workspace in run if workspace in {busy, other}]
    assert sorted(run[:6]) == [busy] * 3 + [other] * 3
    assert run[6:] == [busy] * 17


def test_fewest_running_go_first_and_of_several_the_one_after_the_last() -> None:
    turns = Turns()
    assert turns.order([(1, 0), (2, 0), (3, 0)]) == [1, 2, 3]
    turns.took(2)
    assert turns.order([(1, 0), (2, 0), (3, 0)]) == [3, 1, 2]
    assert turns.order([(1, 4), (2, 1), (3, 4)]) == [2, 3, 1]
    assert turns.order([]) == []


def test_a_workspace_whose_turn_it_is_but_that_has_nothing_to_run_now_keeps_no_other_waiting(
    house: House,
) -> None:
    other = add_workspace(house)
    # Of a conversation one question is run at a time: what waits behind it may not run now.
    store, now_ms = house.owner.store, int(house.clock() * 1000)
    key = gate.create_key(store, house.workspace, "k", "internal", ("answers.write",), now_ms=now_ms).key
    watch = house.workshop().means.watch
    for text in ("runs", "waits"):
        ledger.enqueue(store, ledger.Question(key, text, "c", None, None, "main"), None, watch=watch)
    assert ledger.claim(store, house.workspace, "held", watch=watch) is not None
    ask(house, other, "a")
    stores = open_stores(house.path)
    workshop = Workshop(stores, None, Means(lambda *_: Scripted(echoes), house.log.append, clock=house.clock))
    assert [workshop.run_next(), workshop.run_next()] == [True, False]
    stores.close()
