from typing import Any

import pytest

from brainctl.contract.bounds import LIMIT_MAX
from brainctl.engine.candidates import ROWS_READ
from brainctl.engine.disclosure import Viewer
from brainctl.engine.recall import rank
from tests.engine.house import House

pytestmark = pytest.mark.both_stores

VIEWER = Viewer(1, "internal", None)


def ranked(house: House, query: str, limit: int | None = 10, viewer: Viewer = VIEWER) -> list[str]:
    with house.owner.store.view(viewer) as view:
        return [each.fact.text for each in rank(view, query, limit)]


def test_a_rare_word_counts_for_more_than_a_common_one(house: House) -> None:
    house.put(*(house.fact(f"the hall has lantern {number}") for number in range(20)))
    house.add("the hall has tulips")
    assert ranked(house, "hall tulips")[0] == "the hall has tulips"


def test_a_word_is_found_in_its_other_forms(house: House) -> None:
    house.add("Deposits are refunded within a week")
    assert ranked(house, "refund of a deposit") == ["Deposits are refunded within a week"]


def test_the_subject_that_a_query_names_goes_first(house: House) -> None:
    house.add("A refund for a wedding is rare", subject="hall")
    house.add("Nothing within 30 days", subject="refund policy")
    assert ranked(house, "what is the refund policy?")[0] == "Nothing within 30 days"


def test_a_date_that_a_query_names_goes_first(house: House) -> None:
    house.add("Delivery of lanterns on September 14")
    house.add("Delivery of lanterns on October 2")
    house.add("Delivery of lanterns on 2026-11-05")
    assert ranked(house, "delivery on October 2")[0] == "Delivery of lanterns on October 2"
    assert ranked(house, "delivery on September 14, 2026")[0] == "Delivery of lanterns on September 14"
    assert ranked(house, "delivery on 5 November 2026")[0] == "Delivery of lanterns on 2026-11-05"


def test_a_date_that_does_not_exist_is_no_fault(house: House) -> None:
    house.add("Lanterns on February 30, 2026 or 2026-99-99")
    assert len(ranked(house, "lanterns on 2026-02-30")) == 1
    assert len(ranked(house, "lanterns on February 31, 2026 or 0000-00-00")) == 1


def test_may_is_a_month_only_where_it_is_meant(house: House) -> None:
    house.add("We may move lanterns", recorded_time=1_770_000_000_000)
    house.add("Lanterns come in May we hope", recorded_time=1_760_000_000_000)
    assert ranked(house, "lanterns in May")[0] == "Lanterns come in May we hope"


def test_a_question_for_a_time_prefers_a_text_that_has_one(house: House) -> None:
    house.add("The hall opens for guests", recorded_time=1_780_000_000_000)
    house.add("The hall opens next week", recorded_time=1_700_000_000_000)
    assert ranked(house, "when does the hall open")[0] == "The hall opens next week"


def test_among_equals_the_newer_goes_first_and_then_the_lower_id(house: House) -> None:
    house.add("tulips", fact_id="fact_c", recorded_time=1)
    house.add("tulips", fact_id="fact_b", recorded_time=2)
    house.add("tulips", fact_id="fact_a", recorded_time=1)
    with house.owner.store.view(VIEWER) as view:
        assert [each.fact.fact_id for each in rank(view, "tulips", 10)] == ["fact_b", "fact_a", "fact_c"]


def test_a_limit_cuts_the_end(house: House) -> None:
    house.put(*(house.fact(f"tulips {'tulips ' * (number % 3)}") for number in range(30)))
    assert ranked(house, "tulips", 7) == ranked(house, "tulips", None)[:7]


def test_facts_about_the_named_person_come_along_after_what_matches(house: House) -> None:
    house.owner.add_person("cust_419", "Maria")
    house.add("Maria likes roses", "person", subject="Maria")
    house.add("Tulips are in season")
    found = ranked(house, "tulips", 10, Viewer(1, "internal", "cust_419"))
    assert found == ["Tulips are in season", "Maria likes roses"]


def test_a_word_that_everything_has_is_answered_with_the_newest(house: House) -> None:
    count = ROWS_READ + 100
    house.put(*(house.fact(f"hall lantern {number}", "person") for number in range(count)))
    found = ranked(house, "hall", None)
    assert len(found) >= LIMIT_MAX
    assert found[0] == f"hall lantern {count - 1}"
    assert ranked(house, "hall lantern 17", 1) == ["hall lantern 17"]
    assert len(ranked(house, "hall and lantern", None)) >= LIMIT_MAX


def test_common_words_find_what_has_them_together(house: House) -> None:
    count = ROWS_READ + 100
    house.add("tulips in the hall")
    house.put(*(house.fact(f"hall {number}", "person") for number in range(count)))
    house.put(*(house.fact(f"tulips {number}", "person") for number in range(count)))
    assert ranked(house, "tulips hall", 1) == ["tulips in the hall"]


def test_a_fact_that_follows_a_match_goes_before_one_that_stands_alone(house: House) -> None:
    told: dict[str, Any] = {"origin": "ingested", "recorded_time": 1_770_000_000_000}
    house.add("Which lanterns shall hang in the hall?", **told)
    house.add("Those of paper, and we paint the hall first", **told)
    house.add("We paint the hall first", origin="ingested", recorded_time=1_780_000_000_000)
    assert ranked(house, "lanterns in the hall", 2)[1] == "Those of paper, and we paint the hall first"


def test_a_fact_that_follows_a_match_and_has_nothing_to_do_with_the_query_stays_out(house: House) -> None:
    told: dict[str, Any] = {"origin": "ingested", "recorded_time": 1_770_000_000_000}
    house.add("Lanterns hang in the hall", **told)
    house.add("Tulips come on Monday", **told)
    assert ranked(house, "lanterns") == ["Lanterns hang in the hall"]


def test_only_what_was_taken_in_from_a_source_has_neighbours(house: House) -> None:
    said: dict[str, Any] = {"origin": "user_stated", "recorded_time": 1_770_000_000_000}
    house.add("Lanterns hang in the hall", **said)
    house.add("The hall is closed and dark", **said)
    house.add("The hall is closed and dark now", recorded_time=1_780_000_000_000)
    found = ranked(house, "lanterns hang hall")
    assert found[1:] == ["The hall is closed and dark now", "The hall is closed and dark"]


def test_the_facts_of_a_subject_on_a_day_are_found_without_another_word(house: House) -> None:
    tenth, day = 1_781_085_600_000, 86_400_000
    house.put(
        *(
            house.fact(
                "It was fired",
                subject="pottery",
                fact_id=f"fact_{place}",
                recorded_time=tenth + place * 9 * day,
            )
            for place in range(-60, 60)
        )
    )
    house.put(*(house.fact(f"pottery glaze {number}", subject="shelf") for number in range(200)))
    with house.owner.store.view(VIEWER) as view:
        assert rank(view, "pottery on 10 June 2026?", 1)[0].fact.fact_id == "fact_0"


def test_another_form_of_an_irregular_word_is_found(house: House) -> None:
    house.add("We bought a kiln and the children wrote to us")
    house.add("We sell kilns")
    assert ranked(house, "buying kilns", 1) == ["We bought a kiln and the children wrote to us"]
    assert ranked(house, "which child writes", 1) == ["We bought a kiln and the children wrote to us"]
