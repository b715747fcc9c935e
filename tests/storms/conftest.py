"""Houses for short storms: real servers on a real store."""

import sys
from collections.abc import Iterator
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
def hasty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    """One whose dead are found after five seconds."""
    # Its servers import the tests wherever they are started.
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    with house(str(tmp_path / "brain.db"), [sys.executable, "-m", "tests.storms.hasty"]) as made:
        yield made
