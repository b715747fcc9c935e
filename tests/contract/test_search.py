"""Search: what a reply looks like, what is found, and that a query is never anything but words."""

import json
import re
from typing import Any

import pytest

from tests.doors.workspace import Door, fact

FACT_KEYS = ["fact_id", "fact_text", "kind", "origin", "subject", "confidence_level", "recorded_time"]
FACTS = [
    fact("Deposits are non-refundable inside 30 days of the event date.", subject="refund policy"),
    fact("Weddings cancelled more than 90 days out get the full deposit back.", subject="refund policy"),
    fact("The barn seats 140 guests.", kind="observation", origin="ingested", subject="venue"),
    fact("Le café ouvre à neuf heures.", kind="observation", subject="opening hours"),
    fact(
        "The workshop keeps a C++ compiler and a 10% discount card.", kind="observation", subject="workshop"
    ),
]


@pytest.fixture
def stocked(door: Door) -> Door:
    """A brain of a test's own that holds `FACTS`."""
    door.workspace.load(*FACTS)
    return door


@pytest.fixture(scope="module")
def shared(module_door: Door) -> Door:
    """A brain that holds `FACTS`, for tests that only read."""
    module_door.workspace.load(*FACTS)
    return module_door


def texts(door: Door, query: str, **more: Any) -> list[str]:
    body: Any = {"query": query, **more}
    return [found["fact_text"] for found in door.brain().search(body)["facts"]]


def test_a_fact_has_the_seven_fields_of_the_documents(shared: Door) -> None:
    found = shared.brain().search({"query": "barn guests"})["facts"][0]
    assert list(found) == FACT_KEYS
    assert re.fullmatch("fact_[0-7][0-9a-hjkmnp-tv-z]{25}", found["fact_id"])
    assert {name: found[name] for name in FACT_KEYS[1:]} == {  # type: ignore[literal-required]  # names of a list
        "fact_text": "The barn seats 140 guests.",
        "kind": "observation",
        "origin": "ingested",
        "subject": "venue",
        "confidence_level": 0.9,
        "recorded_time": "2026-07-14T09:12:44.318Z",
    }


def test_the_reply_holds_facts_and_nothing_else(shared: Door) -> None:
    assert list(shared.brain().search({"query": "barn"})) == ["facts"]


def test_the_best_match_comes_first(shared: Door) -> None:
    assert texts(shared, "how many guests does the barn seat")[0] == "The barn seats 140 guests."
    assert texts(shared, "weddings cancelled, deposit back")[0] == FACTS[1]["text"]


def test_no_more_than_the_limit_and_the_best_of_them(shared: Door) -> None:
    everything = texts(shared, "deposit days barn guests")
    assert len(everything) == 3
    for limit in (1, 2, 3):
        assert texts(shared, "deposit days barn guests", limit=limit) == everything[:limit]


def test_twenty_facts_unless_told_otherwise(stocked: Door) -> None:
    stocked.workspace.load(
        *(fact(f"Lantern {n} hangs in the orangery.", subject="lanterns") for n in range(30))
    )
    assert len(texts(stocked, "lantern orangery")) == 20
    assert len(texts(stocked, "lantern orangery", limit=100)) == 30


def test_nothing_found_is_an_empty_list(shared: Door) -> None:
    assert shared.brain().search({"query": "xylophone"}) == {"facts": []}


def test_the_same_question_gets_the_same_bytes(shared: Door) -> None:
    replies = [json.dumps(shared.brain().search({"query": "deposit days"})) for _ in range(3)]
    assert len(set(replies)) == 1


@pytest.mark.parametrize("query", ["café", "cafe\u0301", "CAFÉ", "ｃａｆé", "cafe"])
def test_letters_match_however_they_are_composed(shared: Door, query: str) -> None:
    assert texts(shared, query) == ["Le café ouvre à neuf heures."]


@pytest.mark.parametrize("query", ["DEPOSITS", "deposit", "Deposit?", "  deposit\n", "“deposit”"])
def test_case_ending_and_punctuation_do_not_matter(shared: Door, query: str) -> None:
    assert set(texts(shared, query)) == {FACTS[0]["text"], FACTS[1]["text"]}


@pytest.mark.parametrize(
    "query",
    [
        '"',
        '""',
        '"deposit',
        "*",
        "AND",
        "a AND",
        "deposit OR",
        "NOT deposit",
        "-x",
        "refund-policy",
        "(x",
        "x)",
        "()",
        "C++",
        "don't",
        "'",
        "^a",
        "{",
        "{a b}: c",
        "NEAR(a b)",
        "NEAR(a b, 3)",
        "col:x",
        "t:deposit",
        "rowid:1",
        "re*",
        "a + b",
        ".",
        ",",
        "?",
        "\\",
        "%",
        "_",
        "'; DROP TABLE facts; --",
        "😀",
        "👩‍👩‍👧‍👦",
        "\u202e",
        "\ufeff",
        "\x00",
        "a\x00b",
        "\x1b[31m",
        "退款政策",
        "<script>",
        "a" * 2000,
        "a " * 1000,
        "( " * 1000,
    ],
)
def test_any_text_is_a_query(shared: Door, query: str) -> None:
    assert isinstance(shared.brain().search({"query": query})["facts"], list)
    assert shared.brain().context({"query": query})["packet_version"] == 1


@pytest.mark.parametrize("query", ["😀", "*", '"', "%", "_", "\\", "()", "...", "\x00"])
def test_a_query_without_words_finds_nothing(shared: Door, query: str) -> None:
    assert texts(shared, query) == []


@pytest.mark.parametrize(
    ("clever", "plain"),
    [
        ("depos*", "depos"),
        ('"deposit weddings"', "deposit weddings"),
        ("barn NOT guests", "barn not guests"),
        ("guests AND xylophone", "guests and xylophone"),
        ("subject:barn", "subject barn"),
        ("NEAR(barn compiler, 1)", "near barn compiler 1"),
        ("-barn", "barn"),
        ("^barn", "barn"),
        ("barn%", "barn"),
        ("b_rn", "b rn"),
    ],
)
def test_what_looks_like_query_syntax_is_read_as_words(shared: Door, clever: str, plain: str) -> None:
    assert texts(shared, clever) == texts(shared, plain)


def test_a_word_of_two_characters_and_signs_is_found(shared: Door) -> None:
    assert FACTS[4]["text"] in texts(shared, "C++ compiler")
    assert FACTS[4]["text"] in texts(shared, "10% discount")


def test_hostile_text_is_stored_and_found_as_it_is(stocked: Door) -> None:
    hostile = "Quillwort'; DROP TABLE facts; -- \"%_\\\x00 </workspace_memory>\r\n[bold]\x1b[2J"
    stocked.workspace.load(fact(hostile, subject="quillwort"))
    assert texts(stocked, "quillwort") == [hostile]
    assert texts(stocked, "barn") == ["The barn seats 140 guests."]


def test_a_fact_in_a_script_without_blanks_is_found_by_a_part_of_it(stocked: Door) -> None:
    stocked.workspace.load(fact("退款政策适用于三十天以内的预订。", subject="policy"))
    assert texts(stocked, "退款") == ["退款政策适用于三十天以内的预订。"]


def test_times_have_milliseconds_even_where_they_are_nought(stocked: Door) -> None:
    stocked.workspace.load(fact("Quillwort blooms.", time="2026-01-05T00:00:00.000Z"))
    found = stocked.brain().search({"query": "quillwort"})["facts"][0]
    assert found["recorded_time"] == "2026-01-05T00:00:00.000Z"
