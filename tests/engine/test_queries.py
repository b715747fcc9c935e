"""Anything a person types is a query, and never the syntax of a search engine."""

import pytest

from tests.engine.house import House

pytestmark = pytest.mark.both_stores

ODD = [
    '"',
    "*",
    "AND",
    "a AND",
    "refund OR",
    "-x",
    "refund-policy",
    "(x",
    "C++",
    "don't",
    "^a",
    "{",
    "NEAR(a b)",
    "col:x",
    "t:refund",
    "re*",
    "\u00a0.\u00a0",
    "😀",
    "'; DROP TABLE facts; --",
    "%",
    "_",
    "\\",
    "refund\x00policy",
    '"refund" "policy',
    "NOT refund",
    "terms:refund",
    "refund + policy",
    "\u202erefund",
]


@pytest.mark.parametrize("query", ODD)
@pytest.mark.parametrize("audience", ["internal", "external"])
def test_an_odd_query_is_answered(house: House, audience: str, query: str) -> None:
    house.owner.add_person("cust_419", "Maria")
    house.add("The refund policy is strict")
    house.add("Maria wants a refund", "person", subject="Maria")
    brain = house.brain(house.key(audience))
    assert isinstance(brain.search({"query": query})["facts"], list)
    assert isinstance(brain.search({"query": query, "end_user": {"id": "cust_419"}})["facts"], list)
    assert brain.context({"query": query})["packet_version"] == 1


@pytest.mark.parametrize(
    "query", ["refund-policy", '"refund" OR', "NOT refund", "REFUND*", "refünd", "refund\x00"]
)
def test_an_odd_query_still_finds_its_words(house: House, query: str) -> None:
    fact_id = house.add("The refund policy is strict")
    assert [fact["fact_id"] for fact in house.internal().search({"query": query})["facts"]] == [fact_id]


@pytest.mark.parametrize("query", ["😀", "!!!", "*", '"', "%"])
def test_a_query_without_letters_and_digits_finds_nothing(house: House, query: str) -> None:
    house.owner.add_person("cust_419", "Maria")
    house.add("100 % refund * 😀")
    house.add("Maria 😀", "person", subject="Maria")
    brain = house.internal()
    assert brain.search({"query": query, "end_user": {"id": "cust_419"}}) == {"facts": []}


def test_operators_are_words(house: House) -> None:
    house.add("tulips")
    house.add("lanterns")
    brain = house.internal()
    assert len(brain.search({"query": "tulips NOT lanterns"})["facts"]) == 2
    assert brain.search({"query": "tul*"})["facts"] == []
    assert brain.search({"query": "terms:"})["facts"] == []


def test_texts_ids_and_names_are_taken_literally(house: House) -> None:
    nasty = '\'; DROP TABLE facts; -- %_\\ \x00 "x"'
    house.owner.add_person(nasty, nasty)
    house.owner.add_member("%")
    house.add(nasty + " tulips", "person", subject=nasty)
    brain = house.external()
    reply = brain.search({"query": "tulips", "end_user": {"id": nasty, "name": nasty}})
    assert [fact["fact_text"] for fact in reply["facts"]] == [nasty + " tulips"]
    assert brain.search({"query": "tulips"})["facts"] == []


def test_chinese_and_accents_are_found(house: House) -> None:
    wedding = house.add("婚礼退款政策 三十天内不退款")
    cafe = house.add("Le café ferme à 18h30")
    brain = house.internal()
    assert [fact["fact_id"] for fact in brain.search({"query": "退款"})["facts"]] == [wedding]
    assert [fact["fact_id"] for fact in brain.search({"query": "CAFE\u0301"})["facts"]] == [cafe]
