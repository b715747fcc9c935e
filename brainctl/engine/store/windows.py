"""Where a store keeps the times of each key's accepted requests."""

from array import array
from collections.abc import Callable
from typing import Protocol

Rule = Callable[["array[int]", int], "array[int]"]
"""From the times that a key has, in their order, and the time now, to those that it has from now on."""


class Windows(Protocol):
    """Times by key, in milliseconds since 1970. May be used from any thread.

    They outlive every process, but need not outlive a power cut: nothing of it waits for a disk.
    """

    def change(self, workspace: int, key_id: str, rule: Rule) -> None:
        """Change the times of a key as if nobody else could meanwhile, anywhere. Raises `store_error`.

        Where somebody did, the rule is asked again: what it said last holds.
        """

    def close(self) -> None: ...
