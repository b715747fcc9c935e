"""What a rate window lets in."""

from brainctl.contract.errors import BrainError
from brainctl.engine.rate_window import RateWindow


def let_in(window: RateWindow, requests: int, key: str = "a") -> int:
    """How many of so many requests are, whatever becomes of the others."""
    count = 0
    for _ in range(requests):
        try:
            window.count(1, key)
        except BrainError as error:
            if error.code != "rate_limited":
                raise
        else:
            count += 1
    return count
