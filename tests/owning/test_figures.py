"""What a brain comes to in numbers, and how numbers are drawn."""

from datetime import date
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brainctl.cli.views import drawing
from brainctl.engine.figures import POINTS_MOST, growth
from tests.engine.house import House

pytestmark = pytest.mark.both_stores

EPOCH = date(1970, 1, 1).toordinal()


def test_facts_are_counted_by_kind_origin_and_who_sees_them(house: House) -> None:
    house.owner.add_person("cust_1", "Maria")
    old = house.add("a", kind="decision", pinned=True)
    new = house.add("b", kind="decision")
    house.add("c", kind="project", origin="system")
    house.add("d", subject="Maria")
    with house.owner.store.writing(house.workspace) as writing:
        writing.supersede(old, by=new)
    figures = house.owner.figures()
    assert figures["facts"] == {
        "current": 3,
        "superseded": 1,
        "pinned": 0,
        "open_to_any_key": 1,
        "internal_keys_only": 1,
        "about_a_known_person": 1,
    }
    assert figures["kinds"] == [
        {"kind": "decision", "facts": 1},
        {"kind": "observation", "facts": 1},
        {"kind": "project", "facts": 1},
    ]
    assert figures["origins"] == [{"origin": "user_stated", "facts": 2}, {"origin": "system", "facts": 1}]
    assert sum(row["facts"] for row in figures["kinds_by_origin"]) == 3
    assert figures["growth"]["points"][-1]["total"] == 4


def test_keys_are_named_by_what_they_did_the_busiest_first(house: House) -> None:
    house.add("of the owner's own")
    quiet, busy = house.internal(), house.internal()
    quiet.teach({"facts": [{"text": "We close at eight."}]})
    for number in range(2):
        answer_id = busy.enqueue({"input": f"Question {number}?"})["answer_id"]
        house.now += 1.5
        busy.work_until(answer_id, 20)
    figures = house.owner.figures()
    assert [(key["key_name"], key["facts_taught"], key["answers_asked"]) for key in figures["keys"]] == [
        ("key 2", 0, 2),
        (None, 1, 0),
        ("key 1", 1, 0),
    ]
    assert figures["answers"] == {
        "queued": 0,
        "in_progress": 0,
        "completed": 2,
        "failed": 0,
        "median_seconds": 1.5,
        "p90_seconds": 1.5,
    }


def test_the_times_of_answers_are_times_that_answers_took(house: House) -> None:
    house.key("internal")
    with house.owner.store.transaction() as connection:
        connection.executemany(
            "INSERT INTO answers (answer_id, workspace, mode, key_id, audience, input, agent_slug, status, created, "
            "finished) SELECT ?, 1, 'queued', key_id, 'internal', 'x', 'main', ?, 1000, 1000 + ? FROM keys",
            [(f"event_{ms}", "completed", ms) for ms in range(100, 1100, 100)] + [("event_x", "failed", 9)],
        )
    answers = house.owner.figures()["answers"]
    assert (answers["median_seconds"], answers["p90_seconds"]) == (0.5, 0.9)
    assert (answers["completed"], answers["failed"]) == (10, 1)


def test_an_empty_brain_has_figures_too(house: House) -> None:
    figures = house.owner.figures()
    assert figures["growth"] == {"period": "day", "points": []}
    assert figures["answers"]["median_seconds"] is None
    assert figures["kinds"] == figures["keys"] == []


def day(text: str) -> int:
    return date.fromisoformat(text).toordinal() - EPOCH


@pytest.mark.parametrize(
    ("last", "period", "points"),
    [
        ("2026-01-31", "day", 1),
        ("2026-02-02", "day", 3),
        ("2026-05-01", "week", 14),
        ("2028-01-31", "month", 25),
        ("2036-01-31", "year", 11),
    ],
)
def test_growth_is_told_in_the_shortest_period_that_is_short_enough(
    last: str, period: str, points: int
) -> None:
    days = sorted({day("2026-01-31"): 2, day(last): 3}.items())
    told = growth(days)
    assert (told["period"], len(told["points"])) == (period, points)
    assert told["points"][-1]["total"] == sum(count for _, count in days)


@settings(max_examples=40, deadline=None)
@given(
    st.dictionaries(
        st.integers(1 - EPOCH, date.max.toordinal() - EPOCH), st.integers(1, 9), min_size=1, max_size=9
    )
)
def test_growth_loses_no_fact_of_any_time(counts: dict[int, int]) -> None:
    told: dict[str, Any] = growth(sorted(counts.items()))
    points = told["points"]
    assert sum(point["recorded"] for point in points) == points[-1]["total"] == sum(counts.values())
    assert told["period"] == "year" or len(points) <= POINTS_MOST
    assert [point["from"] for point in points] == sorted({point["from"] for point in points})


def test_facts_of_before_1970_are_of_their_own_day(house: House) -> None:
    house.add("old", recorded_time=-1)
    assert house.owner.figures()["growth"]["points"] == [{"from": "1969-12-31", "recorded": 1, "total": 1}]


@given(st.integers(0, 10**9), st.integers(1, 10**9), st.integers(1, 60), st.booleans())
def test_a_bar_is_never_too_long_and_never_hides_what_is_there(
    value: int, most: int, width: int, blocks: bool
) -> None:
    line = drawing.bar(min(value, most), most, width, blocks=blocks)
    assert len(line) <= width
    assert bool(line) == (value > 0)
    assert blocks or line.isascii()
    assert value < most or line == ("█" if blocks else "#") * width


@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=90), st.integers(1, 80), st.booleans())
def test_a_plot_fits_and_ends_with_the_last_value(values: list[int], width: int, blocks: bool) -> None:
    columns = drawing.spread(values, width)
    assert 0 < len(columns) <= width
    assert columns[-1] == values[-1]
    lines = drawing.plot(columns, 5, blocks=blocks)
    assert [len(line) for line in lines] == [len(columns)] * 5


def test_a_plot_rises_to_its_highest_value() -> None:
    assert drawing.plot([0, 1, 4, 8], 2, blocks=True) == ["   █", " ▂██"]
    assert drawing.plot([0, 1, 4, 8], 2, blocks=False) == ["   #", " .##"]
