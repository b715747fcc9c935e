from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.answers.house import House


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with House(tmp_path / "brain.db") as house:
        yield house
