"""Customers bound to ids, and colleagues: who is known decides what a fact is about, before and after it is told."""

import pytest

from brainctl.contract.errors import BrainError
from brainctl.engine.attribution import Attribution, Directory
from brainctl.engine.capture.claims import About
from tests.engine.house import House

pytestmark = pytest.mark.both_stores

MARIA, OTHER_MARIA = "cust_419", "cust_88"


def for_person(house: House, person: str | None = None, audience: str = "external") -> list[str]:
    brain = house.brain(house.key(audience))
    if person is None:
        reply = brain.search({"query": "tulips"})
    else:
        reply = brain.search({"query": "tulips", "end_user": {"id": person}})
    return sorted(fact["fact_text"] for fact in reply["facts"])


def test_a_fact_about_nobody_known_is_for_internal_eyes_until_the_person_is_bound(house: House) -> None:
    house.add("Maria likes tulips", "person", subject="maria")
    assert for_person(house) == for_person(house, MARIA) == []
    assert for_person(house, audience="internal") == ["Maria likes tulips"]
    house.owner.add_person(MARIA, "María")
    assert for_person(house, MARIA) == ["Maria likes tulips"]
    assert for_person(house) == for_person(house, OTHER_MARIA) == for_person(house, audience="internal") == []
    assert house.owner.remove_person(MARIA)
    assert for_person(house, MARIA) == []
    assert for_person(house, audience="internal") == ["Maria likes tulips"]


def test_a_name_that_two_ids_share_belongs_to_neither(house: House) -> None:
    house.owner.add_person(MARIA, "Maria")
    house.add("Maria likes tulips", "person", subject="maria")
    house.add("cust_419 likes tulips", "person", subject=MARIA)
    house.owner.add_person(OTHER_MARIA, "maria")
    assert for_person(house, MARIA) == ["cust_419 likes tulips"]
    assert for_person(house, OTHER_MARIA) == []
    house.owner.remove_person(OTHER_MARIA)
    assert for_person(house, MARIA) == ["Maria likes tulips", "cust_419 likes tulips"]


def test_a_colleague_wins_over_a_customer_of_the_same_name(house: House) -> None:
    house.owner.add_person(MARIA, "Maria")
    house.add("Maria likes tulips", "person", subject="maria")
    house.add("cust_419 likes tulips", "person", subject=MARIA)
    house.owner.add_member("MARIA")
    assert for_person(house, MARIA) == for_person(house) == []
    assert len(for_person(house, audience="internal")) == 2
    assert house.owner.remove_member("maria")
    assert len(for_person(house, MARIA)) == 2


def test_what_was_about_a_colleague_does_not_become_public_when_they_leave(house: House) -> None:
    house.owner.add_member("Sage")
    brain = house.internal(plain=True)
    brain.teach({"facts": [{"text": "decision/team/sage: Sage orders the tulips"}]})
    house.owner.remove_member("Sage")
    assert for_person(house) == []


def test_a_colleague_named_later_takes_a_general_fact_in(house: House) -> None:
    """A word that is a name after all: `Sage orders` looked like a thing until somebody was called so."""
    brain = house.internal(plain=True)
    brain.teach({"facts": [{"text": "decision/general/orders: sage orders the tulips"}]})
    assert len(for_person(house)) == 1
    house.owner.add_member("Sage")
    assert for_person(house) == []
    house.owner.remove_member("Sage")
    assert len(for_person(house)) == 1


def test_a_person_bound_to_another_name_keeps_nothing_of_the_old_one(house: House) -> None:
    house.owner.add_person(MARIA, "Maria")
    house.add("Maria likes tulips", "person", subject="maria")
    house.add("Olga likes tulips", "person", subject="olga")
    house.owner.add_person(MARIA, "Olga")
    assert for_person(house, MARIA) == ["Olga likes tulips"]
    assert [tuple(person) for person in house.owner.people()] == [(MARIA, "Olga")]


def test_replaced_facts_do_not_hold_a_person(house: House) -> None:
    house.owner.add_person(MARIA, "Maria")
    brain = house.internal(plain=True)
    brain.teach({"facts": [{"text": "preference/person/Maria: tulips"}]})
    brain.teach({"facts": [{"text": "preference/person/Maria: now tulips or roses"}]})
    assert house.owner.remove_person(MARIA)
    assert not house.owner.remove_person(MARIA)
    assert not house.owner.remove_member("Maria")
    assert house.owner.people() == []


def test_members_are_listed_by_name(house: House) -> None:
    for name in ("Zoë", "Ada Lovelace", "Sage"):
        house.owner.add_member(name)
    house.owner.add_member("ADA  LOVELACE")
    assert house.owner.members() == ["ADA  LOVELACE", "Sage", "Zoë"]


@pytest.mark.parametrize(
    ("person_id", "name"), [("", "Maria"), ("x" * 201, "Maria"), ("x", " "), ("x", "\ud800")]
)
def test_an_id_or_a_name_out_of_bounds_is_refused(house: House, person_id: str, name: str) -> None:
    with pytest.raises(BrainError) as refused:
        house.owner.add_person(person_id, name)
    assert refused.value.code == "validation_error"
    assert house.owner.people() == []


DIRECTORY = Directory(
    [
        (MARIA, "maria"),
        ("cust_512", "omar haddad"),
        ("a1", "alex"),
        ("a2", "alex"),
        ("42", "ines"),
        ("tanaka-1", "田中"),
        ("w1", "will"),
        ("d7", "dana"),
    ],
    ["dana", "ada lovelace"],
)


@pytest.mark.parametrize(
    ("subject", "text", "judged", "about", "person_id"),
    [
        ("refund policy", "Refunds take a week.", "general", "general", None),
        ("maria", "Maria moved.", "person", "person", MARIA),
        ("wedding", "The wedding of MARIA's moved.", "general", "person", MARIA),
        ("wedding", "Marianne moved.", "general", "general", None),
        ("wedding", "Omar   Haddad, of all people.", "person", "person", "cust_512"),
        ("wedding", "Omar was there.", "person", "person", None),
        ("wedding", "Maria met Omar Haddad.", "person", "person", None),
        ("wedding", "Maria met Dana.", "person", "team", None),
        ("wedding", "Ada Lovelace decides.", "general", "team", None),
        ("alex", "Alex moved.", "person", "person", None),
        ("ticket", "cust_419 moved; see (cust_419).", "general", "person", MARIA),
        ("ticket", "CUST_419 moved.", "general", "general", None),
        ("ticket", "42 days of notice.", "general", "general", None),
        ("42", None, "general", "person", "42"),
        ("MARIA", None, "person", "person", MARIA),
        ("wedding", None, "general", "general", None),
        ("d7", None, "person", "team", None),
        ("assistant", "Maria was helped.", "worker", "worker", None),
        ("dana", "Dana was helped.", "worker", "team", None),
        ("sage", "Sage left.", "team", "person", None),
        ("table", "田中さんは来ます", "general", "person", "tanaka-1"),
        ("week", "Refunds will take a week.", "general", "general", None),
        ("week", "The week that Will chose.", "general", "person", "w1"),
        (None, "Maria moved.", "person", "person", MARIA),
        (None, None, "general", "general", None),
    ],
)
def test_whom_a_fact_is_about(
    subject: str | None, text: str | None, judged: About, about: About, person_id: str | None
) -> None:
    assert DIRECTORY.attribute(subject, text, judged) == Attribution(about, person_id)
