"""Pairs of facts of a workspace, half of them set aside before the rules were written, and what becomes of them."""

import json
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Final

import pytest

from brainctl.contract.bounds import KINDS
from brainctl.engine.capture.claims import KnownFact, Names
from brainctl.engine.capture.pipeline import Pipeline

PAIRS: Final = Path(__file__).parents[1] / "data" / "pairs.jsonl"
WANTED: Final = {
    "duplicate": "skip",
    "update": "supersede",
    "contradiction": "supersede",
    "different": "create",
}
NOBODY: Final = Names((), ())


@cache
def pairs(half: str) -> list[dict[str, str]]:
    return [pair for pair in map(json.loads, PAIRS.read_text("utf-8").splitlines()) if pair["half"] == half]


def action(known: str, told: str) -> str:
    pipeline = Pipeline()
    claim = pipeline.read(known, NOBODY)
    fact = KnownFact("fact_1", known, claim.normal, claim.kind, claim.subject, 1)
    return pipeline.compare(pipeline.read(told, NOBODY), [fact]).action


@cache
def table(half: str) -> Counter[tuple[str, str]]:
    return Counter((pair["class"], action(pair["known"], pair["told"])) for pair in pairs(half))


def precision(half: str, wanted: str) -> float:
    given = sum(count for (_, got), count in table(half).items() if got == wanted)
    right = sum(count for (kind, got), count in table(half).items() if got == wanted == WANTED[kind])
    return right / given


def recall(half: str, kind: str) -> float:
    return table(half)[kind, WANTED[kind]] / sum(
        count for (other, _), count in table(half).items() if other == kind
    )


def test_the_pairs_are_many_each_is_there_once_and_no_text_is_in_both_halves() -> None:
    seen, held = pairs("seen"), pairs("held")
    told = [(pair["known"], pair["told"]) for pair in (*seen, *held)]
    assert len(set(told)) == len(told) >= 300
    assert {pair["class"] for pair in seen} == {pair["class"] for pair in held} == set(WANTED)
    assert abs(len(seen) - len(held)) < 10
    assert not {pair["known"] for pair in seen} & {pair["known"] for pair in held}


@pytest.mark.parametrize("half", ["seen", "held"])
@pytest.mark.parametrize("wanted", ["skip", "supersede"])
def test_hardly_anything_is_skipped_or_superseded_that_should_not_be(half: str, wanted: str) -> None:
    assert precision(half, wanted) >= 0.97


@pytest.mark.parametrize(
    ("half", "kind", "least"),
    [
        ("seen", "duplicate", 0.80),
        ("seen", "update", 0.66),
        ("seen", "contradiction", 0.86),
        ("seen", "different", 0.98),
        ("held", "duplicate", 0.69),
        ("held", "update", 0.60),
        ("held", "contradiction", 0.79),
        ("held", "different", 0.97),
    ],
)
def test_most_of_each_class_becomes_what_it_should(half: str, kind: str, least: float) -> None:
    assert recall(half, kind) >= least


@pytest.mark.parametrize("half", ["seen", "held"])
def test_only_a_fact_of_the_same_kind_is_superseded(half: str) -> None:
    pipeline = Pipeline()
    superseded = 0
    for pair in pairs(half):
        known, told = (pipeline.read(pair[name], NOBODY) for name in ("known", "told"))
        for kind in KINDS:
            fact = KnownFact("fact_1", known.text, known.normal, kind, known.subject, 1)
            if pipeline.compare(told, [fact]).action == "supersede":
                superseded += 1
                assert kind == told.kind
    assert superseded > 50


@pytest.mark.parametrize("half", ["seen", "held"])
def test_texts_that_have_nothing_to_do_with_each_other_are_kept_apart(half: str) -> None:
    pipeline = Pipeline()
    own = {frozenset((pair["known"], pair["told"])) for pair in pairs(half)}
    claims = [pipeline.read(text, NOBODY) for text in sorted({text for pair in own for text in pair})]
    wrong = []
    # Every seventh text with all the others: enough of them, and quick.
    for known in claims[::7]:
        fact = KnownFact("fact_1", known.text, known.normal, known.kind, known.subject, 1)
        wrong += [
            (known.text, told.text)
            for told in claims
            if told is not known
            and frozenset((known.text, told.text)) not in own
            and pipeline.compare(told, [fact]).action != "create"
        ]
    assert len(wrong) <= 3
