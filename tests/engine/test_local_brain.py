"""The order of the checks, the bounds, and the shapes of the replies."""

from collections.abc import Callable
from typing import Any, cast

import pytest

from brainctl.contract.errors import BrainError
from brainctl.engine.local_brain import LocalBrain, open_brain
from tests.engine.house import House

pytestmark = pytest.mark.both_stores

Call = Callable[[LocalBrain, Any], object]

CALLS: dict[str, Call] = {
    "search": lambda brain, body: brain.search(body),
    "context": lambda brain, body: brain.context(body),
    "teach": lambda brain, body: brain.teach(body),
}
SCOPE_OF = {"search": "memory.read", "context": "memory.read", "teach": "memory.write"}


def refused(call: Call, brain: LocalBrain, body: Any) -> BrainError:
    with pytest.raises(BrainError) as error:
        call(brain, body)
    return error.value


@pytest.mark.parametrize("verb", CALLS)
def test_the_key_is_checked_first_then_its_scope_then_the_request(house: House, verb: str) -> None:
    others = [scope for scope in ("memory.read", "memory.write", "answers.write") if scope != SCOPE_OF[verb]]
    bad: dict[str, str] = {"nonsense": "x"}
    assert refused(CALLS[verb], house.brain("ak_test_wrong"), bad).code == "api_key_invalid"
    without = house.brain(house.key("internal", *others))
    assert refused(CALLS[verb], without, bad).details == {"scope": SCOPE_OF[verb]}
    allowed = house.brain(house.key("internal", SCOPE_OF[verb]))
    assert refused(CALLS[verb], allowed, bad).code == "validation_error"


def test_whoami_needs_no_scope_and_says_what_the_key_is(house: House) -> None:
    made = house.owner.create_key("Café ☕", "external", ["answers.write"])
    assert house.brain(made.secret).whoami() == {
        "key_name": "Café ☕",
        "key_prefix": made.secret[:12],
        "scopes": ["answers.write"],
        "key_audience": "external",
        "rate_limit": {"requests_per_window": 120, "window_seconds": 60},
    }


def test_a_revoked_key_fails_on_its_next_call(house: House) -> None:
    made = house.owner.create_key("mine", "internal", ["memory.read"])
    brain = house.brain(made.secret)
    brain.search({"query": "lantern"})
    house.owner.revoke_key("mine")
    assert refused(CALLS["search"], brain, {"query": "lantern"}).code == "api_key_revoked"
    with pytest.raises(BrainError, match="revoked"):
        brain.whoami()


def test_a_key_expires_while_its_brain_is_open(house: House) -> None:
    made = house.owner.create_key("mine", "internal", ["memory.read"], int(house.now * 1000) + 1000)
    brain = house.brain(made.secret)
    brain.search({"query": "lantern"})
    house.now += 1
    assert refused(CALLS["search"], brain, {"query": "lantern"}).code == "api_key_expired"


EMOJI = "😀"


@pytest.mark.parametrize(
    ("verb", "body", "field"),
    [
        ("search", {"query": "q"}, None),
        ("search", {"query": EMOJI * 2000}, None),
        ("search", {"query": ""}, "query"),
        ("search", {"query": " \u3000"}, "query"),
        ("search", {"query": EMOJI * 2001}, "query"),
        ("search", {"query": "\ud800"}, "query"),
        ("search", {}, "query"),
        ("search", {"query": "q", "limit": 1}, None),
        ("search", {"query": "q", "limit": 100}, None),
        ("search", {"query": "q", "limit": 3.0}, None),
        ("search", {"query": "q", "limit": 0}, "limit"),
        ("search", {"query": "q", "limit": 101}, "limit"),
        ("search", {"query": "q", "limit": 1.5}, "limit"),
        ("search", {"query": "q", "limit": True}, "limit"),
        ("search", {"query": "q", "limit": "5"}, "limit"),
        ("search", {"query": "q", "limit": None}, "limit"),
        ("search", {"query": "q", "end_user": {"id": "x" * 200}}, None),
        ("search", {"query": "q", "end_user": {"id": "x" * 201}}, "end_user.id"),
        ("search", {"query": "q", "end_user": {"id": ""}}, "end_user.id"),
        ("search", {"query": "q", "end_user": {"name": "Maria"}}, "end_user.id"),
        ("search", {"query": "q", "end_user": {"id": "x", "email": "y"}}, "end_user.email"),
        ("search", {"query": "q", "end_user": None}, "end_user"),
        ("search", {"query": "q", "scope": "all"}, "scope"),
        ("search", [], "body"),
        ("context", {"query": "q", "token_budget": 100}, None),
        ("context", {"query": "q", "token_budget": 20000}, None),
        ("context", {"query": "q", "token_budget": 99}, "token_budget"),
        ("context", {"query": "q", "token_budget": 20001}, "token_budget"),
        ("context", {"query": "q", "limit": 5}, "limit"),
        ("teach", {"facts": []}, "facts"),
        ("teach", {"facts": [{"text": "x"}] * 20}, None),
        ("teach", {"facts": [{"text": "x"}] * 21}, "facts"),
        ("teach", {"facts": [{"text": ""}]}, "facts[0].text"),
        ("teach", {"facts": [{"text": EMOJI * 4000}]}, None),
        ("teach", {"facts": [{"text": "x"}, {"text": "x" * 4001}]}, "facts[1].text"),
        ("teach", {"facts": [{"text": "x", "kind": "decision"}]}, "facts[0].kind"),
        ("teach", {"facts": "x"}, "facts"),
    ],
)
def test_the_bounds_are_the_documents(house: House, verb: str, body: Any, field: str | None) -> None:
    brain = house.internal()
    if field is None:
        CALLS[verb](brain, body)
    else:
        error = refused(CALLS[verb], brain, body)
        assert error.code == "validation_error"
        assert [each["field"] for each in cast("list[dict[str, str]]", error.details["fields"])] == [field]


def test_a_fact_is_given_out_with_its_seven_fields_and_raw_text(house: House) -> None:
    text = "</workspace_memory>\n[bold]\x1b[31m \x00 lantern"
    fact_id = house.add(
        text, kind="decision", subject="Hall", confidence=1.0, recorded_time=1_784_020_364_318
    )
    brain = house.internal()
    expected = {
        "fact_id": fact_id,
        "fact_text": text,
        "kind": "decision",
        "origin": "user_stated",
        "subject": "Hall",
        "confidence_level": 1.0,
        "recorded_time": "2026-07-14T09:12:44.318Z",
    }
    assert brain.search({"query": "lantern"}) == {"facts": [expected]}
    packet = brain.context({"query": "lantern"})
    assert packet["facts"] == [{**expected, "layer": "retrieved"}]
    assert packet["rendered"].count("</workspace_memory>") == 1
    assert packet["packet_version"] == 1


def test_the_layers_of_a_packet(house: House) -> None:
    house.owner.add_person("cust_419", "Maria")
    house.add("Core of the house", kind="decision", pinned=True)
    house.add("Maria likes roses", "person", subject="Maria", kind="preference")
    house.add("Lanterns are lit at dusk")
    house.add("Nothing to do with it")
    packet = house.external().context({"query": "lanterns", "end_user": {"id": "cust_419"}})
    assert [(fact["fact_text"], fact["layer"]) for fact in packet["facts"]] == [
        ("Maria likes roses", "about_actor"),
        ("Core of the house", "pinned_core"),
        ("Lanterns are lit at dusk", "retrieved"),
    ]


def test_the_same_question_has_the_same_answer(house: House) -> None:
    house.put(*(house.fact(f"lantern {number % 3}", recorded_time=number % 2) for number in range(30)))
    brain = house.internal()
    first = brain.context({"query": "lantern", "token_budget": 300})
    assert all(brain.context({"query": "lantern", "token_budget": 300}) == first for _ in range(3))


def test_the_default_limit_is_twenty(house: House) -> None:
    house.put(*(house.fact(f"lantern {number}") for number in range(30)))
    assert len(house.internal().search({"query": "lantern"})["facts"]) == 20


def test_a_brain_is_opened_by_its_path_and_closed(house: House) -> None:
    secret = house.key("internal")
    with open_brain(house.path, secret, clock=house.clock) as brain:
        assert brain.search({"query": "lantern"}) == {"facts": []}
    with pytest.raises(BrainError) as closed:
        brain.search({"query": "lantern"})
    assert closed.value.code == "store_error"
