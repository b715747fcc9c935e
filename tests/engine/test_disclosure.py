"""Every kind, origin and subject, through every key and for every person named."""

import itertools
from collections.abc import Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING, NamedTuple, get_args

import pytest

from brainctl.contract.bounds import CUSTOMER_FACING_KINDS, KINDS, ORIGINS, STATED_ORIGINS
from brainctl.engine.capture.claims import About
from brainctl.engine.disclosure import Shelf, Viewer, shelf_of, sight_of
from brainctl.engine.local_brain import LocalBrain
from tests.engine.house import House
from tests.spot import Spot

pytestmark = pytest.mark.both_stores

if TYPE_CHECKING:
    from brainctl.contract.requests import ContextRequest, EndUser, SearchRequest
    from brainctl.engine.store.writing import NewFact

MARIA, OMAR, DANA, STRANGER = "cust_419", "cust_512", "cust_7", "cust_000"
"""Two customers, a colleague who is a customer too, and an id that nobody has."""

KINDS_AND_ONE_MORE = (*KINDS, "kind_of_tomorrow")


class Subject(NamedTuple):
    subject: str
    judged: About
    person: str | None = None
    hidden: bool = False


SUBJECTS = {
    "policy": Subject("refund policy", "general"),
    "maria": Subject("Maria", "person", MARIA),
    "maria by id": Subject(MARIA, "person", MARIA),
    "omar": Subject("omar", "person", OMAR),
    "colleague": Subject("Dana", "person", hidden=True),
    "colleague by id": Subject(DANA, "person", hidden=True),
    "colleague who seemed a thing": Subject("Sage", "general", hidden=True),
    "worker": Subject("assistant", "worker", hidden=True),
    "nobody known": Subject("Ivan", "person", hidden=True),
    "name of two ids": Subject("Alex", "person", hidden=True),
}

END_USERS = {"nobody": None, "maria": MARIA, "omar": OMAR, "member": DANA, "stranger": STRANGER}


def expected(audience: str, named: str | None, kind: str, origin: str, subject: Subject) -> bool:
    """The rule in one place, as the documents have it."""
    if audience == "internal":
        return subject.person is None or subject.person == named
    return (
        kind in CUSTOMER_FACING_KINDS
        and origin in STATED_ORIGINS
        and not subject.hidden
        and (subject.person is None or subject.person == named)
    )


class Table(NamedTuple):
    facts: dict[str, tuple[str, str, Subject]]
    brains: dict[str, LocalBrain]


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Table]:
    with ExitStack() as stack:
        house = House(Spot(str(tmp_path_factory.mktemp("table") / "brain.db"), "local"), stack)
        for person_id, name in (
            (MARIA, "Maria"),
            (OMAR, "Omar"),
            (DANA, "Dana"),
            ("a1", "Alex"),
            ("a2", "ALEX"),
        ):
            house.owner.add_person(person_id, name)
        for member in ("Dana", "Sage"):
            house.owner.add_member(member)
        combinations = itertools.product(KINDS_AND_ONE_MORE, ORIGINS, SUBJECTS.values())
        facts = {f"w{number}": combination for number, combination in enumerate(combinations)}
        house.put(
            *(
                house.fact(word, subject.judged, kind=kind, origin=origin, subject=subject.subject)
                for word, (kind, origin, subject) in facts.items()
            )
        )
        yield Table(facts, {"internal": house.internal(), "external": house.external()})


@pytest.mark.parametrize("audience", ["internal", "external"])
@pytest.mark.parametrize("named", list(END_USERS))
def test_search_and_context_show_exactly_what_the_rule_allows(
    table: Table, audience: str, named: str
) -> None:
    brain = table.brains[audience]
    person = END_USERS[named]
    end_user: EndUser | None = {"id": person, "name": "Maria"} if person else None
    allowed = {word for word, fact in table.facts.items() if expected(audience, person, *fact)}
    searched: set[str] = set()
    in_packets: set[str] = set()
    words = list(table.facts)
    # What matches goes first, so that each fact is shown when its own word is asked for.
    for start in range(0, len(words), 60):
        query = " ".join(words[start : start + 60])
        search: SearchRequest = {"query": query, "limit": 100}
        context: ContextRequest = {"query": query, "token_budget": 20000}
        if end_user:
            search["end_user"] = context["end_user"] = end_user
        searched |= {fact["fact_text"] for fact in brain.search(search)["facts"]}
        packet = brain.context(context)
        in_packets |= {fact["fact_text"] for fact in packet["facts"]}
        rendered = {line.split("] ")[1] for line in packet["rendered"].split("\n") if line.startswith("- [")}
        assert rendered == {fact["fact_text"] for fact in packet["facts"]}
    assert searched == allowed
    assert in_packets == allowed


@pytest.mark.parametrize(
    "person_id",
    [
        MARIA.upper(),
        MARIA + " ",
        " " + MARIA,
        MARIA + "\x00",
        "\uff43ust_419",
        "*",
        "%",
        "_",
        "cust%",
        "Maria",
        "maria",
    ],
)
@pytest.mark.parametrize("audience", ["internal", "external"])
def test_an_id_is_compared_byte_for_byte(house: House, audience: str, person_id: str) -> None:
    house.owner.add_person(MARIA, "Maria")
    house.add("Maria likes tulips", "person", subject="maria", kind="preference")
    brain = house.brain(house.key(audience))
    assert brain.search({"query": "tulips", "end_user": {"id": person_id, "name": "Maria"}}) == {"facts": []}
    assert brain.search({"query": "tulips", "end_user": {"id": MARIA}})["facts"]


def test_pinned_facts_are_kept_from_whoever_may_not_see_them(house: House) -> None:
    house.owner.add_person(MARIA, "Maria")
    house.add("Margins are thin", kind="incident", pinned=True)
    house.add("Maria pays late", "person", subject="Maria", kind="profile_fact", pinned=True)
    house.add("We close on Mondays", kind="decision", pinned=True)
    external, internal = house.external(), house.internal()
    asked: list[tuple[str, LocalBrain, str | None]] = [
        ("external", external, None),
        ("external for Maria", external, MARIA),
        ("external for Omar", external, OMAR),
        ("internal", internal, None),
    ]
    texts: dict[str, list[str]] = {}
    for name, brain, person in asked:
        request: ContextRequest = {"query": "anything"}
        if person:
            request["end_user"] = {"id": person}
        texts[name] = [fact["fact_text"] for fact in brain.context(request)["facts"]]
    assert texts == {
        "external": ["We close on Mondays"],
        "external for Maria": ["Maria pays late", "We close on Mondays"],
        "external for Omar": ["We close on Mondays"],
        "internal": ["We close on Mondays", "Margins are thin"],
    }


def test_the_shelf_a_fact_is_put_on_and_the_sight_it_is_read_by_agree(house: House) -> None:
    """Decided once when written and once when read: on every combination the two say the same."""
    house.owner.add_person(MARIA, "Maria")
    outside_key = house.owner.create_key("outside", "external", ["memory.write"]).key.key_id
    shelves: dict[str, Shelf] = {}
    facts: list[NewFact] = []
    for number, (kind, origin, about, person, outside) in enumerate(
        itertools.product(KINDS_AND_ONE_MORE, ORIGINS, get_args(About), (None, MARIA), (False, True))
    ):
        if person and about != "person":
            continue
        shelf = shelf_of(kind=kind, origin=origin, about=about, person_id=person, outside=outside)
        fact = house.fact(
            f"fact {number}",
            about,
            kind=kind,
            origin=origin,
            subject="Maria" if person else "thing",
            outside=outside,
            taught_by=outside_key if outside else None,
        )
        shelves[fact.fact_id] = shelf
        facts.append(fact)
    house.put(*facts)
    with house.owner.store.reading() as connection:
        stored = dict(connection.execute("SELECT fact_id, shelf FROM facts"))
        assert stored == shelves
        for audience, general in (("external", {"open"}), ("internal", {"open", "inner"})):
            sight = sight_of(Viewer(1, audience, None))
            rows = connection.execute(
                f"SELECT fact_id FROM facts WHERE {sight.general}", sight.general_parameters
            )
            assert {fact_id for (fact_id,) in rows} == {
                fact_id for fact_id, shelf in shelves.items() if shelf in general
            }
            assert set(sight.shelves) == general
            assert sight.personal is None


@pytest.mark.of_a_file
def test_every_fact_of_the_open_index_is_open(house: House) -> None:
    """Counted in the index itself, which the ranking of an external key is made of."""
    house.add("open lantern")
    house.add("hidden lantern", kind="incident")
    house.add("hidden lantern too", "person", subject="Ivan")
    with house.owner.store.reading() as connection:
        (open_count,) = connection.execute(
            "SELECT doc FROM open_vocabulary WHERE term = 'lantern'"
        ).fetchone()
        (inner_count,) = connection.execute(
            "SELECT doc FROM inner_vocabulary WHERE term = 'lantern'"
        ).fetchone()
    assert (open_count, inner_count) == (1, 2)
