import itertools
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.engine.house import House


@pytest.fixture
def new_house(tmp_path: Path) -> Iterator[Callable[[], House]]:
    """Makes brains, as many as a test needs."""
    numbers = itertools.count()
    with ExitStack() as stack:
        yield lambda: House(tmp_path / f"brain {next(numbers)}" / "brain.db", stack)


@pytest.fixture
def house(new_house: Callable[[], House]) -> House:
    return new_house()
