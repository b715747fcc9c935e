"""Where a brain of a test is."""

from typing import NamedTuple


class Spot(NamedTuple):
    """Where a new brain may be made, and under which name."""

    address: str
    name: str
