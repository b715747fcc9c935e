"""Which bodies a brain takes: every bound from both sides, and every field that is not in the documents."""

from typing import Any

import pytest

from brainctl.contract.errors import BrainError
from tests.doors.workspace import Door

ACCEPTED: dict[str, tuple[str, Any]] = {
    "a query of one character": ("search", {"query": "x"}),
    "the longest query": ("search", {"query": "x" * 2000}),
    "the longest query in emoji": ("search", {"query": "\U0001f600" * 2000}),
    "the longest query in decomposed letters": ("search", {"query": "e\u0301" * 1000}),
    "the smallest limit": ("search", {"query": "x", "limit": 1}),
    "the largest limit": ("search", {"query": "x", "limit": 100}),
    "a limit that is whole but written as a float": ("search", {"query": "x", "limit": 3.0}),
    "an end user by id alone": ("search", {"query": "x", "end_user": {"id": "c"}}),
    "the longest id and name": ("search", {"query": "x", "end_user": {"id": "c" * 200, "name": "n" * 200}}),
    "a packet's query of one character": ("context", {"query": "x"}),
    "a packet's longest query": ("context", {"query": "é" * 2000}),
    "the smallest budget": ("context", {"query": "x", "token_budget": 100}),
    "the largest budget": ("context", {"query": "x", "token_budget": 20000}),
    "a budget written as a float": ("context", {"query": "x", "token_budget": 100.0}),
    "a packet's longest id": ("context", {"query": "x", "end_user": {"id": "c" * 200}}),
    "one fact of one character": ("teach", {"facts": [{"text": "x"}]}),
    "the longest fact": ("teach", {"facts": [{"text": "word " * 799 + "words"}]}),
    "the most facts": ("teach", {"facts": [{"text": f"Shelf {n} holds lamps."} for n in range(20)]}),
}

QUERY: dict[str, Any] = {"query": "x"}
TEXT: dict[str, Any] = {"text": "x"}
END_USERS: list[tuple[Any, list[str]]] = [
    (None, ["end_user"]),
    ("cust_419", ["end_user"]),
    ([], ["end_user"]),
    ({}, ["end_user.id"]),
    ({"name": "Maria"}, ["end_user.id"]),
    ({"id": ""}, ["end_user.id"]),
    ({"id": " \t"}, ["end_user.id"]),
    ({"id": "c" * 201}, ["end_user.id"]),
    ({"id": 419}, ["end_user.id"]),
    ({"id": None}, ["end_user.id"]),
    ({"id": "c", "name": ""}, ["end_user.name"]),
    ({"id": "c", "name": "n" * 201}, ["end_user.name"]),
    ({"id": "c", "name": None}, ["end_user.name"]),
    ({"id": "c", "email": "m@example.com"}, ["end_user.email"]),
]
QUERIES: list[tuple[Any, list[str]]] = [
    ("", ["query"]),
    (" ", ["query"]),
    ("\n\t\u00a0\u2003", ["query"]),
    ("x" * 2001, ["query"]),
    ("\U0001f600" * 2001, ["query"]),
    ("e\u0301" * 1000 + "e", ["query"]),
    (None, ["query"]),
    (5, ["query"]),
    (["x"], ["query"]),
    ("\ud800", ["query"]),
]
LIMITS: list[Any] = [0, 101, -1, True, False, "5", 3.5, None, [20], 1e300]
BUDGETS: list[Any] = [99, 20001, 0, -1500, True, "1500", 1500.5, None, {}]
REFUSED: list[tuple[str, Any, list[str]]] = [
    *((verb, {"query": query}, named) for verb in ("search", "context") for query, named in QUERIES),
    *(
        (verb, {**QUERY, "end_user": end_user}, named)
        for verb in ("search", "context")
        for end_user, named in END_USERS
    ),
    *(("search", {**QUERY, "limit": limit}, ["limit"]) for limit in LIMITS),
    *(("context", {**QUERY, "token_budget": budget}, ["token_budget"]) for budget in BUDGETS),
    ("search", {}, ["query"]),
    ("search", {**QUERY, "token_budget": 1500}, ["token_budget"]),
    ("search", {**QUERY, "Query": "x"}, ["Query"]),
    ("context", {}, ["query"]),
    ("context", {**QUERY, "limit": 20}, ["limit"]),
    ("teach", {}, ["facts"]),
    ("teach", {"facts": None}, ["facts"]),
    ("teach", {"facts": []}, ["facts"]),
    ("teach", {"facts": "x"}, ["facts"]),
    ("teach", {"facts": {"text": "x"}}, ["facts"]),
    ("teach", {"facts": [TEXT] * 21}, ["facts"]),
    ("teach", {"facts": ["x"]}, ["facts[0]"]),
    ("teach", {"facts": [None]}, ["facts[0]"]),
    ("teach", {"facts": [TEXT, {}]}, ["facts[1].text"]),
    ("teach", {"facts": [{"text": ""}]}, ["facts[0].text"]),
    ("teach", {"facts": [{"text": " \r\n"}]}, ["facts[0].text"]),
    ("teach", {"facts": [{"text": "x" * 4001}]}, ["facts[0].text"]),
    ("teach", {"facts": [{"text": 5}]}, ["facts[0].text"]),
    ("teach", {"facts": [{"text": "\udfff"}]}, ["facts[0].text"]),
    ("teach", {"facts": [{"text": "x", "kind": "decision"}]}, ["facts[0].kind"]),
    ("teach", {"facts": [TEXT], "end_user": {"id": "c"}}, ["end_user"]),
    # Everything that is wrong is named at once, what nobody knows first.
    (
        "search",
        {"limit": 0, "end_user": {"id": "", "email": "x"}, "zoom": 1},
        ["end_user.email", "zoom", "query", "limit", "end_user.id"],
    ),
]


def refusal_of(door: Door, verb: str, body: Any) -> BrainError:
    with pytest.raises(BrainError) as refused:
        getattr(door.brain(), verb)(body)
    return refused.value


@pytest.mark.parametrize(("verb", "body"), ACCEPTED.values(), ids=ACCEPTED)
def test_takes_all_that_is_within_bounds(door: Door, verb: str, body: Any) -> None:
    reply = getattr(door.brain(), verb)(body)
    assert ("accepted_fact_count" if verb == "teach" else "facts") in reply


@pytest.mark.parametrize(("verb", "body", "named"), REFUSED)
def test_refuses_what_is_not_naming_every_field(
    module_door: Door, verb: str, body: Any, named: list[str]
) -> None:
    error = refusal_of(module_door, verb, body)
    assert error.code == "validation_error"
    assert error.http_status in {422, None}, "None where the client did not send it"
    assert sorted(problem["field"] for problem in error.details["fields"]) == sorted(named)
    assert all(field in error.message for field in named)


def test_names_unknown_fields_first(door: Door) -> None:
    error = refusal_of(door, "search", {"limit": 0, "end_user": {"email": "x"}, "zoom": 1})
    fields = [problem["field"] for problem in error.details["fields"]]
    assert set(fields[:2]) == {"zoom", "end_user.email"}
    assert set(fields[2:]) == {"query", "limit", "end_user.id"}


def test_of_very_many_unknown_fields_it_says_how_many(door: Door) -> None:
    fact = {"text": "x", **{f"f{n}": n for n in range(300)}}
    error = refusal_of(door, "teach", {"facts": [fact, {**fact, "text": ""}], "zoom": 1})
    fields = error.details["fields"]
    assert len(fields) == 51
    assert all(field["message"] == "unknown field" for field in fields[:50])
    assert fields[-1] == {"field": "…", "message": "and 552 more"}
    assert error.message.endswith("; and 597 more")


@pytest.mark.parametrize("count", [5, 6, 49, 50, 51, 52])
def test_counts_what_it_does_not_name(door: Door, count: int) -> None:
    error = refusal_of(door, "search", {"query": "x", **{f"f{n}": n for n in range(count)}})
    told = [field["field"] for field in error.details["fields"]]
    assert told[:50] == [f"f{n}" for n in range(min(count, 50))]
    assert [field["message"] for field in error.details["fields"][50:]] == (
        [f"and {count - 50} more"] if count > 50 else []
    )
    assert error.message.endswith("; f4: unknown field" if count == 5 else f"; and {count - 5} more")


def test_a_very_long_name_is_cut(door: Door) -> None:
    error = refusal_of(door, "search", {"query": "x", "n" * 50_000: 1})
    [field] = error.details["fields"]
    assert field["field"] == "n" * 100 + "…"
    assert len(error.message) < 200


def test_a_refusal_never_repeats_what_was_sent(door: Door) -> None:
    error = refusal_of(door, "search", {"query": "x", "limit": "sekrit", "end_user": {"id": ["sekrit"]}})
    assert "sekrit" not in f"{error.message}{error.details}"


def test_a_refused_teaching_teaches_nothing(door: Door) -> None:
    brain = door.brain()
    refusal_of(door, "teach", {"facts": [{"text": "Zeppelins moor at the quillwort mast."}, {"text": ""}]})
    assert brain.search({"query": "quillwort zeppelins"}) == {"facts": []}


@pytest.mark.parametrize("body", [[], "x", 5, None, True])
@pytest.mark.parametrize("verb", ["search", "context", "teach"])
def test_a_body_is_an_object(module_door: Door, verb: str, body: Any) -> None:
    error = refusal_of(module_door, verb, body)
    assert error.code == "validation_error"
    assert error.http_status in {422, None}, "None where the client did not send it"
