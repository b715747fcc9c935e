"""One connection: how much of a request's head is taken, and how long anything may be owed.

The library below reads HTTP and hands requests to the app, which bounds their bodies. What comes before an app is asked
is bounded here, and what the app never gets to see is answered here, in the same envelope.
"""

from asyncio import TimerHandle, Transport
from enum import Enum, auto
from http import HTTPStatus
from typing import Any, Final

import httptools
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from brainctl.contract.errors import BrainError
from brainctl.server.access_log import Log
from brainctl.server.replies import refused, request_id
from brainctl.server.room import connections_most

HEAD_BYTES_MOST: Final = 64 * 1024
FIELDS_MOST: Final = 100
HEAD_SECONDS: Final = 30.0
"""How long a head may take, as long as a body; and for how long a reply may wait for its reader."""
PIPELINED_MOST: Final = 100
"""How many requests of a connection wait for their turn."""
_LINGER_SECONDS: Final = 2.0
"""A connection that is closed while something still comes in may lose the reply on its way: so long it is only ignored."""
_IGNORED_MOST: Final = 4 * 1024 * 1024
_LINGERING_MOST: Final = 64
"""How many connections too many are told so at once; further ones are cut off."""


class _Part(Enum):
    """What comes next on a connection."""

    HEAD = auto()
    BODY = auto()
    NOTHING = auto()
    """Of this request; perhaps another one."""


class _RefusedError(Exception):
    """Raised inside the parser, to stop it."""


class Wire(HttpToolsProtocol):
    """A connection of the library's, with bounds."""

    def __init__(self, log: Log, **named: Any) -> None:
        super().__init__(**named)
        self._log = log
        self._part = _Part.HEAD
        self._size = 0
        self._unread = 0
        self._is_over = False
        self._why: BrainError | None = None
        self._last_word: bytes | None = None
        self._patience: TimerHandle | None = None
        self._reader: TimerHandle | None = None

    # What the loop tells of the connection

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]  # as the library narrows it
        super().connection_made(transport)
        too_many = len(self.connections) - connections_most()
        if too_many > _LINGERING_MOST:
            transport.abort()
        elif too_many > 0:
            message = "Too many connections are open at this moment; try again soon"
            self._refuse(BrainError("internal_error", message, http_status=503))
        else:
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        self._stop_reading_wait()
        self._unset_keepalive_if_required()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        self._unset_keepalive_if_required()
        if self._is_over:
            self._ignore(len(data))
            return
        if self._part is _Part.NOTHING:
            self._part = _Part.HEAD
        self._unread += len(data)
        try:
            self._feed(data)
        except httptools.HttpParserError:
            self._refuse(self._why or BrainError("validation_error", "This is not HTTP/1.1", http_status=400))
            return
        if self._unread > HEAD_BYTES_MOST:
            self._refuse(_too_large())
        else:
            self._wait()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._stop_reading_wait()
        self._reader = self.loop.call_later(HEAD_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        self._stop_reading_wait()
        super().resume_writing()

    # What the parser tells of a request

    def _feed(self, data: bytes) -> None:
        """A request that wishes for another protocol is read once more without its wish, which nobody has to grant: its
        body belongs to it, and is not the next request.
        """
        while True:
            try:
                self.parser.feed_data(data)
                return
            except httptools.HttpParserUpgrade as wish:
                version = self.parser.get_http_version().encode()
                head = [self.parser.get_method(), b" ", self.url, b" HTTP/", version, b"\r\n"]
                for name, value in self.headers:
                    if name != b"upgrade":
                        head += [name, b": ", value, b"\r\n"]
                self.parser = httptools.HttpRequestParser(self)
                data = b"".join([*head, b"\r\n", data[wish.args[0] :]])

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._part = _Part.HEAD
        self._size = 0

    def on_url(self, url: bytes) -> None:
        super().on_url(url)
        self._count(len(url))

    def on_header(self, name: bytes, value: bytes) -> None:
        # What comes after the body are no headers: nothing that a request is judged by may come so late.
        if self._part is _Part.HEAD:
            self._count(len(name) + len(value))
            super().on_header(name, value)

    def _count(self, size: int) -> None:
        self._size += size
        if self._size > HEAD_BYTES_MOST or len(self.headers) >= FIELDS_MOST:
            self._why = _too_large()
            raise _RefusedError

    def on_headers_complete(self) -> None:
        if self.parser.get_method() == b"CONNECT":
            self._why = BrainError("method_not_allowed", "This is no proxy")
            raise _RefusedError
        if self.parser.should_upgrade():
            return
        if len(self.pipeline) >= PIPELINED_MOST:
            self._why = BrainError("validation_error", "Too many requests wait for a reply", http_status=400)
            raise _RefusedError
        super().on_headers_complete()
        self._part = _Part.BODY
        self._unread = 0
        self._stop_waiting()

    def on_body(self, body: bytes) -> None:
        self._unread = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        if self.parser.should_upgrade():
            return
        self._part = _Part.NOTHING
        self._unread = 0
        self._stop_waiting()
        super().on_message_complete()

    def on_response_complete(self) -> None:
        is_last = not self.pipeline
        super().on_response_complete()
        if self._last_word is not None and is_last:
            self._say(self._last_word)
        elif not self._is_over:
            self._wait()

    def _latest(self) -> RequestResponseCycle | None:
        """The exchange of the latest request: there is none before the first."""
        return self.cycle

    # What is owed

    def _wait(self) -> None:
        """Begin to count the seconds where something is to come that nobody else waits for."""
        cycle = self._latest()
        is_answered = cycle is None or cycle.response_complete
        if self._part is _Part.HEAD or (self._part is _Part.BODY and is_answered):
            if self._patience is None:
                self._patience = self.loop.call_later(HEAD_SECONDS, self._too_slow)
        elif is_answered and self.timeout_keep_alive_task is None:
            # The rest of a body came after its reply: the library would not count on.
            self.timeout_keep_alive_task = self.loop.call_later(
                self.timeout_keep_alive, self.timeout_keep_alive_handler
            )

    def _too_slow(self) -> None:
        self._patience = None
        if self._latest() is None and not self._unread:
            self.transport.close()
        else:
            message = f"A request's head must arrive within {HEAD_SECONDS:g} seconds"
            self._refuse(BrainError("validation_error", message, http_status=408))

    def _stop_waiting(self) -> None:
        if self._patience is not None:
            self._patience.cancel()
            self._patience = None

    def _stop_reading_wait(self) -> None:
        if self._reader is not None:
            self._reader.cancel()
            self._reader = None

    def _refuse(self, error: BrainError) -> None:
        """Answer in the app's place, once every request before has its reply, and read no further."""
        self._is_over = True
        self._stop_waiting()
        told = request_id()
        self._log.note(f"{told}: {error.message}")
        word = self._written(error, told)
        cycle = self._latest()
        if cycle is None:
            self._say(word)
        elif self._part is not _Part.BODY:
            if cycle.response_complete:
                self._say(word)
            else:
                self._last_word = word
        elif self.pipeline:
            # The broken one has not had its turn.
            self.pipeline.popleft()
            self._last_word = word
        elif cycle.response_started:
            self.transport.close()
        else:
            # Whatever the app has to say about half a request would be a second reply.
            cycle.disconnected = True
            cycle.message_event.set()
            self._say(word)

    def _ignore(self, size: int) -> None:
        self._unread += size
        if self._last_word is not None:
            # Replies are still on their way out: nothing is wanted in.
            self.flow.pause_reading()
        elif self._unread > _IGNORED_MOST:
            self.transport.abort()

    def _say(self, word: bytes) -> None:
        self._last_word = None
        self._unread = 0
        if self.transport.is_closing():
            return
        self.transport.write(word)
        if self.transport.can_write_eof():
            self.transport.write_eof()
        self.flow.resume_reading()
        self._patience = self.loop.call_later(_LINGER_SECONDS, self.transport.abort)

    def _written(self, error: BrainError, told: str) -> bytes:
        reply = refused(error)
        lines = [
            f"HTTP/1.1 {reply.status} {HTTPStatus(reply.status).phrase}\r\n".encode(),
            *(
                b"%b: %b\r\n" % header
                for header in (
                    *self.server_state.default_headers,
                    *reply.headers,
                    (b"content-length", str(len(reply.body)).encode()),
                    (b"x-request-id", told.encode()),
                    (b"connection", b"close"),
                )
            ),
        ]
        return b"".join([*lines, b"\r\n", reply.body])


def _too_large() -> BrainError:
    message = f"A request's head has at most {HEAD_BYTES_MOST} bytes and {FIELDS_MOST} fields"
    return BrainError("validation_error", message, http_status=431)
