"""Server-sent events, and the events of an answer in them.

httpx-sse decodes them; what it is given, and what it makes, is guarded here against the streams it would misread.
"""

import codecs
import re
import time
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from brainctl.client.failures import ExchangeError
from brainctl.client.reading import sound_json
from brainctl.contract.events import DONE, EVENT_NAMES, Event

if TYPE_CHECKING:
    import httpx

EVENT_BYTES_MAX: Final = 16 * 1024 * 1024

_SURROGATE: Final = re.compile("[\ud800-\udfff]")


class ServerSent(NamedTuple):
    """One event as it stood in the stream: its name (`message` where it gave none) and its text."""

    name: str
    text: str


class _GuardedResponse:
    """What httpx-sse reads of a response, without what it would trip over.

    The text is UTF-8 whatever the header says, starts behind a byte order mark, and has LF alone for line ends, so
    that a CR at the end of a chunk holds no event back. `event_ended` starts the count towards the largest event.
    """

    headers: Final = {"content-type": "text/event-stream"}

    def __init__(self, chunks: Iterable[bytes], after_each: Callable[[], None]) -> None:
        self._chunks = chunks
        self._after_each = after_each
        self._event_bytes = 0

    def event_ended(self) -> None:
        self._event_bytes = 0

    def iter_text(self) -> Iterator[str]:
        text_of = codecs.getincrementaldecoder("utf-8-sig")("replace")
        after_cr = False
        for chunk in self._chunks:
            self._count(len(chunk))
            text = text_of.decode(chunk)
            if text:
                # The CR at the end of the last chunk has ended its line already.
                whole = text.removeprefix("\n") if after_cr else text
                after_cr = text.endswith("\r")
                if lines := whole.replace("\r\n", "\n").replace("\r", "\n"):
                    yield lines
            self._after_each()

    def _count(self, size: int) -> None:
        self._event_bytes += size
        if self._event_bytes > EVENT_BYTES_MAX:
            limit = EVENT_BYTES_MAX // (1024 * 1024)
            raise ExchangeError(
                "bad_response", f"The brain sent an event of more than {limit} MiB, which no answer needs."
            )


def server_sent(
    chunks: Iterable[bytes], after_each: Callable[[], None] = lambda: None
) -> Iterator[ServerSent]:
    """The events in chunks of bytes, each as soon as its closing blank line is there; `after_each` runs once a chunk.

    An event that the end cuts off is dropped, as the standard wants, and so is one without name and data, which
    httpx-sse makes of every comment that follows an `id`. Raises `bad_response` for an event of more than 16 MiB.
    """
    from httpx_sse import EventSource

    response = _GuardedResponse(chunks, after_each)
    for event in EventSource(cast("httpx.Response", response)).iter_sse():
        response.event_ended()
        if event.data or event.event != "message":
            yield ServerSent(event.event, event.data)


def answer_events(
    chunks: Iterable[bytes],
    *,
    eventless_seconds: float,
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[Event]:
    """The events of an answer, up to and with `done`; events of other names are passed over.

    Raises `unreachable` where the chunks end before `done`, or bring nothing but keep-alive comments for
    `eventless_seconds`; `bad_response` where an event does not carry an object.
    """
    last_event = clock()

    def look_at_the_clock() -> None:
        if clock() - last_event > eventless_seconds:
            raise ExchangeError(
                "unreachable",
                f"The stream stayed open for {eventless_seconds:g} s and brought no event; the answer may go on.",
            )

    for sent in server_sent(chunks, look_at_the_clock):
        if sent.name not in EVENT_NAMES:
            continue
        yield Event(sent.name, _object_in(sent))
        last_event = clock()
        if sent.name == DONE:
            return
    raise ExchangeError("unreachable", "The connection was lost before the answer was done.")


def _object_in(sent: ServerSent) -> dict[str, Any]:
    try:
        # Raw control characters are let through: they cannot end an event, and a server may send them.
        value = sound_json(sent.text, control_characters=True)
        if "\\u" in sent.text:
            value = _without_lone_surrogates(value)
    except ValueError:
        value = None
    if isinstance(value, dict):
        return value
    if sent.name == DONE:
        # The name alone says it; an answer is not lost over what comes with its end.
        return {"ok": True}
    raise ExchangeError(
        "bad_response", f"The brain sent a broken {sent.name} event: it does not carry an object."
    )


def _without_lone_surrogates(value: Any) -> Any:
    """Halves of a character cannot be written out. A brain may cut a delta through one; the rest is still good."""
    if isinstance(value, str):
        return _SURROGATE.sub("\ufffd", value)
    if isinstance(value, list):
        return [_without_lone_surrogates(item) for item in value]
    if isinstance(value, dict):
        return {
            _without_lone_surrogates(name): _without_lone_surrogates(item) for name, item in value.items()
        }
    return value
