"""What goes out: JSON, errors in the API's envelope, and the headers that each needs."""

import json
import os
from collections.abc import Awaitable, Callable, MutableMapping, Sequence
from typing import Any, Final, NamedTuple

from brainctl.contract.bounds import RATE_WINDOW_SECONDS
from brainctl.contract.errors import API_CODES, BrainError
from brainctl.server.bodies import UnreadError

Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Header = tuple[bytes, bytes]

JSON_TYPE: Final[Header] = (b"content-type", b"application/json")
CHALLENGE: Final[Header] = (b"www-authenticate", b'Bearer realm="alfera", error="invalid_token"')
COME_BACK: Final[Header] = (b"retry-after", str(RATE_WINDOW_SECONDS).encode())


def request_id() -> str:
    """By which a reply is found again in the log."""
    return f"req_{os.urandom(8).hex()}"


class Reply(NamedTuple):
    status: int
    body: bytes
    headers: Sequence[Header] = (JSON_TYPE,)

    async def send(self, send: Send) -> None:
        headers = [*self.headers, (b"content-length", str(len(self.body)).encode())]
        await send({"type": "http.response.start", "status": self.status, "headers": headers})
        await send({"type": "http.response.body", "body": self.body})


def encoded(value: Any) -> bytes:
    """JSON in UTF-8. Half a character, which has no UTF-8, is written as its escape."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    try:
        return text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":"), allow_nan=False).encode()


def success(status: int, data: Any) -> Reply:
    return Reply(status, encoded({"data": data}))


def refused(error: BrainError, allow: Sequence[str] = ()) -> Reply:
    """An error as a stranger may read it: what is not in the API's table is about this machine."""
    code = API_CODES.get(error.code)
    if code is None or code.http_status is None:
        error = BrainError("internal_error")
    status = error.http_status or 500
    headers = [JSON_TYPE]
    if status == 401:
        headers.append(CHALLENGE)
    if status == 405:
        headers.append((b"allow", ", ".join(allow).encode()))
    if status == 429:
        headers.append(COME_BACK)
    if isinstance(error, UnreadError):
        headers.append((b"connection", b"close"))
    return Reply(status, encoded(error.envelope()), headers)
