"""Houses for short storms: real servers on a real store."""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from benchmarks.houses import Account, House, house


@pytest.fixture
def account() -> Account:
    return Account()


@pytest.fixture
def plain(tmp_path: Path) -> Iterator[House]:
    with house(str(tmp_path / "brain.db")) as made:
        yield made


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> Sequence[str]:
    """A command whose servers find their dead after eight seconds."""
    # It is imported from the tests wherever it is started.
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    return [sys.executable, "-m", "tests.storms.hasty"]


@pytest.fixture
def hasty_house(tmp_path: Path, hasty: Sequence[str]) -> Iterator[House]:
    with house(str(tmp_path / "brain.db"), hasty) as made:
        yield made
