"""A chat endpoint of OpenAI's form in the loop of whoever asks, which counts how often it is asked what."""

import asyncio
import json
import time
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import suppress
from itertools import pairwise
from typing import Any, Final, NamedTuple, Self

HEAD: Final = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
DONE: Final = b"data: [DONE]\n\n"

Habit = Callable[[asyncio.StreamWriter, str], Awaitable[None]]
"""What a model does when it is asked a question: it writes its reply, and the connection is closed after it."""


def piece(text: str, **more: Any) -> bytes:
    """One chunk of a reply, as it travels."""
    choice = {"index": 0, "delta": {"content": text, **more}, "finish_reason": None}
    return b"data: " + json.dumps({"choices": [choice]}).encode() + b"\n\n"


def end() -> bytes:
    return b'data: {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}\n\n' + DONE


def answer_to(question: str) -> str:
    """What a well-behaved model says."""
    return f"You asked: {question}"


def well(seconds: float) -> Habit:
    """A model that answers, and takes so many seconds over it."""

    async def answer(writer: asyncio.StreamWriter, question: str) -> None:
        writer.write(HEAD)
        for word in answer_to(question).split(" "):
            writer.write(piece(word if word == "You" else f" {word}"))
            await writer.drain()
            await asyncio.sleep(seconds / (question.count(" ") + 3))
        writer.write(end())

    return answer


class Span(NamedTuple):
    """When a model was asked, and when it was done or nobody listened any more; by the monotonic clock."""

    begun: float
    ended: float


class Models:
    """Serves from `__aenter__` to `__aexit__`: a model of this name has this habit."""

    def __init__(self, habits: Mapping[str, Habit]) -> None:
        self._habits = habits
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.StreamWriter] = set()
        self.asked: Counter[str] = Counter()
        self.spans: defaultdict[str, list[Span]] = defaultdict(list)

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._meet, "127.0.0.1", 0, backlog=1024)
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        for writer in self._open:
            writer.transport.abort()

    @property
    def base_url(self) -> str:
        assert self._server is not None
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}/v1"

    async def _meet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open.add(writer)
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            length = next(
                int(line.partition(b":")[2])
                for line in head.split(b"\r\n")
                if line.lower().startswith(b"content-length:")
            )
            body = json.loads(await reader.readexactly(length))
            question = body["messages"][-1]["content"]
            self.asked[question] += 1
            begun = time.monotonic()
            try:
                await self._habits[body["model"]](writer, question)
                await writer.drain()
            finally:
                self.spans[question].append(Span(begun, time.monotonic()))
        except (OSError, EOFError, asyncio.CancelledError):
            # Whoever asked has gone, or was killed; or the house is closed.
            return
        finally:
            self._open.discard(writer)
            with suppress(OSError):
                writer.close()

    def two_at_once(self, conversations: Iterable[tuple[str, object]]) -> int:
        """How often the model was asked in a conversation, which the questions come with, while it still spoke there."""
        spans: defaultdict[object, list[Span]] = defaultdict(list)
        for question, conversation in conversations:
            spans[conversation] += self.spans[question]
        return sum(
            later.begun < earlier.ended
            for each in spans.values()
            for earlier, later in pairwise(sorted(each))
        )
