"""Capture with a real server, llama.cpp's, and real weights: small ones, which prove the wire and the strict form."""

from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Final

import pytest

from brainctl.engine.capture.model import ModelReader
from brainctl.engine.capturing import pipeline_of, suggestions_for
from brainctl.engine.store.owned import Choice
from tests.answers.real_model import NEEDS_MODEL, served
from tests.engine.house import House
from tests.spot import Spot

pytestmark = NEEDS_MODEL


@pytest.fixture(scope="module")
def base_url() -> Iterator[str]:
    with served(120) as base_url:
        yield base_url


TEXTS: Final = ("The arch is 3 metres high.", "The arch is 4 metres high.", "Tea is at four in the garden.")
patient: Final = partial(ModelReader, silence_seconds=120.0, seconds=240.0)


@pytest.fixture
def house(tmp_path: Path, base_url: str) -> Iterator[House]:
    with ExitStack() as stack:
        house = House(Spot(str(tmp_path / "brain.db"), "local"), stack)
        house.owner.set_worker("main", model="smollm2", base_url=base_url)
        house.owner.capture_with("main")
        yield house


def test_a_real_model_keeps_to_the_form(house: House) -> None:
    house.internal()
    (key,) = house.owner.keys()
    store = house.owner.store
    told: list[str] = []
    found = suggestions_for(store, key, pipeline_of(store, 1), TEXTS, told.append, patient)
    # With nothing known there is one decision, and the form leaves no way out of it.
    assert [each.action for each in found.values()] == ["create"] * len(found)
    assert len(found) + len(told) == len(TEXTS)
    assert found, told


def test_whatever_a_real_model_says_nothing_is_lost(house: House) -> None:
    brain = house.internal()
    for text in TEXTS:
        brain.teach({"facts": [{"text": text}]})
    assert brain.teach({"facts": [{"text": TEXTS[-1]}]})["skipped"] == 1
    kept = [fact.text for past in (False, True) for fact in house.owner.facts(Choice(past=past), 10)]
    assert set(kept) == set(TEXTS)
