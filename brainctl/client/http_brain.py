"""A brain far away: any server that speaks the Brain API."""

import json
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

from brainctl.client.address import parse_address
from brainctl.client.masking import Mask
from brainctl.client.reading import Reply, data_of, not_the_api, raise_failure
from brainctl.client.retrying import Retrying, random_fraction, say_nothing
from brainctl.client.transport import Incoming, Transport
from brainctl.contract.errors import BrainError, unsent
from brainctl.contract.keys import secret_problem
from brainctl.contract.paths import ANSWERS_PATH, CONTEXT_PATH, MCP_PATH, SEARCH_PATH, TEACH_PATH
from brainctl.contract.replies import COUNTERS
from brainctl.contract.requests import ASK, CONTEXT, SEARCH, TEACH, early_check

if TYPE_CHECKING:
    from brainctl.contract.events import Event
    from brainctl.contract.replies import (
        AnswerReply,
        ContextReply,
        QueuedReply,
        SearchReply,
        TeachReply,
        WhoamiReply,
    )
    from brainctl.contract.requests import AskRequest, ContextRequest, SearchRequest, TeachRequest
    from brainctl.contract.shapes import Record

HARMLESS_PATHS: Final = (SEARCH_PATH, CONTEXT_PATH, TEACH_PATH)
"""What may be posted twice: two of them only read, and a fact taught again is skipped."""

EVENT_STREAM: Final = "text/event-stream"
EVENTLESS_FACTOR: Final = 10

T = TypeVar("T")


class HttpBrain:
    """A `Brain` over HTTP.

    `timeout` is for one exchange, `idle` for a stream's longest silence, `eventless` for its longest time of
    nothing but keep-alives (10 x `idle` unless given), `stream_seconds` for a stream from its request on, which is
    broken off then if its first event is here; all in seconds. `notify` is told of each retry, `trace` of each
    request and reply with secrets masked. Each exchange, retries too, takes place inside a `pace(longest)`, which may
    wait before it, but no longer than `longest` seconds unless that is None, and sees it fail. Raises `no_key` for a
    secret that can be none, `usage` for a base URL that cannot be used; nothing is connected before the first call.
    """

    def __init__(
        self,
        base_url: str,
        secret: str,
        *,
        retries: int = 3,
        timeout: float = 30.0,
        idle: float = 120.0,
        eventless: float | None = None,
        stream_seconds: float | None = None,
        notify: Callable[[str], None] = say_nothing,
        trace: Callable[[str], None] | None = None,
        pace: Callable[[float | None], AbstractContextManager[object]] = nullcontext,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
        jitter: Callable[[], float] = random_fraction,
        environ: Mapping[str, str] = os.environ,
    ) -> None:
        if problem := secret_problem(secret):
            raise BrainError("no_key", f"The key cannot be used: {problem}.")
        self._mask = Mask(secret)
        self._trace = trace
        self._pace = pace
        self._left: Callable[[], float | None] = _all_the_time
        self._clock = clock
        self._timeout = timeout
        self._idle = idle
        self._eventless = eventless if eventless is not None else EVENTLESS_FACTOR * idle
        self._stream_seconds = stream_seconds
        self._retrying = Retrying(retries, notify=notify, sleep=sleep, jitter=jitter)
        address = parse_address(base_url)
        self._url = address.url
        self._transport = Transport(
            address, secret, timeout=timeout, clock=clock, environ=environ, trace=trace
        )

    def __repr__(self) -> str:
        return f"HttpBrain({self._url}, {self._mask})"

    def without_retries(self, left: "Callable[[], float | None] | None" = None) -> "HttpBrain":
        """The same brain over the same connections, for a caller that minds its own time; each call is one try.

        `left` tells how many seconds the caller still has (None: all the time there is); a call whose turn would come
        later raises `TurnTooLateError`, and nothing is sent.
        """
        import copy

        twin = copy.copy(self)
        twin._retrying = Retrying(0)  # noqa: SLF001 - the twin is one of us
        twin._left = left or _all_the_time  # noqa: SLF001 - as above
        return twin

    def search(self, request: "SearchRequest") -> "SearchReply":
        return cast("SearchReply", self._posted(SEARCH_PATH, SEARCH, request, {"facts": list}))

    def context(self, request: "ContextRequest") -> "ContextReply":
        return cast(
            "ContextReply", self._posted(CONTEXT_PATH, CONTEXT, request, {"rendered": str, "facts": list})
        )

    def teach(self, request: "TeachRequest") -> "TeachReply":
        return cast("TeachReply", self._posted(TEACH_PATH, TEACH, request, dict.fromkeys(COUNTERS, int)))

    def ask(self, request: "AskRequest") -> "Iterator[Event]":
        """Yields each event as soon as its bytes are here.

        Only `rate_limited` is tried again, since only then it is certain that no run was begun.
        """
        from brainctl.client.sse import answer_events

        early_check(ASK, request)
        body = _encoded({**request, "stream": True})
        started = self._clock()
        incoming = self._run(lambda: self._open_stream(body), repeatable=False)
        is_bounded = False
        try:
            for event in answer_events(
                incoming.chunks(), eventless_seconds=self._eventless, clock=self._clock
            ):
                if self._stream_seconds is not None and not is_bounded:
                    # Not before the first event: who leaves without the answer's id has lost it.
                    is_bounded = True
                    incoming.break_off_in(self._stream_seconds - (self._clock() - started))
                if self._trace:
                    self._trace(f"< {event.event} {self._mask.body(json.dumps(event.data).encode())}")
                yield event
        finally:
            incoming.close()

    def enqueue(self, request: "AskRequest", idempotency_key: str | None = None) -> "QueuedReply":
        """Tried again only with an `idempotency_key`, and always with that same one."""
        early_check(ASK, request)
        headers = _idempotency(idempotency_key)
        body = _encoded({**request, "stream": False})
        reply = self._whole("POST", ANSWERS_PATH, body, headers, repeatable=bool(headers))
        return cast("QueuedReply", data_of(reply, self._mask, {"answer_id": str}))

    def answer(self, answer_id: str, *, sources: bool = False) -> "AnswerReply":
        from urllib.parse import quote

        if not answer_id.strip("."):
            raise BrainError(
                "not_found", "An answer id is a word such as event_01k9p3zq8w, and this is none."
            )
        path = f"{ANSWERS_PATH}/{quote(answer_id, safe='', errors='surrogateescape')}{'?include=sources' if sources else ''}"
        reply = self._whole("GET", path, None, {}, repeatable=True)
        return cast("AnswerReply", data_of(reply, self._mask, {"status": str}))

    def whoami(self) -> "WhoamiReply":
        return cast("WhoamiReply", self._run(self._whoami_once, repeatable=True))

    def raw(self, method: str, path: str, body: bytes | None = None) -> Reply:
        """One request as it is given, and its reply as it came. Raises the error of a failed one.

        `path` begins with a slash. What only reads, and what is harmless to repeat, is retried.
        """
        verb = method.upper()
        repeatable = verb in {"GET", "HEAD"} or path.partition("?")[0] in HARMLESS_PATHS
        return self._whole(verb, path, body, {"Accept": "*/*"}, repeatable=repeatable)

    def close(self) -> None:
        self._transport.close()

    def _posted(
        self, path: str, shape: "Record", request: Mapping[str, Any], needs: Mapping[str, type]
    ) -> dict[str, Any]:
        early_check(shape, request)
        return data_of(self._whole("POST", path, _encoded(request), {}, repeatable=True), self._mask, needs)

    def _whole(
        self, method: str, path: str, body: bytes | None, headers: Mapping[str, str], *, repeatable: bool
    ) -> Reply:
        sent = {"Accept": "application/json", **headers}
        if body is not None:
            sent["Content-Type"] = "application/json"

        def once() -> Reply:
            reply = self._transport.exchange(method, path, body, sent)
            raise_failure(reply, self._mask)
            return reply

        return self._run(once, repeatable=repeatable)

    def _run(self, exchange: Callable[[], T], *, repeatable: bool) -> T:
        def once() -> T:
            # What loading takes is not to pass between a request's turn and its leaving.
            self._transport.prepare()
            with self._pace(self._left()):
                return exchange()

        return self._retrying.run(once, repeatable=repeatable)

    def _open_stream(self, body: bytes) -> Incoming:
        headers = {
            "Accept": f"{EVENT_STREAM}, application/json",
            "Cache-Control": "no-store",
            "Content-Type": "application/json",
        }
        incoming = self._transport.open("POST", ANSWERS_PATH, body, headers, read_seconds=self._idle)
        if 200 <= incoming.status < 300 and incoming.head().media_type == EVENT_STREAM:
            return incoming
        try:
            reply = self._transport.read(incoming, self._clock() + self._timeout)
        finally:
            incoming.close()
        raise_failure(reply, self._mask)
        raise not_the_api(reply, self._mask, "it is not a stream of events")

    def _whoami_once(self) -> dict[str, Any]:
        from brainctl.client import whoami

        headers = {"Accept": whoami.ACCEPT, "Content-Type": "application/json"}
        deadline = self._clock() + self._timeout
        incoming = self._transport.open("POST", MCP_PATH, _encoded(whoami.REQUEST), headers)
        try:
            if incoming.head().media_type == EVENT_STREAM:
                reply = incoming.head()._replace(body=whoami.message_in_stream(incoming.chunks()))
            else:
                reply = self._transport.read(incoming, deadline)
        finally:
            incoming.close()
        raise_failure(reply, self._mask)
        return whoami.result_of(reply, self._mask)


def _all_the_time() -> None:
    return None


def _encoded(body: Mapping[str, Any]) -> bytes:
    return json.dumps(body, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()


def _idempotency(key: str | None) -> dict[str, str]:
    if key is None:
        return {}
    if not key.strip() or not all(0x20 <= ord(character) <= 0x7E for character in key) or key != key.strip():
        raise unsent("An Idempotency-Key is printable ASCII with no blank at either end; choose another.")
    return {"Idempotency-Key": key}
