from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from tests.engine.house import House
from tests.spot import Spot


@pytest.fixture
def house(new_spot: Callable[[], Spot]) -> Iterator[House]:
    with ExitStack() as stack:
        yield House(new_spot(), stack)
