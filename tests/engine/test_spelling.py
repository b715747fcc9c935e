import pytest

from brainctl.engine.disclosure import Viewer
from brainctl.engine.recall import rank
from brainctl.engine.words.spelling import is_one_slip, nearest
from tests.engine.house import House

pytestmark = pytest.mark.both_stores

VIEWER = Viewer(1, "internal", None)


def ranked(house: House, query: str) -> list[str]:
    with house.owner.store.view(VIEWER) as view:
        return [each.fact.text for each in rank(view, query, 10)]


@pytest.mark.parametrize(
    ("written", "known"),
    [
        ("lantrn", "lantern"),
        ("lanterrn", "lantern"),
        ("lantorn", "lantern"),
        ("lantren", "lantern"),
        ("a", "ab"),
    ],
)
def test_one_slip_is_a_letter_more_or_less_or_another_or_two_exchanged(written: str, known: str) -> None:
    assert is_one_slip(written, known)
    assert is_one_slip(known, written)


@pytest.mark.parametrize(
    ("written", "known"),
    [("latnren", "lantern"), ("lntrn", "lantern"), ("lantern", "lantern"), ("abc", "cab")],
)
def test_two_slips_are_too_many(written: str, known: str) -> None:
    assert not is_one_slip(written, known)


def test_of_two_words_as_near_the_commoner_one_is_meant() -> None:
    assert nearest("lantarn", [("lantern", 2), ("lantirn", 3)]) == "lantirn"
    assert nearest("lantarn", [("lantern", 2), ("lantirn", 2)]) == "lantern"
    assert nearest("lantarn", []) is None


def test_a_slip_finds_what_was_meant(house: House) -> None:
    house.add("The lantern hangs in the hall")
    house.add("Tulips are in season")
    assert ranked(house, "where is the lantren") == ["The lantern hangs in the hall"]


def test_a_word_that_somebody_wrote_is_no_slip(house: House) -> None:
    house.add("The lantern hangs in the hall")
    house.add("A lantren is a bird")
    assert ranked(house, "lantren") == ["A lantren is a bird"]


def test_a_word_of_the_named_person_is_no_slip(house: House) -> None:
    house.owner.add_person("cust_419", "Maria")
    house.add("The lantern hangs in the hall")
    house.add("Maria is called Lantren", "person", subject="Maria")
    with house.owner.store.view(Viewer(1, "external", "cust_419")) as view:
        found = [each.fact.text for each in rank(view, "lantren", 10)]
    assert found == ["Maria is called Lantren"]


@pytest.mark.parametrize("query", ["kantern", "lentern", "hell", "compositions"])
def test_short_words_other_beginnings_and_endings_are_left_alone(house: House, query: str) -> None:
    house.add("The lantern is in the hall")
    house.add("Compose a letter")
    assert ranked(house, query) == []
