"""What was done to an agent's settings, in words."""

from collections.abc import Mapping
from typing import Any


def change_pairs(change: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Name and value of a change that was made, or was not needed."""
    names = ("client", "server", "transport", "file", "change", "backup")
    return [(name, str(change[name])) for name in names if change.get(name) is not None]
