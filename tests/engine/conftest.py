from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from tests.engine.house import House
from tests.spot import Spot


@pytest.fixture
def new_house(new_spot: Callable[[], Spot]) -> Iterator[Callable[[], House]]:
    """Makes brains, as many as a test needs."""
    with ExitStack() as stack:
        yield lambda: House(new_spot(), stack)


@pytest.fixture
def house(new_house: Callable[[], House]) -> House:
    return new_house()
