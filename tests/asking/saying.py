"""What a brain says to whoever asks, as bytes on the wire."""

import json
from collections.abc import Callable
from typing import Any, Final, Literal, NamedTuple

from tests.doors.faults import HEAD_END, Reply, Road

STREAM_HEAD: Final = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-cache\r\nConnection: close\r\n\r\n"
RUN: Final = "run_01k9p3zq8w4m1te6h2ndkbx9pf"
QUEUED: Final = "event_01k9p3zq8w4m1te6h2ndkbx9pf"
USAGE: Final = {"input_tokens": 412, "output_tokens": 57}
SOURCE: Final = {
    "fact_id": "fact_01k9p2v6q8fxtn4h7d2m5rwyzb",
    "fact_text": "Refunds are paid within 14 days.",
    "kind": "decision",
    "origin": "user_stated",
    "subject": "company",
    "confidence_level": 0.9,
    "recorded_time": "2026-07-14T09:12:44.318Z",
}


def event(name: str, data: Any) -> bytes:
    return f"event: {name}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n".encode()


def created(answer_id: str = RUN) -> bytes:
    return event("answer.created", {"answer_id": answer_id, "conversation_id": None})


def delta(text: str) -> bytes:
    return event("answer.delta", {"text": text})


def answer(text: str, answer_id: str = RUN, **more: Any) -> dict[str, Any]:
    """A finished answer as the API gives it."""
    return {
        "answer_id": answer_id,
        "status": "completed",
        "output_text": text,
        "conversation_id": None,
        "usage": USAGE,
        **more,
    }


def unfinished(answer_id: str = QUEUED, status: str = "in_progress") -> dict[str, Any]:
    return answer("", answer_id, status=status, usage=None)


def failed_answer(answer_id: str = QUEUED, message: str = "The run couldn't be completed.") -> dict[str, Any]:
    return answer(
        "", answer_id, status="failed", usage=None, error={"code": "run_failed", "message": message}
    )


def completed(text: str, answer_id: str = RUN, **more: Any) -> bytes:
    return event("answer.completed", answer(text, answer_id, **more))


def failed(message: str = "The run couldn't be completed.", code: str = "run_failed") -> bytes:
    return event("answer.failed", {"error": {"code": code, "message": message}})


DONE: Final = event("done", {"ok": True})


class Says(NamedTuple):
    """A stream: pieces said one after the other, and what is done between them. Then it ends as told."""

    pieces: tuple[bytes | Callable[[], object], ...]
    ending: Literal["close", "reset", "stall"] = "close"

    def meet(self, request: bytes, road: Road) -> None:
        road.say(STREAM_HEAD)
        for piece in self.pieces:
            if isinstance(piece, bytes):
                road.say(piece)
            else:
                piece()
        if self.ending == "stall":
            road.wait()
        elif self.ending == "reset":
            road.reset()


def says(*pieces: bytes | Callable[[], object], ending: Literal["close", "reset", "stall"] = "close") -> Says:
    return Says(pieces, ending)


class First(NamedTuple):
    """Does something once the request is here, and only then lets the answer come."""

    act: Callable[[bytes], object]
    reply: Reply

    def meet(self, request: bytes, road: Road) -> None:
        self.act(request)
        self.reply.meet(request, road)


def data(value: Any, status: int = 200) -> Reply:
    """A success of the API."""
    return Reply(status, json.dumps({"data": value}, ensure_ascii=False).encode())


def accepted(answer_id: str = QUEUED) -> Reply:
    """The reply to a queued question."""
    return data({"answer_id": answer_id, "status": "queued"}, 202)


def header(request: bytes, name: str) -> str | None:
    """A header of a request."""
    head = request.partition(HEAD_END)[0].decode("latin-1")
    for line in head.split("\r\n")[1:]:
        found, _, value = line.partition(":")
        if found.lower() == name.lower():
            return value.strip()
    return None


def body(request: bytes) -> Any:
    """The JSON that a request carries."""
    return json.loads(request.partition(HEAD_END)[2])
