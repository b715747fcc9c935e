"""Both stores find the same facts in the same order, and a database by its indexes alone."""

import random
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import accumulate
from typing import Any, Final

import pytest

from brainctl.engine.disclosure import SEARCHED_SHELVES
from brainctl.engine.store.postgres import places
from brainctl.engine.store.postgres.connection import PostgresConnection
from brainctl.engine.store.postgres.dialect import PostgresDialect
from tests.engine.house import House
from tests.owning.records import assert_consistent
from tests.spot import Spot

SUBJECTS: Final = ("the hall", "the kiln", "deposits", "Omar", "opening hours")
KINDS: Final = ("decision", "observation", "incident")


def vocabulary(size: int) -> list[str]:
    chance = random.Random(7)
    made: dict[str, None] = {}
    while len(made) < size:
        made["".join(chance.choice("bdfgklmnprstvz") + chance.choice("aeiou") for _ in range(3)) + "k"] = None
    return list(made)


def texts(count: int, words: list[str]) -> Iterator[str]:
    """Of few common words and many rare ones, as people write."""
    chance = random.Random(count)
    weights = list(accumulate(1 / (place + 1) for place in range(len(words))))
    for _ in range(count):
        yield " ".join(chance.choices(words, cum_weights=weights, k=chance.randint(4, 14)))


def fill(house: House, count: int, words: list[str]) -> None:
    chance = random.Random(count + 1)
    house.owner.add_person("cust_1", "Omar")
    house.put(
        *(
            house.fact(
                text,
                kind=chance.choice(KINDS),
                origin=chance.choice(("user_stated", "ingested", "ingested")),
                subject=chance.choice(SUBJECTS),
                recorded_time=1_780_000_000_000 + number // 4 * 1000,
                fact_id=f"fact_{number:026}",
            )
            for number, text in enumerate(texts(count, words))
        )
    )
    # Facts that go, and one that comes back to where it was.
    with house.owner.store.writing(house.workspace) as writing:
        for number in range(0, count, 9):
            writing.supersede(f"fact_{number:026}", by=f"fact_{number + 1:026}")
    house.owner.restore(f"fact_{9:026}")


def queries(words: list[str]) -> list[str]:
    chance = random.Random(11)
    weights = list(accumulate(1 / (place + 1) for place in range(len(words))))
    asked = [" ".join(chance.choices(words, cum_weights=weights, k=chance.randint(1, 6))) for _ in range(80)]
    asked += [" ".join(chance.sample(words[:12], 3)) for _ in range(20)]
    return [*asked, "when are the opening hours?", "Omar kiln", "deposits in the hall", words[0], words[1]]


@pytest.fixture
def in_a_file(tmp_path: Any) -> Iterator[House]:
    with ExitStack() as stack:
        yield House(Spot(str(tmp_path / "brain.db"), "local"), stack)


@pytest.fixture
def in_a_database(new_database: Callable[[], str]) -> Iterator[House]:
    with ExitStack() as stack:
        yield House(Spot(new_database(), "local"), stack)


def test_every_query_finds_the_same_in_the_same_order(
    in_a_file: House, in_a_database: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Many stretches and many common words, without the hundred thousand facts that would have them.
    monkeypatch.setattr(places, "STRETCH", 20)
    monkeypatch.setattr(places, "_MOVES_MOST", 70)
    monkeypatch.setattr("brainctl.engine.candidates.ROWS_READ", 60)
    monkeypatch.setattr("brainctl.engine.candidates.MATCHING_MOST", 15)
    monkeypatch.setattr("brainctl.engine.candidates.NEWEST_MOST", 15)
    words = vocabulary(400)
    for house in (in_a_file, in_a_database):
        fill(house, 500, words)
    assert_consistent(in_a_database.path)
    different: list[str] = []
    found = 0
    for audience in ("internal", "external"):
        file, database = (house.brain(house.key(audience)) for house in (in_a_file, in_a_database))
        for query in queries(words):
            for person in (None, {"id": "cust_1"}) if "Omar" in query else (None,):
                request: Any = {"query": query, "limit": 20} | ({"end_user": person} if person else {})
                one, other = file.search(request), database.search(request)
                found += len(one["facts"])
                if one != other:
                    different.append(f"{audience}: {query}")
    assert different == []
    assert found > 3000


def plan_of(connection: PostgresConnection, sql: str, parameters: Any) -> dict[str, Any]:
    rows = connection.execute(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {sql}", parameters).fetchall()
    plan: dict[str, Any] = rows[0][0][0]["Plan"]
    return plan


def nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for below in plan.get("Plans", []):
        yield from nodes(below)


def test_words_are_looked_up_in_the_index_with_statistics_and_without(in_a_database: House) -> None:
    house = in_a_database
    words = vocabulary(20_000)
    described = {"kind": "decision", "origin": "ingested", "subject": "the hall", "confidence": 0.9}
    house.owner.load_facts(
        {**described, "text": text, "recorded_time": "2026-07-14T09:12:44.318Z"}
        for text in texts(20_000, words)
    )
    dialect = PostgresDialect()
    store: Any = house.owner.store
    rare, common = words[900:905], words[:2]
    for statement in ("SELECT", "ANALYZE"):
        store.connection.execute(statement)
        with store.reading() as connection:
            for shelf in SEARCHED_SHELVES:
                for query in (
                    dialect.matching(house.workspace, shelf, rare, 100),
                    dialect.newest(house.workspace, shelf, common, 30),
                    dialect.newest(house.workspace, shelf, rare[:1], 30),
                ):
                    (among,) = dialect.among([query])
                    sql = f"SELECT text FROM {among.source} WHERE {among.where} AND facts.workspace = ?"
                    for node in nodes(plan_of(connection, sql, (*among.parameters, house.workspace))):
                        # All places are come to by their numbers, and by nothing else.
                        if node.get("Relation Name") == "places":
                            assert node["Node Type"] == "Bitmap Heap Scan", node
                            assert {each["Index Name"] for each in node["Plans"]} == {"places_by_number"}
                        assert node["Actual Rows"] * node["Actual Loops"] < 6000, node
    with store.reading() as connection:
        frequencies = dialect.frequencies(connection, house.workspace, SEARCHED_SHELVES, [*rare, *common])
    assert min(frequencies[word] for word in common) > 5000
    assert 0 < max(frequencies[word] for word in rare) < 500
