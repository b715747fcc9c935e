"""The windows of a database's keys: counted exactly, with no lock on a row while a process thinks."""

from array import array
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import psycopg
import pytest

from brainctl.contract.bounds import RATE_REQUESTS
from brainctl.contract.errors import BrainError
from brainctl.engine.owner import create_brain
from brainctl.engine.rate_window import RateWindow
from brainctl.engine.store.postgres.windows import TableWindows
from tests.spot import raw
from tests.windows import let_in


@pytest.fixture
def address(new_database: Callable[[], str]) -> str:
    address = new_database()
    create_brain(address).close()
    return address


@pytest.fixture
def new_window(address: str) -> Iterator[Callable[[], RateWindow]]:
    with ExitStack() as closing:

        def window() -> RateWindow:
            window = RateWindow(address)
            closing.callback(window.close)
            return window

        yield window


def test_who_counts_holds_nobody_up_while_they_stand_still(address: str) -> None:
    slow, quick = TableWindows(address), TableWindows(address)
    seen: list[list[int]] = []

    def add(time_ms: int) -> Callable[["array[int]", int], "array[int]"]:
        return lambda before, _: before + array("q", [time_ms])

    def rule(before: "array[int]", _: int) -> "array[int]":
        seen.append(list(before))
        if len(seen) <= 2:
            quick.change(1, "a", add(len(seen)))
        return before + array("q", [9])

    slow.change(1, "a", rule)
    # Asked anew each time that what it had seen was no longer so, and nothing is lost.
    assert seen == [[], [1], [1, 2]]
    with raw(address) as connection:
        assert connection.execute("SELECT accepted FROM windows").fetchall() == [([1, 2, 9],)]
    slow.close()
    quick.close()


def test_a_row_that_is_held_costs_its_own_key_and_no_other(
    address: str, new_window: Callable[[], RateWindow]
) -> None:
    window = new_window()
    window.count(1, "a")
    with psycopg.connect(address) as other:
        other.execute("SELECT 1 FROM brainctl.windows FOR UPDATE")
        for _ in range(3):
            with pytest.raises(BrainError, match="locked for too long"):
                window.count(1, "a")
            assert let_in(window, 20, "b") == 20
    assert let_in(window, RATE_REQUESTS) == RATE_REQUESTS - 1


@pytest.mark.parametrize("isolation", ["repeatable read", "serializable"])
def test_it_is_exact_whatever_isolation_the_database_begins_with(
    address: str, new_window: Callable[[], RateWindow], isolation: str
) -> None:
    with psycopg.connect(address, autocommit=True) as owner:
        owner.execute(
            f"ALTER DATABASE {owner.info.dbname} SET default_transaction_isolation = '{isolation}'".encode()
        )
    windows = [new_window() for _ in range(4)]
    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(lambda window: let_in(window, 40), windows)) == RATE_REQUESTS
