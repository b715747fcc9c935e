"""What holds where nothing but brainctl itself is installed, or the model's file is not the right one."""

from pathlib import Path

import pytest

from brainctl.contract.errors import BrainError
from brainctl.engine.semantic import indexing
from brainctl.engine.semantic.closeness import without
from brainctl.engine.semantic.model import DIGEST, VARIABLE, load_model
from brainctl.engine.store.vectors import write_model
from tests.engine.house import House

pytestmark = pytest.mark.both_stores


@pytest.mark.parametrize("content", [None, b"not a model"])
def test_a_file_that_is_not_the_model_is_refused_and_told_of(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "model.onnx"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(BrainError, match=VARIABLE) as refused:
        load_model({VARIABLE: str(path)})
    assert refused.value.code == "store_error"


def test_without_the_model_nothing_is_turned_on(
    house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "none"))
    house.add("Tulips are in season")
    with pytest.raises(BrainError):
        house.find_by_meaning()
    standing = house.owner.meanings()
    assert (standing.wanted, standing.ready, standing.pending) == (False, 0, 0)
    assert VARIABLE in (standing.fault or "")


def test_a_brain_that_wants_meanings_is_searched_by_words_where_the_model_is_missing(
    house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "none"))
    house.add("Tulips are in season")
    with house.owner.store.transaction() as connection:
        write_model(connection, house.workspace, DIGEST)
    brain = house.internal(plain=True)
    brain.teach({"facts": [{"text": "decision/general/hall: The hall is painted"}]})
    assert [each["fact_text"] for each in brain.search({"query": "tulips"})["facts"]] == [
        "Tulips are in season"
    ]
    assert house.owner.meanings().pending == 2
    assert not indexing.catch_up(house.owner.store, 1)


def test_where_they_are_not_wanted_there_is_nothing_to_do(house: House) -> None:
    house.add("Tulips are in season")
    assert indexing.catch_up(house.owner.store, 1)
    assert house.owner.meanings().ready == 0


@pytest.mark.parametrize(
    ("query", "names", "left"),
    [
        ("What did Caroline's sister paint?", ["caroline"], "What did sister paint?"),
        ("what did MARIA keller order", ["maria keller"], "what did order"),
        ("Caroline", ["caroline"], "Caroline"),
        ("carolines car", ["caroline"], "carolines car"),
        ("Maria-Keller's order (maria keller)", ["maria keller"], "order ( )"),
    ],
)
def test_names_are_taken_out_of_a_query(query: str, names: list[str], left: str) -> None:
    assert without(query, names) == left
