"""The five events of a streamed answer."""

from typing import Any, Final, NamedTuple

CREATED: Final = "answer.created"
DELTA: Final = "answer.delta"
COMPLETED: Final = "answer.completed"
FAILED: Final = "answer.failed"
DONE: Final = "done"
EVENT_NAMES: Final = (CREATED, DELTA, COMPLETED, FAILED, DONE)


class Event(NamedTuple):
    """One server-sent event: `event` is its name, `data` the object it carries."""

    event: str
    data: dict[str, Any]
