"""What an owner forgets is gone: from what keys see, from the indexes, and from the bytes of the file."""

import itertools
import sqlite3
from collections.abc import Callable
from contextlib import closing
from typing import Any

import pytest

from brainctl.contract.errors import BrainError
from tests.engine.house import House
from tests.owning.records import assert_consistent, everything_in, exported

pytestmark = pytest.mark.both_stores

WORDS = ("zanzibarquux", "verschwiegenheit", "nachtigallenweg")
SECRET = f"{WORDS[0].title()} lives at {WORDS[1]} in the {WORDS[2]}."


def found(house: House, secret: str, query: str) -> list[str]:
    return [each["fact_text"] for each in house.brain(secret).search({"query": query})["facts"]]


def traces(house: House) -> list[str]:
    raw = everything_in(house.path).lower()
    return [word for word in WORDS if word.encode() in raw]


def chain(house: House, length: int) -> list[str]:
    """Facts each of which replaced the one before."""
    ids = [house.add(f"wording {number}") for number in range(length)]
    with house.owner.store.writing(house.workspace) as writing:
        for old, new in itertools.pairwise(ids):
            writing.supersede(old, by=new)
    return ids


def successors(house: House) -> dict[str, Any]:
    return {
        each["fact_id"]: each.get("superseded_by") for each in exported(house.owner) if each["type"] == "fact"
    }


@pytest.mark.of_a_file
def test_a_forgotten_fact_is_found_by_no_key_and_its_words_have_left_the_file(house: House) -> None:
    internal, external = house.key("internal"), house.key("external")
    house.owner.load_facts(
        {
            "text": f"Menu {number} has soup, bread and {word} cake.",
            "kind": "decision",
            "origin": "ingested",
            "subject": f"menu {number}",
            "confidence": 0.9,
            "recorded_time": "2026-07-14T09:12:44.318Z",
        }
        for number, word in enumerate(["plum", "apple", "walnut", "cherry"] * 60)
    )
    gone = [
        house.add(SECRET, subject=WORDS[0]),
        house.add(SECRET, "person", subject=WORDS[0]),
    ]
    assert found(house, external, WORDS[2]) == [SECRET]
    assert found(house, internal, WORDS[2]) == [SECRET, SECRET]
    assert traces(house) == list(WORDS)
    forgotten = house.owner.forget(gone)
    assert (forgotten.named, forgotten.earlier, forgotten.is_clean) == (gone, [], True)
    for key in (internal, external):
        assert found(house, key, SECRET) == []
        assert len(found(house, key, "walnut cake")) == 20
    assert traces(house) == []
    assert_consistent(house.path)


@pytest.mark.of_a_file
def test_while_another_reads_traces_stay_and_that_is_told(house: House) -> None:
    gone = house.add(SECRET)
    with closing(sqlite3.connect(house.path, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        assert reader.execute("SELECT count(*) FROM facts").fetchone() == (1,)
        assert not house.owner.forget([gone]).is_clean
        assert reader.execute("SELECT text FROM facts").fetchone() == (SECRET,)
    house.owner.close()
    assert traces(house) == []


def test_a_current_fact_takes_with_it_what_it_had_replaced(house: House) -> None:
    other = house.add("something else")
    ids = chain(house, 4)
    assert house.owner.what_would_go([ids[3]]) == ids
    assert successors(house)[ids[2]] == ids[3]
    forgotten = house.owner.forget([ids[3]])
    assert (forgotten.named, forgotten.earlier) == ([ids[3]], ids[:3])
    assert successors(house) == {other: None}
    assert_consistent(house.path)


def test_a_superseded_fact_goes_alone_and_the_chain_closes(house: House) -> None:
    ids = chain(house, 6)
    forgotten = house.owner.forget([ids[3], ids[1], ids[2]])
    assert (forgotten.named, forgotten.earlier) == (ids[1:4], [])
    assert successors(house) == {ids[0]: ids[4], ids[4]: ids[5], ids[5]: None}
    assert_consistent(house.path)


def test_two_facts_that_one_replaced_are_both_kept_in_order(house: House) -> None:
    first, second, newer, newest = (house.add(text) for text in ("a", "b", "c", "d"))
    with house.owner.store.writing(house.workspace) as writing:
        writing.supersede(first, by=newer)
        writing.supersede(second, by=newer)
        writing.supersede(newer, by=newest)
    house.owner.forget([newer])
    assert successors(house) == {first: newest, second: newest, newest: None}
    assert house.owner.forget([newest]).earlier == [first, second]


def test_all_or_none_are_forgotten(house: House) -> None:
    kept = house.add("kept")
    with pytest.raises(BrainError) as refused:
        house.owner.forget([kept, "fact_of_nobody", "another"])
    assert refused.value.code == "not_found"
    assert {each["field"] for each in refused.value.details["fields"]} == {"fact_of_nobody", "another"}
    assert list(successors(house)) == [kept]


def test_a_persons_facts_can_be_forgotten_too(house: House) -> None:
    house.owner.add_person("cust_1", "Maria")
    gone = house.add("Maria's street is long", subject="Maria")
    assert house.internal().search({"query": "street", "end_user": {"id": "cust_1"}})["facts"]
    house.owner.forget([gone])
    assert house.internal().search({"query": "street", "end_user": {"id": "cust_1"}})["facts"] == []
    assert_consistent(house.path)


def test_answers_stay_as_they_were_said_and_those_that_cite_are_counted(house: House) -> None:
    gone = house.add("The hall closes at eight.")
    house.add("The kitchen closes at nine.")
    brain = house.internal()
    ids = [
        brain.enqueue({"input": asked})["answer_id"] for asked in ("When does the hall close?", "Kitchen?")
    ]
    before = [brain.work_until(each, 20, sources=True) for each in ids]
    assert house.owner.forget([gone]).citing == 1
    assert [brain.answer(each, sources=True) for each in ids] == before


def test_what_was_forgotten_can_be_taught_anew(house: House) -> None:
    brain = house.internal()
    brain.teach({"facts": [{"text": "We close at eight."}]})
    house.owner.forget(list(successors(house)))
    assert brain.teach({"facts": [{"text": "We close at eight."}]})["created"] == 1
    assert_consistent(house.path)


@pytest.mark.of_a_file
def test_facts_that_replaced_each_other_in_a_circle_can_be_forgotten(new_house: Callable[[], House]) -> None:
    house = new_house()
    ids = chain(house, 3)
    with house.owner.store.transaction() as connection:
        connection.execute(
            "UPDATE facts SET superseded_by = ?, shelf = 'past' WHERE fact_id = ?", (ids[0], ids[2])
        )
        connection.execute("DELETE FROM shelves")
        connection.execute("DELETE FROM frequencies")
        connection.execute("INSERT INTO inner_index (inner_index) VALUES ('delete-all')")
        connection.execute("INSERT INTO open_index (open_index) VALUES ('delete-all')")
    house.owner.forget(ids[:2])
    assert successors(house) == {ids[2]: ids[2]}
    assert house.owner.forget([ids[2]]).named == [ids[2]]
    assert_consistent(house.path)
