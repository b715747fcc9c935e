"""The sample company."""

import re
from datetime import UTC, datetime

from brainctl.contract.bounds import CUSTOMER_FACING_KINDS, FACT_TEXT_MAX, KINDS, ORIGINS, STATED_ORIGINS
from brainctl.engine import sample
from brainctl.engine.capture.claims import Names
from brainctl.engine.capture.pipeline import Pipeline
from brainctl.engine.capture.subject import judge_subject
from brainctl.engine.words.text import fold

NAMES = Names(
    people=tuple(fold(name) for _, name in sample.people()),
    members=tuple(fold(name) for name in sample.members()),
)


def test_it_has_every_kind_and_every_origin() -> None:
    facts = sample.facts()
    assert 55 <= len(facts) <= 65
    assert {fact["kind"] for fact in facts} == set(KINDS)
    assert {fact["origin"] for fact in facts} == set(ORIGINS)
    assert 2 <= sum(fact["pinned"] for fact in facts) <= 3


def test_its_facts_are_well_formed_and_in_order() -> None:
    facts = sample.facts()
    times = [fact["recorded_time"] for fact in facts]
    assert times == sorted(times)
    for fact in facts:
        assert 0 < len(fact["text"]) <= FACT_TEXT_MAX
        assert 0 < fact["confidence"] <= 1
        assert re.fullmatch(r"2026-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", fact["recorded_time"])
        assert datetime.fromisoformat(fact["recorded_time"]).tzinfo == UTC
    assert len({fact["text"] for fact in facts}) == len(facts)


def test_its_customers_have_ids_and_maria_is_one() -> None:
    assert ("cust_419", "Maria") in sample.people()
    subjects = {fact["subject"] for fact in sample.facts()}
    assert {fold(name) for _, name in sample.people()} <= subjects


def test_its_stated_subjects_are_judged_as_they_are_meant() -> None:
    somebody = {"maria", "daniel okafor", "yuki tanaka", "elif kaya", "henrike voss"}
    team = {"priya nair", "tomas lindqvist", "wanda brzoza", "weekend crew"}
    for fact in sample.facts():
        expected = "general"
        if fact["subject"] in somebody:
            expected = "person"
        elif fact["subject"] in team:
            expected = "team"
        elif fact["subject"] == "worker":
            expected = "worker"
        assert judge_subject(fact["subject"], NAMES) == expected, fact


def test_what_any_customer_may_read_names_nobody() -> None:
    public = [
        fact
        for fact in sample.facts()
        if fact["kind"] in CUSTOMER_FACING_KINDS
        and fact["origin"] in STATED_ORIGINS
        and judge_subject(fact["subject"], NAMES) == "general"
    ]
    assert len(public) >= 20
    for fact in public:
        assert Pipeline().read(fact["text"], NAMES).about == "general", fact["text"]


def test_its_facts_stand_beside_each_other() -> None:
    """Taught one after another, in any order, none of them is taken for a repeat of another."""
    from brainctl.engine.capture.claims import Claim, KnownFact
    from brainctl.engine.capture.compare import compare
    from brainctl.engine.capture.normalise import normalise

    facts = sample.facts()
    known = [
        KnownFact(str(place), fact["text"], normalise(fact["text"]), fact["kind"], fact["subject"], place)
        for place, fact in enumerate(facts)
    ]
    for place, fact in enumerate(facts):
        claim = Claim(fact["text"], normalise(fact["text"]), fact["kind"], fact["subject"], "general", 0.9)
        assert compare(claim, known[:place] + known[place + 1 :]).action == "create", fact["text"]
