from collections.abc import Callable, Iterator

import pytest

from tests.answers.house import House
from tests.spot import Spot


@pytest.fixture
def house(new_spot: Callable[[], Spot]) -> Iterator[House]:
    with House(new_spot()) as house:
        yield house
