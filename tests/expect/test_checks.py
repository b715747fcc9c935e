"""The verdict on what a search found."""

from typing import Any

import pytest

from brainctl.cli.checks.checks import check_of, judge, problems_in
from brainctl.contract.errors import BrainError

FACTS = [
    {"fact_id": f"fact_{place}", "fact_text": text}
    for place, text in enumerate(["Dogs are welcome.", "The STRASSE is\n steep", "Cafe\u0301 opens at nine"])
]


def verdict(**fields: Any) -> tuple[bool, int | None]:
    stated = {"query": "x", **fields}
    assert problems_in(stated) == []
    found = judge(check_of(stated), FACTS)
    return found.holds, found.rank


@pytest.mark.parametrize(
    ("text", "rank"),
    [
        ("welcome", 1),
        ("DOGS", 1),
        ("straße is steep", 2),
        ("caf\u00e9", 3),
        ("is   steep", 2),
        ("cats", None),
        ("welcome.The", None),
    ],
)
def test_a_text_is_found_without_regard_to_case_white_space_and_composition(
    text: str, rank: int | None
) -> None:
    assert verdict(contains=text) == (rank is not None, rank)
    assert verdict(contains=text, absent=True) == (rank is None, rank)


def test_an_id_is_compared_as_it_is() -> None:
    assert verdict(fact_id="fact_1") == (True, 2)
    assert verdict(fact_id="FACT_1") == (False, None)
    assert verdict(fact_id="fact_1", absent=True) == (False, 2)
    assert verdict(fact_id="fact_9", absent=True) == (True, None)


def test_only_the_first_facts_are_looked_at() -> None:
    assert verdict(fact_id="fact_1", top=1) == (False, None)
    assert verdict(fact_id="fact_1", top=2) == (True, 2)
    assert verdict(fact_id="fact_1", top=1, absent=True) == (True, None)


def test_facts_are_counted() -> None:
    assert [verdict(min_facts=number)[0] for number in (1, 3, 4)] == [True, True, False]
    assert [verdict(min_facts=number, absent=True)[0] for number in (1, 3, 4)] == [False, False, True]


def test_absence_is_looked_for_as_far_as_a_search_reaches() -> None:
    assert check_of({"query": "x", "contains": "y"}).request == {"query": "x", "limit": 20}
    assert check_of({"query": "x", "contains": "y", "absent": True}).request["limit"] == 100
    assert check_of({"query": "x", "min_facts": 50}).request["limit"] == 50
    assert check_of({"query": "x", "contains": "y", "absent": True, "top": 3}).request["limit"] == 3


def test_the_person_asking_goes_with_the_search() -> None:
    check = check_of({"query": "x", "contains": "y", "end_user": "cust_419"})
    assert check.request == {"query": "x", "limit": 20, "end_user": {"id": "cust_419"}}


@pytest.mark.parametrize("absent", [False, True])
@pytest.mark.parametrize("fact", [{}, {"fact_id": 1, "fact_text": None}])
def test_a_fact_that_cannot_be_read_decides_nothing(fact: dict[str, Any], *, absent: bool) -> None:
    for expected in ({"contains": "x"}, {"fact_id": "fact_1"}):
        with pytest.raises(BrainError) as raised:
            judge(check_of({"query": "x", "absent": absent, **expected}), [fact])
        assert raised.value.code == "bad_response"


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"contains": "x"}, "query is required"),
        ({"query": " ", "contains": "x"}, "query must not be empty"),
        ({"query": "x"}, " exactly one of contains, fact_id, min_facts is needed"),
        ({"query": "x", "contains": "y", "min_facts": 2}, " exactly one of"),
        ({"query": "x", "contains": ""}, "contains must not be empty"),
        ({"query": "x", "min_facts": 0}, "min_facts must be from 1 to 100"),
        ({"query": "x", "min_facts": True}, "min_facts must be a whole number"),
        ({"query": "x", "contains": "y", "top": 101}, "top must be from 1 to 100"),
        ({"query": "x", "min_facts": 5, "top": 3}, "min_facts must not be more than top, which is 3"),
        ({"query": "x", "contains": "y", "absent": "no"}, "absent must be true or false"),
        ({"query": "x", "contains": "y", "abset": True}, "abset unknown field"),
        ({"query": "x", "contains": "y", "end_user": {"id": "a"}}, "end_user must be a string"),
        ([], "body must be an object"),
    ],
)
def test_what_cannot_be_checked_is_named(fields: Any, said: str) -> None:
    problems = [f"{each.field} {each.message}" for each in problems_in(fields)]
    assert any(problem.startswith(said) for problem in problems), problems
