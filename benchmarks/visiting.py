"""A client that loses nothing out of sight: it knows of each request whether a reply came, and when it was sent and heard.

Plain asyncio, since a driver that works harder than the servers measures itself.
"""

import asyncio
import json
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, NamedTuple

from benchmarks.houses import Address

PATIENCE_SECONDS: Final = 120.0


class LostError(Exception):
    """No reply, or half of one: whoever asked cannot know what became of it."""


class Reply(NamedTuple):
    """A whole reply; times are by the monotonic clock."""

    status: int
    headers: Mapping[str, str]
    body: Any
    sent: float
    heard: float

    @property
    def data(self) -> Any:
        return self.body["data"]

    @property
    def code(self) -> str:
        """The error's code, or `ok`."""
        if not isinstance(self.body, dict):
            return "ok" if self.status < 400 else "no JSON"
        error = self.body.get("error")
        return "ok" if error is None else error["code"] if isinstance(error, dict) else error


class Streamed(NamedTuple):
    """A stream as far as it was heard; `is_whole` where `done` came."""

    events: list[tuple[str, Any]]
    is_whole: bool
    sent: float
    heard: float

    @property
    def answer_id(self) -> str | None:
        return self.events[0][1]["answer_id"] if self.events else None

    @property
    def names(self) -> list[str]:
        return [name for name, _ in self.events]

    @property
    def spoken(self) -> str:
        return "".join(data["text"] for name, data in self.events if name == "answer.delta")


class Visitor:
    """Asks one server after the other, over one connection that is kept while it lasts."""

    def __init__(self, addresses: Sequence[Address], place: int = 0) -> None:
        self._addresses = addresses
        self._place = place
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None

    def move_on(self) -> None:
        """Ask the next server from now on."""
        self.close()
        self._place += 1

    def close(self) -> None:
        if self._writer is not None:
            with suppress(Exception):
                self._writer.close()
            self._reader = self._writer = None

    async def ask(
        self,
        method: str,
        path: str,
        secret: str | None,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
        *,
        patience: float = PATIENCE_SECONDS,
    ) -> Reply:
        """Raises `LostError`."""
        sent = time.monotonic()
        try:
            async with asyncio.timeout(patience):
                status, told = await self._opened(method, path, secret, body, headers or {})
                raw = await self._whole(told)
        except (OSError, EOFError, TimeoutError, ValueError) as error:
            self.move_on()
            raise LostError(f"{type(error).__name__}: {error}") from None
        return Reply(status, told, _json(raw), sent, time.monotonic())

    async def stream(
        self,
        secret: str,
        body: Any,
        *,
        is_enough: Callable[[str], bool] = lambda _: False,
        patience: float = PATIENCE_SECONDS,
    ) -> Reply | Streamed:
        """Ask for a stream, and hear it to its end or until an event of this name is enough; or the refusal.

        Raises `LostError` where not even the first event came.
        """
        sent = time.monotonic()
        events: list[tuple[str, Any]] = []
        try:
            async with asyncio.timeout(patience):
                status, told = await self._opened("POST", "/v1/answers", secret, body, {})
                if "chunked" not in told.get("transfer-encoding", ""):
                    return Reply(status, told, _json(await self._whole(told)), sent, time.monotonic())
                async for name, data in self._events():
                    events.append((name, data))
                    if is_enough(name):
                        self.close()
                        break
        except (OSError, EOFError, TimeoutError, ValueError) as error:
            self.move_on()
            if not events:
                raise LostError(f"{type(error).__name__}: {error}") from None
        return Streamed(events, bool(events) and events[-1][0] == "done", sent, time.monotonic())

    async def tool(
        self, secret: str, name: str, arguments: Any, *, patience: float = PATIENCE_SECONDS
    ) -> Reply:
        """Call a tool over MCP: the reply's body is the tool's result, in the form of the other routes. Raises `LostError`."""
        call = {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/call",
            "params": {"name": name, "arguments": arguments},
        }
        reply = await self.ask("POST", "/v1/mcp", secret, call, patience=patience)
        if not isinstance(reply.body, dict) or "result" not in reply.body:
            return reply
        result = reply.body["result"]
        told = json.loads(result["content"][0]["text"])
        return reply._replace(body=told if result["isError"] else {"data": told})

    async def _opened(
        self, method: str, path: str, secret: str | None, body: Any, headers: Mapping[str, str]
    ) -> tuple[int, dict[str, str]]:
        """Send a request, and read the head of its reply."""
        raw = b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        lines = [f"{method} {path} HTTP/1.1", "Host: localhost", f"Content-Length: {len(raw)}"]
        if secret is not None:
            lines.append(f"Authorization: Bearer {secret}")
        lines += [f"{name}: {value}" for name, value in headers.items()]
        if self._writer is None:
            address = self._addresses[self._place % len(self._addresses)]
            self._reader, self._writer = await asyncio.open_connection(*address)
        self._writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + raw)
        await self._writer.drain()
        status = int((await self._line()).split(b" ")[1])
        told = {}
        while line := await self._line():
            name, _, value = line.decode("latin-1").partition(":")
            told[name.lower()] = value.strip()
        return status, told

    async def _line(self) -> bytes:
        assert self._reader is not None
        line = await self._reader.readline()
        if not line.endswith(b"\r\n"):
            raise EOFError("cut off")
        return line[:-2]

    async def _whole(self, told: Mapping[str, str]) -> bytes:
        assert self._reader is not None
        if "content-length" in told:
            raw = await self._reader.readexactly(int(told["content-length"]))
        else:
            raw = b""
            while part := await self._chunk():
                raw += part
        if told.get("connection") == "close":
            self.close()
        return raw

    async def _chunk(self) -> bytes:
        assert self._reader is not None
        size = int(await self._line(), 16)
        return (await self._reader.readexactly(size + 2))[:-2]

    async def _events(self) -> Any:
        rest = b""
        while part := await self._chunk():
            *blocks, rest = (rest + part).split(b"\n\n")
            for block in blocks:
                if not block.startswith(b":"):
                    name, _, data = block.partition(b"\n")
                    yield name.removeprefix(b"event: ").decode(), json.loads(data.removeprefix(b"data: "))


def _json(raw: bytes) -> Any:
    try:
        return json.loads(raw)
    except ValueError:
        return raw
