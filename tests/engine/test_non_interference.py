"""What a viewer may not see changes nothing of what it sees: not a byte, not an order, not a counter."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.engine.house import House
from tests.spot import Spot

pytestmark = pytest.mark.both_stores

# Each example makes brains of its own, and leaves those of the others alone.
MANY_BRAINS = [HealthCheck.function_scoped_fixture]

if TYPE_CHECKING:
    from brainctl.contract.requests import ContextRequest, SearchRequest
    from brainctl.engine.local_brain import LocalBrain

MARIA, OMAR = "cust_419", "cust_512"

WORDS = "refund deposit wedding tulip lantern monday price hall september 14 maria"
words = st.sampled_from(WORDS.split())
texts = st.lists(words, min_size=1, max_size=6).map(" ".join)
# Slips of the keyboard are put right by what is known, and what is told together lends to its neighbours.
asked = st.lists(words | st.sampled_from(["depositt", "weding", "lantren"]), min_size=1, max_size=6).map(
    " ".join
)
open_origins = st.sampled_from(["user_stated", "ingested"])
open_facts = st.fixed_dictionaries(
    {
        "text": texts,
        "kind": st.sampled_from(["decision", "observation"]),
        "origin": open_origins,
        "subject": st.sampled_from(["refund policy", "hall", "lantern (tulip, price list)"]),
        "pinned": st.booleans(),
    }
)
marias_facts = st.fixed_dictionaries(
    {
        "text": texts,
        "kind": st.sampled_from(["preference", "profile_fact"]),
        "origin": open_origins,
        "subject": st.just("Maria"),
        "about": st.just("person"),
        "pinned": st.booleans(),
    }
)
hidden_facts = st.one_of(
    st.fixed_dictionaries(
        {
            "text": texts | st.just("lantrenn wedding"),
            "kind": st.sampled_from(["incident", "role", "other"]),
            "origin": open_origins,
            "pinned": st.booleans(),
        }
    ),
    st.fixed_dictionaries({"text": texts, "origin": st.sampled_from(["agent_inferred", "system"])}),
    st.fixed_dictionaries(
        {
            "text": texts,
            "about": st.just("person"),
            "origin": open_origins,
            "subject": st.sampled_from(["Omar", "Ivan", "Dana"]),
        }
    ),
    st.fixed_dictionaries({"text": texts, "about": st.sampled_from(["team", "worker"])}),
)


@contextmanager
def filled(
    new_spot: Callable[[], Spot], facts: list[tuple[bool, dict[str, Any]]], *, with_hidden: bool
) -> Iterator[House]:
    """A brain with the facts in their order, each with the id and the time of its place in it."""
    with ExitStack() as stack:
        house = House(new_spot(), stack)
        house.owner.add_person(MARIA, "Maria")
        house.owner.add_person(OMAR, "Omar")
        house.owner.add_member("Dana")
        house.put(
            *(
                house.fact(
                    **fields,
                    fact_id=f"fact_{place:026}",
                    # Few different times, so that ties are common.
                    recorded_time=1_780_000_000_000 + place % 3,
                )
                for place, (hidden, fields) in enumerate(facts)
                if with_hidden or not hidden
            )
        )
        yield house


def everything_seen(brain: "LocalBrain", queries: list[str], people: tuple[str | None, ...]) -> list[object]:
    seen: list[object] = []
    for query in queries:
        for person in people:
            search: SearchRequest = {"query": query, "limit": 10}
            context: ContextRequest = {"query": query, "token_budget": 250}
            if person:
                search["end_user"] = context["end_user"] = {"id": person}
            seen += [brain.search(search), brain.context(context)]
    return seen


mixed = st.lists(
    st.one_of(
        st.tuples(st.just(False), open_facts),
        st.tuples(st.just(False), marias_facts),
        st.tuples(st.just(True), hidden_facts),
    ),
    max_size=25,
)


@settings(max_examples=25, deadline=None, suppress_health_check=MANY_BRAINS)
@given(mixed, st.lists(asked, min_size=1, max_size=3))
def test_hidden_facts_leave_an_external_reply_as_it_is(
    new_spot: Callable[[], Spot], facts: list[tuple[bool, dict[str, Any]]], queries: list[str]
) -> None:
    with (
        filled(new_spot, facts, with_hidden=True) as full,
        filled(new_spot, facts, with_hidden=False) as bare,
    ):
        assert everything_seen(full.external(), queries, (None, MARIA)) == everything_seen(
            bare.external(), queries, (None, MARIA)
        )


@settings(max_examples=15, deadline=None, suppress_health_check=MANY_BRAINS)
@given(
    st.lists(
        st.one_of(
            st.tuples(st.just(False), st.one_of(open_facts, hidden_facts)),
            st.tuples(st.just(True), marias_facts),
        ),
        max_size=25,
    ),
    st.lists(asked, min_size=1, max_size=3),
)
def test_the_facts_about_a_person_leave_an_internal_reply_that_does_not_name_them_as_it_is(
    new_spot: Callable[[], Spot], facts: list[tuple[bool, dict[str, Any]]], queries: list[str]
) -> None:
    with (
        filled(new_spot, facts, with_hidden=True) as full,
        filled(new_spot, facts, with_hidden=False) as bare,
    ):
        assert everything_seen(full.internal(), queries, (None, OMAR)) == everything_seen(
            bare.internal(), queries, (None, OMAR)
        )


@settings(max_examples=15, deadline=None, suppress_health_check=MANY_BRAINS)
@given(mixed, st.lists(asked, min_size=1, max_size=3))
def test_hidden_facts_that_were_there_and_are_replaced_leave_no_trace(
    new_spot: Callable[[], Spot], facts: list[tuple[bool, dict[str, Any]]], queries: list[str]
) -> None:
    with (
        filled(new_spot, facts, with_hidden=True) as full,
        filled(new_spot, facts, with_hidden=False) as bare,
    ):
        hidden = [f"fact_{place:026}" for place, (is_hidden, _) in enumerate(facts) if is_hidden]
        newest = full.add("something else", kind="incident")
        with full.owner.store.writing(full.workspace) as writing:
            for fact_id in hidden:
                writing.supersede(fact_id, by=newest)
        assert everything_seen(full.external(), queries, (None, MARIA)) == everything_seen(
            bare.external(), queries, (None, MARIA)
        )


taught = st.lists(
    st.builds(
        "{}/{}/{}: {}".format,
        st.sampled_from(["decision", "incident"]),
        st.sampled_from(["general", "person", "worker"]),
        st.sampled_from(["hall", "refund policy", "Maria"]),
        st.sampled_from(["tulip", "lantern", "now tulip", "now lantern"]),
    ),
    min_size=1,
    max_size=6,
)
told = st.lists(st.tuples(st.sampled_from(["internal", "external"]), taught), min_size=1, max_size=8)


@settings(max_examples=30, deadline=None, suppress_health_check=MANY_BRAINS)
@given(told)
def test_the_counters_of_an_external_key_tell_nothing_of_what_is_hidden(
    new_spot: Callable[[], Spot],
    calls: list[tuple[str, list[str]]],
) -> None:
    """An internal key teaches things that nobody outside may see, in between; the counters do not change."""

    def counters(*, with_internal: bool) -> list[object]:
        with ExitStack() as stack:
            house = House(new_spot(), stack)
            house.owner.add_person(MARIA, "Maria")
            brains = {each: house.brain(house.key(each), plain=True) for each in ("internal", "external")}
            replies: list[object] = []
            for audience, lines in calls:
                if audience == "external":
                    replies.append(brains[audience].teach({"facts": [{"text": line} for line in lines]}))
                elif with_internal:
                    hidden = [line for line in lines if not line.startswith("decision/general/")]
                    # A text that names Maria is hers, and what is hers is hidden with nobody named.
                    if hidden:
                        brains[audience].teach({"facts": [{"text": line} for line in hidden]})
            return replies

    assert counters(with_internal=True) == counters(with_internal=False)


def test_the_same_kind_of_key_taught_apart_is_not_told_of_either(house: House) -> None:
    """Two external keys know nothing of each other's telling, unless anybody may read it."""
    first, second = house.external(plain=True), house.external(plain=True)
    text = "decision/general/hall: tulip"
    assert first.teach({"facts": [{"text": text}]})["created"] == 1
    assert second.teach({"facts": [{"text": text}]})["created"] == 1
    assert second.teach({"facts": [{"text": text}]})["skipped"] == 1


names = st.sampled_from(["Elif Kaya", "Priya Nair", "Will May"])
told_of_somebody = st.builds(
    lambda text, name, day: text.format(name=name, first=name.split()[0], small=name.lower(), day=day),
    st.sampled_from(
        [
            "The wedding of {name} is on {day} May.",
            "We moved the wedding of {small} to {day} May.",
            "{first}'s desk is in room {day}.",
            "{name}'s desk is now in room {day}.",
            "{first} likes tulips.",
        ]
    ),
    names,
    st.integers(1, 3),
)


@settings(max_examples=40, deadline=None, suppress_health_check=MANY_BRAINS)
@given(st.lists(told_of_somebody, min_size=2, max_size=5), st.sets(names), st.sets(names))
def test_the_counters_of_an_external_key_do_not_tell_who_is_known(
    new_spot: Callable[[], Spot], told: list[str], people: set[str], members: set[str]
) -> None:
    def counters(*, is_known: bool) -> list[object]:
        with ExitStack() as stack:
            house = House(new_spot(), stack)
            if is_known:
                for name in people:
                    house.owner.add_person(f"cust_{name}", name)
                for name in members - people:
                    house.owner.add_member(name)
            brain = house.external()
            return [brain.teach({"facts": [{"text": text}]}) for text in told]

    assert counters(is_known=True) == counters(is_known=False)
