"""What a brain answers with. Replies are plain mappings: fields of tomorrow pass through untouched."""

from typing import Any, Final, NotRequired, TypedDict

UNFINISHED: Final = ("queued", "in_progress")
FINISHED: Final = ("completed", "failed")
"""What the status of an answer may be."""


class Fact(TypedDict):
    fact_id: str
    fact_text: str
    kind: str
    origin: str
    subject: str | None
    confidence_level: float
    recorded_time: str


class PacketFact(Fact):
    layer: str


class SearchReply(TypedDict):
    facts: list[Fact]


class ContextReply(TypedDict):
    packet_version: int
    rendered: str
    facts: list[PacketFact]


class TeachReply(TypedDict):
    accepted_fact_count: int
    created: int
    superseded: int
    skipped: int


COUNTERS: Final = tuple(TeachReply.__annotations__)


class QueuedReply(TypedDict):
    answer_id: str
    status: str


class Usage(TypedDict):
    input_tokens: int
    output_tokens: int


class Source(TypedDict):
    fact_id: str
    fact_text: str
    kind: str
    subject: str | None


class RunError(TypedDict):
    code: str
    message: str


class AnswerReply(TypedDict):
    answer_id: str
    status: str
    output_text: str
    conversation_id: str | None
    usage: Usage | None
    sources: NotRequired[list[Source]]
    error: NotRequired[RunError]


class RateLimit(TypedDict):
    requests_per_window: int
    window_seconds: int


class WhoamiReply(TypedDict):
    key_name: str
    key_prefix: str
    scopes: list[str]
    key_audience: str
    rate_limit: RateLimit


def timed_out(answer_id: str) -> dict[str, Any]:
    """What stands for an answer where the time to wait is over; the answer goes on."""
    return {"wait_timed_out": True, "answer_id": answer_id}
