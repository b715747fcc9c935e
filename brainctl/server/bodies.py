"""What comes in: bodies of bounded size, read in bounded time, as JSON that has one meaning."""

import asyncio
import json
from collections.abc import Awaitable, Callable, MutableMapping, Sequence
from typing import Any, Final

from brainctl.contract.bounds import BODY_BYTES_MAX, BODY_DEPTH_MAX
from brainctl.contract.errors import BrainError
from brainctl.contract.json_names import each_name_once
from brainctl.contract.shapes import Problem, refusal

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Headers = Sequence[tuple[bytes, bytes]]

BODY_SECONDS: Final = 30.0
"""How long a whole body may take."""
_THROWN_AWAY_MOST: Final = 4 * BODY_BYTES_MAX
"""What is read of a body that is too large, so that its sender gets to see the refusal instead of a reset."""

LARGE_BYTES: Final = 64 * 1024
"""A body so large takes long enough to read that others would notice it."""
_CONTAINERS: Final = (dict, list)


class ClientGoneError(Exception):
    """The client hung up before its request was whole: there is nobody to answer."""


class UnreadError(BrainError):
    """A `validation_error` after which the connection is of no use, since a part of the body is still to come."""

    def __init__(self, message: str) -> None:
        problem = Problem("body", message, "size")
        whole = refusal([problem])
        super().__init__(whole.code, whole.message, details=whole.details)


async def read_body(receive: Receive, headers: Headers, seconds: float = BODY_SECONDS) -> bytes:
    """The whole body. Raises `UnreadError` where it is too large or too slow, and `ClientGoneError`."""
    too_large = UnreadError(f"must be at most {BODY_BYTES_MAX} bytes")
    told = _announced(headers)
    if told > BODY_BYTES_MAX and _waits_for_leave(headers):
        raise too_large
    parts: list[bytes] = []
    size = 0
    try:
        async with asyncio.timeout(seconds):
            more = True
            while more:
                message = await receive()
                if message["type"] != "http.request":
                    raise ClientGoneError
                part = message.get("body", b"")
                more = message.get("more_body", False)
                size += len(part)
                if size <= BODY_BYTES_MAX and told <= BODY_BYTES_MAX:
                    parts.append(part)
                elif size > _THROWN_AWAY_MOST:
                    raise too_large
    except TimeoutError:
        raise UnreadError(f"must arrive within {seconds:g} seconds") from None
    if size > BODY_BYTES_MAX:
        raise too_large
    return parts[0] if len(parts) == 1 else b"".join(parts)


def _announced(headers: Headers) -> int:
    length = next((value for name, value in headers if name == b"content-length"), b"0")
    return int(length) if length.isdigit() else 0


def _waits_for_leave(headers: Headers) -> bool:
    return any(name == b"expect" for name, _ in headers)


def in_time(receive: Receive, seconds: float = BODY_SECONDS) -> Receive:
    """The same body for a reader of its own, cut where it does not come in time."""
    deadline = asyncio.get_running_loop().time() + seconds
    is_whole = False

    async def received() -> Message:
        nonlocal is_whole
        if is_whole:
            return await receive()
        try:
            async with asyncio.timeout_at(deadline):
                message = await receive()
        except TimeoutError:
            raise UnreadError(f"must arrive within {seconds:g} seconds") from None
        is_whole = not message.get("more_body", False)
        return message

    return received


def read_json(body: bytes) -> Any:
    """The value of a body. Raises `validation_error` for what is no JSON, or JSON that two readers may read two ways."""
    try:
        value = json.loads(
            body.decode("utf-8"),
            object_pairs_hook=each_name_once,
            parse_constant=_no_constant,
            parse_float=_finite,
        )
    except (ValueError, RecursionError):
        raise refusal(
            [Problem("body", "must be JSON in UTF-8 with finite numbers and no name twice", "json")]
        ) from None
    if not _is_at_most(BODY_DEPTH_MAX, value):
        raise refusal([Problem("body", f"must be at most {BODY_DEPTH_MAX} levels deep", "depth")])
    return value


def _no_constant(name: str) -> Any:
    raise ValueError(name)


def _finite(digits: str) -> float:
    number = float(digits)
    if number - number != 0.0:
        raise ValueError
    return number


def _is_at_most(levels: int, value: Any) -> bool:
    level = [value] if type(value) in _CONTAINERS else []
    while level and levels:
        levels -= 1
        level = [
            inner
            for outer in level
            for inner in (outer.values() if type(outer) is dict else outer)
            if type(inner) in _CONTAINERS
        ]
    return not level
