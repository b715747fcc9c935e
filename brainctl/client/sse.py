"""Server-sent events, and the events of an answer in them.

The decoder works on bytes: lines end at CR, LF or both and nowhere else, so neither a chunk that ends inside a
character nor a line separator inside JSON can cut an event, and the text is UTF-8 whatever the header says.
"""

import json
import re
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, NamedTuple

from brainctl.client.failures import ExchangeError
from brainctl.contract.events import DONE, EVENT_NAMES, Event

EVENT_BYTES_MAX: Final = 16 * 1024 * 1024

_LINE_END: Final = re.compile(rb"\r\n|\r|\n")
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


class ServerSent(NamedTuple):
    """One event as it stood in the stream: its name (`message` where it gave none) and its text."""

    name: str
    text: str


class Decoder:
    """Turns chunks of bytes into events, each as soon as its closing blank line is there.

    An event that the stream's end cuts off is dropped, as the standard wants. Raises `bad_response` for an
    event of more than 16 MiB.
    """

    def __init__(self) -> None:
        self._line = bytearray()
        self._first_line = True
        self._after_cr = False
        self._name = ""
        self._data: list[bytes] = []
        self._data_bytes = 0

    def feed(self, chunk: bytes) -> Iterator[ServerSent]:
        if self._after_cr and chunk:
            # The CR at the end of the last chunk has ended its line already.
            self._after_cr = False
            chunk = chunk.removeprefix(b"\n")
        start = 0
        for end in _LINE_END.finditer(chunk):
            self._take(chunk[start : end.start()])
            start = end.end()
            line = bytes(self._line)
            self._line.clear()
            if (event := self._read(line)) is not None:
                yield event
        self._take(chunk[start:])
        self._after_cr = chunk.endswith(b"\r")

    def _take(self, part: bytes) -> None:
        self._line += part
        if len(self._line) + self._data_bytes > EVENT_BYTES_MAX:
            limit = EVENT_BYTES_MAX // (1024 * 1024)
            raise ExchangeError(
                "bad_response", f"The brain sent an event of more than {limit} MiB, which no answer needs."
            )

    def _read(self, line: bytes) -> ServerSent | None:
        if self._first_line:
            self._first_line = False
            line = line.removeprefix(_BYTE_ORDER_MARK)
        if not line:
            return self._dispatch()
        field, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if field == b"data":
            self._data.append(value)
            self._data_bytes += len(value) + 1
        elif field == b"event":
            self._name = value.decode("utf-8", "replace")
        # Comments, ids and reconnection times have no meaning here: an answer's stream is never resumed.
        return None

    def _dispatch(self) -> ServerSent | None:
        name, data = self._name, self._data
        self._name, self._data, self._data_bytes = "", [], 0
        if not data:
            return None
        return ServerSent(name or "message", b"\n".join(data).decode("utf-8", "replace"))


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
    decoder = Decoder()
    last_event = clock()
    for chunk in chunks:
        for sent in decoder.feed(chunk):
            if sent.name not in EVENT_NAMES:
                continue
            yield Event(sent.name, _object_in(sent))
            last_event = clock()
            if sent.name == DONE:
                return
        if clock() - last_event > eventless_seconds:
            raise ExchangeError(
                "unreachable",
                f"The stream stayed open for {eventless_seconds:g} s and brought no event; the answer may go on.",
            )
    raise ExchangeError("unreachable", "The connection was lost before the answer was done.")


def _object_in(sent: ServerSent) -> dict[str, Any]:
    try:
        # Raw control characters are let through: they cannot end an event, and a server may send them.
        value = json.loads(sent.text, strict=False)
        if "\\u" in sent.text:
            value = _without_lone_surrogates(value)
    except (ValueError, RecursionError):
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
