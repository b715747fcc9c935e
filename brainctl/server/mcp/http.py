"""MCP over HTTP: one POST, one reply. Whoever mounts it has let the caller in, and refused what is no POST."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractContextManager, nullcontext, suppress
from functools import partial
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from brainctl.contract.bounds import BODY_BYTES_MAX
from brainctl.contract.gate import Admission
from brainctl.server.mcp import messages
from brainctl.server.mcp.face import Face, Pending, ignore, only_reads
from brainctl.server.mcp.messages import Refused
from brainctl.server.threads import Threads

JSON: Final = "application/json"
EVENT_STREAM: Final = "text/event-stream"
STREAM_HEADERS: Final = {"Cache-Control": "no-cache, no-transform", "X-Accel-Buffering": "no"}

COMMENT_SECONDS: Final = 4.0
"""Some clients give a connection up after five silent seconds."""
LOOK_FIRST: Final = 0.1
LOOK_LONGEST: Final = 1.0
LOOK_GROWTH: Final = 0.1

Heard = Callable[[Callable[[str | None], None]], AbstractContextManager[object]]
"""Tells, inside, from any thread, of each answer that was queued or has ended, by its id; None stands for any."""

_UNREADABLE: Final = (messages.PARSE_ERROR, messages.INVALID_REQUEST)
"""Errors of the message itself. Whatever else goes wrong with a request is its reply, which HTTP has carried well."""


async def mcp_endpoint(
    request: Request,
    admission: Admission,
    threads: Threads,
    report: Callable[[Exception], None] = ignore,
    *,
    comment_seconds: float = COMMENT_SECONDS,
    heard: Heard = nullcontext,
) -> Response:
    """The reply to one POST. `report` is told of faults of our own, `comment_seconds` is a stream's longest silence.

    What `heard` tells of is looked at at once, everything else by and by.

    Raises `rate_limited` for a batch that goes over the key's window, before any of it is run.
    """
    version = request.headers.get("mcp-protocol-version")
    try:
        body = await _body(request)
        posted = await threads.parse(body, lambda raw: messages.read_body(raw, version))
        is_batch = isinstance(posted, list)
        if not is_batch:
            messages.read_message(posted)
    except Refused as refused:
        return _json(refused.reply(), 400 if refused.code in _UNREADABLE else 200)
    if is_batch and len(posted) > 1:
        await threads.admit(lambda: admission.count(len(posted) - 1))
    exchange = _Exchange(Face(admission, report=report), threads, heard)
    for message in posted if is_batch else [posted]:
        await exchange.take(message, in_batch=is_batch)
    if exchange.pending and _takes_events(request):
        stream = exchange.events(comment_seconds, is_batch=is_batch)
        return StreamingResponse(stream, media_type=EVENT_STREAM, headers=STREAM_HEADERS)
    await exchange.settle(request.is_disconnected)
    if not exchange.replies:
        return Response(status_code=202)
    return _json(exchange.replies if is_batch else exchange.replies[0])


class _Exchange:
    """The replies to what was posted, those that are here and those that wait."""

    def __init__(self, face: Face, threads: Threads, heard: Heard) -> None:
        self._face = face
        self._threads = threads
        self._heard = heard
        self._loop = asyncio.get_running_loop()
        self._news = asyncio.Event()
        self.replies: list[dict[str, Any]] = []
        self.pending: list[Pending] = []
        self._started = time.monotonic()

    async def take(self, message: Any, *, in_batch: bool) -> None:
        try:
            call = messages.read_message(message, in_batch=in_batch)
        except Refused as refused:
            self.replies.append(refused.reply())
            return
        if call is None:
            return
        run = self._threads.read if only_reads(call) else self._threads.write
        outcome = await run(lambda: self._face.begin(call))
        if isinstance(outcome, Pending):
            self.pending.append(outcome)
        else:
            self.replies.append(outcome)

    async def settle(self, is_gone: Callable[[], Any]) -> None:
        """Wait until every reply is here, or until there is nobody left to read it."""
        with self._heard(self._hear):
            while self.pending and not await is_gone():
                await self._look()

    async def events(self, comment_seconds: float, *, is_batch: bool) -> AsyncIterator[bytes]:
        """The replies as an event once all of them are here, and until then a comment in time."""
        yield b": waiting\n\n"
        said = time.monotonic()
        with self._heard(self._hear):
            while self.pending:
                await self._look()
                if self.pending and time.monotonic() - said >= comment_seconds - LOOK_LONGEST:
                    yield b": waiting\n\n"
                    said = time.monotonic()
        body = messages.encoded(self.replies if is_batch else self.replies[0])
        # Without an id: clients take one as a promise that the stream can be taken up again.
        yield b"event: message\ndata: " + body + b"\n\n"

    def _hear(self, answer_id: str | None) -> None:
        """Called from any thread."""
        if answer_id is None or any(answer_id == pending.waiting.answer_id for pending in self.pending):
            # The loop may have ended: then nobody waits any more.
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._news.set)

    async def _look(self) -> None:
        waited = time.monotonic() - self._started
        nearest = min(pending.waiting.seconds for pending in self.pending) - waited
        pause = min(LOOK_LONGEST, max(LOOK_FIRST, LOOK_GROWTH * waited))
        with suppress(TimeoutError):
            async with asyncio.timeout(max(0.0, min(pause, nearest))):
                await self._news.wait()
        self._news.clear()
        waited = time.monotonic() - self._started
        still = []
        for pending in self.pending:
            reply = await self._threads.read(partial(self._face.look, pending))
            if reply is None and waited >= pending.waiting.seconds:
                reply = self._face.time_out(pending)
            if reply is None:
                still.append(pending)
            else:
                self.replies.append(reply)
        self.pending = still


async def _body(request: Request) -> bytes:
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > BODY_BYTES_MAX:
            raise Refused(messages.INVALID_REQUEST, f"A body has at most {BODY_BYTES_MAX} bytes")
    return bytes(body)


def _takes_events(request: Request) -> bool:
    kinds = request.headers.get("accept", "").split(",")
    return any(kind.partition(";")[0].strip().lower() == EVENT_STREAM for kind in kinds)


def _json(content: Any, status: int = 200) -> Response:
    return Response(messages.encoded(content), status, media_type=JSON)
