"""Whatever can be typed is a query: it finds words or nothing, and never fails."""

import pytest
from hypothesis import given, settings
from hypothesis.strategies import characters, lists, sampled_from, text

from brainctl.contract.brain import Brain
from tests.doors.workspace import Door, fact

BARN = "The barn seats 140 guests."
NOISE = text(characters(exclude_categories=["Cs"]), max_size=20)
SYNTAX = sampled_from(
    [
        '"',
        "*",
        "(",
        ")",
        ":",
        "^",
        "-",
        "+",
        "{",
        "}",
        ",",
        "AND",
        "OR",
        "NOT",
        "NEAR",
        "NEAR(",
        "barn",
        "rank",
    ]
)


@pytest.fixture(scope="module")
def brain(module_door: Door) -> Brain:
    module_door.workspace.load(
        fact(BARN, subject="venue"), fact("Deposits are due in May.", subject="deposits")
    )
    return module_door.brain()


@given(noise=lists(NOISE | SYNTAX, max_size=8).map(" ".join))
@settings(max_examples=150, deadline=None)
def test_a_word_is_found_among_any_noise(brain: Brain, noise: str) -> None:
    for query in (f"guests {noise}", f"{noise} guests"):
        assert BARN in [found["fact_text"] for found in brain.search({"query": query})["facts"]]
        assert BARN in [known["fact_text"] for known in brain.context({"query": query})["facts"]]
