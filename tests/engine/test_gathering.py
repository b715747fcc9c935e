"""What of the matching facts a packet holds."""

import pytest

from brainctl.engine.disclosure import Viewer
from brainctl.engine.gathering import gather
from tests.engine.house import House

pytestmark = pytest.mark.both_stores

VIEWER = Viewer(1, "internal", None)


def retrieved(house: House, query: str) -> list[str]:
    with house.owner.store.view(VIEWER) as view:
        facts = gather(view, query, 20_000).facts
    return [fact["fact_text"] for fact in facts if fact["layer"] == "retrieved"]


def test_what_shares_a_stray_word_is_left_out(house: House) -> None:
    house.add("Deposits are refunded within a week")
    house.add("The hall is painted every other week")
    house.put(*(house.fact(f"tulip {number}") for number in range(20)))
    assert retrieved(house, "are deposits refunded in a week") == ["Deposits are refunded within a week"]


def test_what_shares_several_words_stays_beside_a_far_better_match(house: House) -> None:
    best = "Deposits for weddings are refunded in the week before the event date"
    house.add(best)
    house.add("Deposits for weddings take a week")
    house.put(*(house.fact(f"week {number}") for number in range(5)))
    query = "are deposits for weddings refunded in the week before the event date"
    assert retrieved(house, query) == [best, "Deposits for weddings take a week"]


def test_the_best_match_is_there_however_weak_it_is(house: House) -> None:
    house.add("Lanterns hang in the hall")
    assert retrieved(house, "zebra giraffe okapi kudu impala lantern") == ["Lanterns hang in the hall"]


def test_a_pinned_fact_is_no_measure_for_the_others(house: House) -> None:
    house.add("Deposits are refunded within a week", subject="deposits", pinned=True)
    house.add("Ask for the deposit early")
    assert retrieved(house, "deposits refunded within a week") == ["Ask for the deposit early"]


def test_a_name_in_brackets_names_the_subject_too(house: House) -> None:
    house.add("Runs on two machines", subject="Kubernetes (k8s, kube)")
    house.add("The kube is a shape and a machine is none, said k8s once")
    assert retrieved(house, "k8s")[0] == "Runs on two machines"
