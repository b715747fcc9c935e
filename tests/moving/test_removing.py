"""A workspace that is removed while it is served, and keys that are revoked while facts are written, in a database."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import Any

import pytest

from brainctl.contract.errors import BrainError
from brainctl.engine import gate
from brainctl.engine.answers import ledger
from brainctl.engine.answers.credits import charge
from brainctl.engine.answers.ledger import Question, Watch
from brainctl.engine.serving import Admitted, ServedGate
from brainctl.engine.store.opening import open_store
from brainctl.engine.store.store import Store, facts_of
from brainctl.engine.workspaces import list_workspaces, remove_workspace
from tests.engine.house import House
from tests.postgres import until_waiting

pytestmark = pytest.mark.parametrize("store_kind", ["postgres"], indirect=True)


@pytest.fixture
def other(house: House) -> Iterator[Store]:
    """The same store in other hands."""
    with closing(open_store(house.path, any_thread=True)) as store:
        yield store


@pytest.fixture
def admitted(house: House) -> Iterator[Admitted]:
    """Somebody who was let in."""
    served = ServedGate(house.path)
    yield served.admit(house.key("internal"))
    served.close()


def question_of(house: House) -> Question:
    key = gate.admit(house.owner.store, house.key("internal"), int(house.now * 1000))
    return Question(key, "when?", None, None, None, "main")


def test_a_workspace_goes_while_somebody_asks_there(
    house: House, other: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    house.owner.set_credits(5)
    question = question_of(house)
    watch = Watch(lambda: int(house.now * 1000), 30_000)
    removing: Any = None
    with ThreadPoolExecutor() as pool:

        def while_it_goes(*of: Any) -> None:
            nonlocal removing
            removing = pool.submit(remove_workspace, house.path, house.name)
            until_waiting(house.path, 1)
            charge(*of)

        monkeypatch.setattr("brainctl.engine.answers.ledger.charge", while_it_goes)
        assert ledger.enqueue(other, question, None, watch=watch)
        removing.result()
    assert house.name not in [each.name for each in list_workspaces(house.path)]


@pytest.mark.parametrize(
    "do",
    [
        lambda admitted: admitted.brain.teach({"facts": [{"text": "The bridge is closed on Sunday."}]}),
        lambda admitted: admitted.brain.enqueue({"input": "when?"}),
        lambda admitted: admitted.brain.ask({"input": "when?", "conversation_id": "c"}),
        lambda admitted: admitted.count(1),
    ],
)
def test_who_was_let_in_is_told_that_the_key_is_no_more(
    house: House, admitted: Admitted, do: Callable[[Admitted], object]
) -> None:
    remove_workspace(house.path, house.name)
    with pytest.raises(BrainError) as refused:
        do(admitted)
    assert refused.value.code == "api_key_invalid"


def test_the_keys_of_what_is_to_go_stop_before_it_is_gone(house: House, other: Store) -> None:
    secret = house.key("internal")
    with ThreadPoolExecutor() as pool:
        with other.transaction(facts_of(house.workspace)):
            removing = pool.submit(remove_workspace, house.path, house.name)
            until_waiting(house.path, 1)
            with pytest.raises(BrainError) as refused:
                house.brain(secret).whoami()
        removing.result()
    assert refused.value.code == "api_key_revoked"


def test_keys_are_made_and_revoked_while_facts_are_written(house: House, other: Store) -> None:
    secret = house.owner.create_key("leaked", "internal", ["memory.read"]).secret
    with other.transaction(facts_of(house.workspace)), house.owner.store.impatient():
        house.owner.revoke_key("leaked")
        new = house.owner.create_key("leaked", "internal", ["memory.read"]).secret
        assert house.brain(new).whoami()["key_name"] == "leaked"
        with pytest.raises(BrainError) as refused:
            house.brain(secret).whoami()
    assert refused.value.code == "api_key_revoked"
