from typing import Any

import pytest

from brainctl.contract.errors import BrainError
from tests.engine.house import House

pytestmark = pytest.mark.both_stores

DESCRIBED: dict[str, Any] = {
    "text": "Deposits come back until a month before the day.",
    "kind": "decision",
    "origin": "ingested",
    "subject": "refund policy",
    "confidence": 0.9,
    "recorded_time": "2026-07-14T09:12:44.318Z",
}


def test_facts_are_loaded_as_they_are_described(house: House) -> None:
    assert house.owner.load_facts([{**DESCRIBED, "pinned": True}]) == 1
    (fact,) = house.external().search({"query": "deposits"})["facts"]
    assert fact == {
        "fact_id": fact["fact_id"],
        "fact_text": DESCRIBED["text"],
        "kind": "decision",
        "origin": "ingested",
        "subject": "refund policy",
        "confidence_level": 0.9,
        "recorded_time": "2026-07-14T09:12:44.318Z",
    }
    (core,) = house.external().context({"query": "anything"})["facts"]
    assert core["layer"] == "pinned_core"


def test_a_loaded_fact_is_about_its_subject_whoever_its_text_names(house: House) -> None:
    house.owner.add_person("cust_419", "Maria")
    house.owner.add_member("Dana")
    text = "Maria and Dana agreed: lanterns are free."
    house.owner.load_facts(
        [
            {**DESCRIBED, "text": text},
            {**DESCRIBED, "text": "lanterns for Maria", "subject": "maria"},
            {**DESCRIBED, "text": "lanterns for a stranger", "subject": "Zebulon"},
            {**DESCRIBED, "text": "lanterns by Dana", "subject": "dana"},
        ]
    )
    external = house.external()
    assert [fact["fact_text"] for fact in external.search({"query": "lanterns"})["facts"]] == [text]
    named = external.search({"query": "lanterns", "end_user": {"id": "cust_419"}})["facts"]
    assert {fact["fact_text"] for fact in named} == {text, "lanterns for Maria"}


def test_what_was_loaded_is_known_when_it_is_taught(house: House) -> None:
    house.owner.load_facts([DESCRIBED])
    assert house.internal().teach({"facts": [{"text": DESCRIBED["text"]}]})["skipped"] == 1


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"text": ""}, "text"),
        ({"text": "x" * 4001}, "text"),
        ({"text": "\ud800"}, "text"),
        ({"kind": "Not a kind"}, "kind"),
        ({"kind": 7}, "kind"),
        ({"origin": "hearsay"}, "origin"),
        ({"subject": ""}, "subject"),
        ({"confidence": 1.01}, "confidence"),
        ({"confidence": True}, "confidence"),
        ({"confidence": float("nan")}, "confidence"),
        ({"recorded_time": "yesterday"}, "recorded_time"),
        ({"recorded_time": 5}, "recorded_time"),
        ({"pinned": "yes"}, "pinned"),
        ({"owner": "me"}, "owner"),
    ],
)
def test_a_fact_out_of_bounds_is_named_and_nothing_is_loaded(
    house: House, change: dict[str, Any], field: str
) -> None:
    with pytest.raises(BrainError) as refused:
        house.owner.load_facts([DESCRIBED, {**DESCRIBED, **change}])
    assert refused.value.code == "validation_error"
    assert [each["field"] for each in refused.value.details["fields"]] == [f"facts[1].{field}"]
    assert house.owner.fact_count() == 0


def test_an_unknown_kind_is_for_internal_eyes(house: House) -> None:
    house.owner.load_facts([{**DESCRIBED, "kind": "kind_of_tomorrow"}])
    assert house.external().search({"query": "deposits"}) == {"facts": []}
    assert len(house.internal().search({"query": "deposits"})["facts"]) == 1
