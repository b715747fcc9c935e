"""Teaching through the pipeline's verdicts: what is written, counted and replaced, and by whose word."""

import itertools
from collections.abc import Callable
from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from brainctl.contract.errors import BrainError
from tests.engine.house import House
from tests.spot import Spot

pytestmark = pytest.mark.both_stores

if TYPE_CHECKING:
    from brainctl.contract.replies import TeachReply
    from brainctl.engine.local_brain import LocalBrain

TULIP, LANTERN = "decision/general/hall: tulip", "decision/general/hall: now lantern"


def teach(brain: "LocalBrain", *texts: str) -> tuple[int, int, int]:
    """Created, superseded, skipped."""
    reply: TeachReply = brain.teach({"facts": [{"text": text} for text in texts]})
    counters = (reply["created"], reply["superseded"], reply["skipped"])
    assert sum(counters) == reply["accepted_fact_count"] == len(texts)
    assert set(reply) == {"accepted_fact_count", "created", "superseded", "skipped"}
    return counters


def found(brain: "LocalBrain", query: str, person: str | None = None) -> list[str]:
    if person:
        reply = brain.search({"query": query, "end_user": {"id": person}})
    else:
        reply = brain.search({"query": query})
    return [fact["fact_text"] for fact in reply["facts"]]


def test_a_new_fact_is_created_and_its_repetition_skipped(house: House) -> None:
    brain = house.internal(plain=True)
    assert teach(brain, TULIP) == (1, 0, 0)
    assert teach(brain, TULIP) == (0, 0, 1)
    assert teach(brain, "decision/general/hall: TULIP!") == (0, 0, 1)


def test_a_duplicate_within_a_call_is_skipped(house: House) -> None:
    assert teach(house.internal(plain=True), TULIP, TULIP, TULIP) == (1, 0, 2)


def test_a_taught_fact_is_what_its_claim_says(house: House) -> None:
    brain = house.internal(plain=True)
    teach(brain, TULIP)
    (fact,) = brain.search({"query": "tulip"})["facts"]
    assert fact == {
        "fact_id": fact["fact_id"],
        "fact_text": TULIP,
        "kind": "decision",
        "origin": "user_stated",
        "subject": "hall",
        "confidence_level": 0.8,
        "recorded_time": "2026-09-21T14:13:20.000Z",
    }


def test_what_is_replaced_is_in_no_read_and_still_in_the_file(house: House) -> None:
    brain = house.internal(plain=True)
    teach(brain, TULIP)
    assert teach(brain, LANTERN) == (0, 1, 0)
    assert found(brain, "tulip") == []
    assert found(brain, "lantern hall") == [LANTERN]
    assert "tulip" not in brain.context({"query": "tulip hall"})["rendered"]
    with house.owner.store.reading() as connection:
        rows = connection.execute("SELECT text, superseded_by IS NULL FROM facts ORDER BY row").fetchall()
    assert rows == [(TULIP, 0), (LANTERN, 1)]
    assert house.owner.fact_count() == 1


def test_the_indexes_and_totals_follow_what_is_replaced(house: House) -> None:
    brain = house.internal(plain=True)
    teach(brain, TULIP)
    teach(brain, LANTERN)
    with house.owner.store.reading() as connection:
        assert (
            connection.execute("SELECT 1 FROM frequencies WHERE shelf = 'open' AND term = 'tulip'").fetchall()
            == []
        )
        (facts, terms) = connection.execute(
            "SELECT facts, terms FROM shelves WHERE shelf = 'open'"
        ).fetchone()
        (kept,) = connection.execute("SELECT terms FROM facts WHERE superseded_by IS NULL").fetchone()
    assert (facts, terms) == (1, len(kept.split()))


def test_back_and_forth_ends_with_the_last_word(house: House) -> None:
    brain = house.internal(plain=True)
    back = "decision/general/hall: now tulip"
    assert [teach(brain, text) for text in (back, LANTERN, back)] == [(1, 0, 0), (0, 1, 0), (0, 1, 0)]
    assert found(brain, "hall") == [back]


def test_a_new_wording_of_a_pinned_fact_is_pinned(house: House) -> None:
    house.add("decision/general/hall: tulip", kind="decision", subject="hall", pinned=True)
    brain = house.internal(plain=True)
    assert teach(brain, LANTERN) == (0, 1, 0)
    (fact,) = brain.context({"query": "nothing of it"})["facts"]
    assert (fact["fact_text"], fact["layer"]) == (LANTERN, "pinned_core")


def test_a_call_that_fails_half_way_leaves_nothing(house: House) -> None:
    brain = house.internal(plain=True)
    with pytest.raises(ValueError, match="unpack"):
        brain.teach({"facts": [{"text": TULIP}, {"text": "the plain pipeline cannot read this"}]})
    assert found(brain, "tulip") == []
    assert teach(brain, TULIP) == (1, 0, 0)


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.lists(st.sampled_from([TULIP, LANTERN, "incident/team/hall: tulip"]), min_size=1, max_size=20),
        min_size=1,
        max_size=4,
    )
)
def test_counters_add_up_and_a_replay_changes_nothing(
    new_spot: Callable[[], Spot], calls: list[list[str]]
) -> None:
    with ExitStack() as stack:
        house = House(new_spot(), stack)
        for audience in ("internal", "external"):
            brain = house.brain(house.key(audience), plain=True)
            for texts in calls:
                once = list(dict.fromkeys(texts))
                teach(brain, *texts)
                # TULIP and LANTERN replace each other only forwards, so replay the last state.
                state = [text for text in once if text != TULIP or LANTERN not in once]
                teach(brain, *state)
                assert teach(brain, *state) == (0, 0, len(state))


# Through an external key


def test_an_external_key_that_repeats_what_is_hidden_is_told_nothing(house: House) -> None:
    internal, external = house.internal(plain=True), house.external(plain=True)
    secret = "incident/general/margin: forty percent"
    teach(internal, secret)
    assert teach(external, secret) == (1, 0, 0)
    assert teach(external, secret) == (0, 0, 1)


def test_an_external_key_that_repeats_what_anybody_may_read_is_told_so(house: House) -> None:
    internal, external = house.internal(plain=True), house.external(plain=True)
    teach(internal, TULIP)
    assert teach(external, TULIP) == (0, 0, 1)


def test_an_external_key_replaces_nothing_but_its_own(house: House) -> None:
    internal, external = house.internal(plain=True), house.external(plain=True)
    teach(internal, TULIP)
    assert teach(external, LANTERN) == (1, 0, 0)
    assert TULIP in found(internal, "hall")
    assert teach(external, "decision/general/hall: now roses") == (0, 1, 0)
    assert TULIP in found(internal, "hall")
    assert LANTERN not in found(internal, "hall")


def test_what_an_external_key_says_of_the_workspace_is_for_internal_eyes(house: House) -> None:
    """A customer must not be able to tell all other customers that everything is free."""
    internal, external, other = (
        house.internal(plain=True),
        house.external(plain=True),
        house.external(plain=True),
    )
    teach(external, TULIP)
    assert found(internal, "tulip") == [TULIP]
    assert found(external, "tulip") == found(other, "tulip") == []


def test_an_internal_key_that_says_the_same_makes_it_the_workspaces_word(house: House) -> None:
    internal, external = house.internal(plain=True), house.external(plain=True)
    teach(external, TULIP)
    assert teach(internal, TULIP) == (0, 1, 0)
    assert found(external, "tulip") == found(internal, "tulip") == [TULIP]
    assert teach(internal, TULIP) == (0, 0, 1)
    assert teach(external, TULIP) == (0, 0, 1)


def test_what_an_internal_key_corrected_an_external_replay_does_not_bring_back(house: House) -> None:
    internal, external = house.internal(plain=True), house.external(plain=True)
    teach(external, TULIP)
    assert teach(internal, LANTERN) == (0, 1, 0)
    assert teach(external, TULIP) == (0, 0, 1)
    assert found(internal, "hall") == [LANTERN]


def test_what_an_external_key_says_of_a_bound_person_is_shown_for_that_person(house: House) -> None:
    house.owner.add_person("cust_419", "Maria")
    external = house.external(plain=True)
    text = "preference/person/Maria: likes tulips"
    teach(external, text)
    assert found(external, "tulips") == []
    assert found(external, "tulips", "cust_419") == [text]
    assert found(external, "tulips", "cust_512") == []


@pytest.mark.parametrize("audience", ["internal", "external"])
def test_the_real_pipeline_reads_and_recognises(house: House, audience: str) -> None:
    real = house.brain(house.key(audience))
    told = [
        "Deposits are non-refundable inside 30 days of the event date.",
        "The hall opens at nine on Mondays.",
    ]
    assert teach(real, *told) == (2, 0, 0)
    assert teach(real, *told) == (0, 0, 2)


def test_twenty_texts_of_four_thousand_characters_are_taken(house: House) -> None:
    letters = itertools.cycle("ab ")
    texts = ["".join(itertools.islice(letters, 3990)) + f" word{number}" for number in range(20)]
    brain = house.internal()
    reply = brain.teach({"facts": [{"text": text} for text in texts]})
    assert reply["accepted_fact_count"] == 20
    with pytest.raises(BrainError) as refused:
        brain.teach({"facts": [{"text": "x" * 4001}]})
    assert refused.value.code == "validation_error"
