"""Times as the API writes them, and as the store holds them: milliseconds since 1970, UTC."""

import re
from datetime import UTC, datetime, timedelta
from typing import Final

from brainctl.contract.errors import BrainError

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_WRITTEN: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", re.ASCII)


def to_text(milliseconds: int) -> str:
    """`2026-07-14T09:12:44.318Z`, with three decimals always."""
    moment = _EPOCH + timedelta(milliseconds=milliseconds)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def from_text(text: str) -> int:
    """Milliseconds since 1970 of such a text. Raises `validation_error` where it is not written so."""
    try:
        if not _WRITTEN.fullmatch(text):
            raise ValueError(text)
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise BrainError(
            "validation_error", "recorded_time: must be a UTC time such as 2026-07-14T09:12:44.318Z"
        ) from None
    return (moment - _EPOCH) // timedelta(milliseconds=1)


def now_ms(clock_seconds: float) -> int:
    """A clock's seconds as the store's milliseconds."""
    return int(clock_seconds * 1000)
