from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.answers.house import House


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "model: needs a real model server, which not every machine can install"
    )


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with House(tmp_path / "brain.db") as house:
        yield house
