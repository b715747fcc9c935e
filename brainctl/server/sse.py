"""A streamed answer as server-sent events."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Final

from brainctl.contract.events import DONE, Event
from brainctl.server.bodies import Receive
from brainctl.server.replies import Header, Send, encoded
from brainctl.server.threads import Threads

HEADERS: Final[list[Header]] = [
    (b"content-type", b"text/event-stream"),
    # Proxies that keep, change or gather what passes through them would make a stream of it no more.
    (b"cache-control", b"no-cache, no-transform"),
    (b"x-accel-buffering", b"no"),
]
PING: Final = b": ping\n\n"
PING_SECONDS: Final = 10.0
"""How long a stream may be silent: many a proxy cuts a connection that is for longer than 15 s or so."""


def event_bytes(event: Event) -> bytes:
    """An event as it travels."""
    return b"event: %b\ndata: %b\n\n" % (event.event.encode(), encoded(event.data))


class Stream:
    """One open stream, from its first event, which has come, to its end or to its client's leaving."""

    def __init__(self, first: Event, rest: Iterator[Event]) -> None:
        self._heard: list[Event] = [first]
        self._rest = rest
        self._is_over = False
        self._is_left = False
        self._news = asyncio.Event()

    async def send(
        self,
        threads: Threads,
        receive: Receive,
        send: Send,
        report: Callable[[Exception], None],
        ping_seconds: float = PING_SECONDS,
    ) -> bool:
        """Whether the client saw the stream to its end.

        A stream that breaks in the brain is not ended: whoever reads it sees it cut off, and `report` is told why.
        """
        threads.listen(self._rest, self._hear, report)
        watching = asyncio.ensure_future(self._watch(receive))
        try:
            await send({"type": "http.response.start", "status": 200, "headers": HEADERS})
            return await self._pass_on(send, ping_seconds)
        finally:
            watching.cancel()
            with suppress(asyncio.CancelledError):
                await watching

    def _hear(self, event: Event | None) -> None:
        if event is None:
            self._is_over = True
        elif not self._is_left:
            self._heard.append(event)
        self._news.set()

    async def _watch(self, receive: Receive) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        self._is_left = True
        self._news.set()

    async def _pass_on(self, send: Send, ping_seconds: float) -> bool:
        while not self._is_left:
            heard, self._heard = self._heard, []
            if heard:
                is_done = heard[-1].event == DONE
                body = b"".join(map(event_bytes, heard))
                await send({"type": "http.response.body", "body": body, "more_body": not is_done})
                if is_done:
                    return True
            elif self._is_over:
                return False
            else:
                await self._news_or_ping(send, ping_seconds)
        return False

    async def _news_or_ping(self, send: Send, ping_seconds: float) -> None:
        self._news.clear()
        try:
            async with asyncio.timeout(ping_seconds):
                await self._news.wait()
        except TimeoutError:
            await send({"type": "http.response.body", "body": PING, "more_body": True})
