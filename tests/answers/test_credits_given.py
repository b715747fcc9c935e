"""Credits given while others ask, in a database."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from brainctl.engine.store.connection import Connection
from brainctl.engine.store.credits import read_balance
from tests.answers.house import House, question
from tests.postgres import until_waiting
from tests.spot import raw

pytestmark = pytest.mark.parametrize("store_kind", ["postgres"], indirect=True)


def enqueued(house: House, secret: str) -> str:
    brain = house.opened(secret, house.workshop())
    try:
        return str(brain.enqueue(question())["answer_id"])
    finally:
        brain.close()


def test_who_asks_while_credits_are_given_has_them(house: House) -> None:
    house.owner.set_credits(5)
    secret = house.key()
    with raw(house.path) as other, ThreadPoolExecutor() as pool:
        other.execute("BEGIN")
        other.execute("SELECT balance FROM credits FOR UPDATE")
        giving = pool.submit(house.owner.set_credits, 10)
        until_waiting(house.path, 1)
        asking = pool.submit(enqueued, house, secret)
        until_waiting(house.path, 2)
        other.execute("COMMIT")
        giving.result()
        assert asking.result()
    assert house.owner.credits() == 9


def test_credits_that_come_while_there_seem_to_be_none_are_used(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    house.owner.set_credits(0)
    secret = house.key()

    def given_first(connection: Connection, workspace: int) -> int | None:
        monkeypatch.undo()
        house.owner.set_credits(10)
        return read_balance(connection, workspace)

    monkeypatch.setattr("brainctl.engine.answers.credits.read_balance", given_first)
    assert enqueued(house, secret)
    assert house.owner.credits() == 9
