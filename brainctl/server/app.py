"""A brain's face to the network, as an ASGI application: it decides in which order a request is looked at.

Host and origin, then the route and its method, then the key, then the key's window; only then is the body read.
"""

import time
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from contextlib import nullcontext, suppress
from typing import Any, Final

from starlette.requests import Request

from brainctl.contract.errors import BrainError
from brainctl.contract.gate import Gate
from brainctl.contract.paths import MCP_PATH
from brainctl.server import guard, rest
from brainctl.server.access_log import Log
from brainctl.server.bodies import ClientGoneError, Message, Receive, in_time
from brainctl.server.credentials import secret_of
from brainctl.server.mcp.http import Heard, mcp_endpoint
from brainctl.server.metrics import OTHER, TEXT_TYPE, Metrics
from brainctl.server.openapi import document
from brainctl.server.replies import Header, Reply, Send, encoded, refused, request_id
from brainctl.server.sse import Stream
from brainctl.server.threads import Threads

_MCP_PATHS: Final = (MCP_PATH, f"{MCP_PATH}/")
READERS: Final = ("GET", "HEAD")

Figures = Callable[[], Mapping[str, int]]


class Exchange:
    """One request, and what came of it."""

    def __init__(self, scope: MutableMapping[str, Any], request_id: str, started: float) -> None:
        self.request_id = request_id
        self.method: str = scope["method"]
        self.path: str = scope["path"]
        self.raw_path: bytes = scope.get("raw_path") or scope["path"].encode()
        self.route = OTHER
        self.started = started
        self.key_prefix: str | None = None
        self.headers: list[Header] = [(b"x-request-id", request_id.encode())]
        self.status: int | None = None
        self.is_whole = False

    def sender(self, send: Send) -> Send:
        """Sends, and notes what was sent."""

        async def noted(message: Message) -> None:
            if message["type"] == "http.response.start":
                self.status = message["status"]
                message = {**message, "headers": [*message["headers"], *self.headers]}
            elif not message.get("more_body", False):
                self.is_whole = True
            await send(message)

        return noted


class BrainApp:
    """Serves the brain behind a gate. `figures` are what the brain says of itself, for the metrics.

    `heard` tells of answers that were queued or have ended, so that who waits for one is told at once.
    """

    def __init__(
        self,
        gate: Gate,
        guarding: guard.Guard,
        log: Log,
        *,
        figures: Figures = dict,
        heard: Heard = nullcontext,
        metrics: Metrics | None = None,
        elapsed: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._gate = gate
        self._guard = guarding
        self._log = log
        self._figures = figures
        self._heard = heard
        self.metrics = metrics or Metrics(ROUTE_NAMES)
        self._elapsed = elapsed
        self._threads = Threads()
        self._open: Mapping[str, Callable[[Exchange, guard.Headers, Any], Awaitable[Reply]]] = {
            "/healthz": self._healthz,
            "/readyz": self._readyz,
            "/metrics": self._metrics,
            "/openapi.json": self._openapi,
        }

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["type"] == "http":
            await self._serve(scope, receive, send)

    async def _live(self, receive: Receive, send: Send) -> None:
        while (await receive())["type"] != "lifespan.shutdown":
            await send({"type": "lifespan.startup.complete"})
        self._threads.close()
        await send({"type": "lifespan.shutdown.complete"})

    async def _serve(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        exchange = Exchange(scope, request_id(), self._elapsed())
        sending = exchange.sender(send)
        try:
            await self._look_at(exchange, scope, receive, sending)
        except ClientGoneError:
            # Nobody reads it, and the server below wants to see it.
            await refused(BrainError("internal_error")).send(send)
        except BrainError as error:
            if error.code == "store_error":
                self._log.note(f"{exchange.request_id}: {error.message}")
            await self._refuse(exchange, error, sending)
        except Exception as fault:  # noqa: BLE001  # a server answers, whatever happens
            self._log.fault(exchange.request_id, fault)
            await self._refuse(exchange, BrainError("internal_error"), sending)
        finally:
            self._note(exchange)

    async def _refuse(self, exchange: Exchange, error: BrainError, send: Send) -> None:
        # A reply that has begun cannot be taken back: it is left without its end.
        if exchange.status is None:
            await refused(error).send(send)

    def _note(self, exchange: Exchange) -> None:
        seconds = self._elapsed() - exchange.started
        self.metrics.request(exchange.route, exchange.status or 0, seconds)
        self._log.request(
            exchange.request_id,
            exchange.method,
            exchange.path,
            exchange.status,
            seconds,
            exchange.key_prefix,
            cut=exchange.status is not None and not exchange.is_whole,
        )

    async def _look_at(
        self, exchange: Exchange, scope: MutableMapping[str, Any], receive: Receive, send: Send
    ) -> None:
        headers = scope["headers"]
        origin = self._guard.check(headers)
        if origin is not None:
            exchange.headers += guard.cors(origin)
        name = MCP_PATH if exchange.path in _MCP_PATHS else rest.name_of(exchange.raw_path)
        if name not in ROUTE_NAMES:
            await refused(BrainError("not_found", "There is no such route")).send(send)
            return
        exchange.route = name
        methods = self._methods(name)
        if exchange.method == "OPTIONS" and origin is not None:
            await Reply(204, b"", guard.preflight(methods)).send(send)
        elif exchange.method not in methods:
            await refused(BrainError("method_not_allowed"), methods).send(send)
        elif name in self._open:
            reply = await self._open[name](exchange, headers, scope.get("client"))
            await reply.send(send)
        else:
            await self._let_in(exchange, scope, receive, send)

    def _methods(self, name: str) -> tuple[str, ...]:
        if name in self._open:
            return READERS
        return ("POST",) if name == MCP_PATH else (rest.ROUTES[name].method,)

    async def _let_in(
        self, exchange: Exchange, scope: MutableMapping[str, Any], receive: Receive, send: Send
    ) -> None:
        secret = secret_of(scope["headers"])
        admission = await self._threads.admit(lambda: self._gate.admit(secret))
        exchange.key_prefix = admission.key_prefix
        if exchange.route == MCP_PATH:
            request = Request(scope, in_time(receive))
            report = self._reporter(exchange)
            response = await mcp_endpoint(request, admission, self._threads, report, heard=self._heard)
            await response(scope, receive, send)
            return
        call = rest.Call(
            admission,
            self._threads,
            exchange.raw_path,
            scope["query_string"],
            scope["headers"],
            receive,
        )
        reply = await rest.ROUTES[exchange.route].answer(call)
        if isinstance(reply, Stream):
            self.metrics.stream(1)
            try:
                await reply.send(self._threads, receive, send, self._reporter(exchange))
            finally:
                self.metrics.stream(-1)
        else:
            await reply.send(send)

    def _reporter(self, exchange: Exchange) -> Callable[[Exception], None]:
        return lambda fault: self._log.fault(exchange.request_id, fault)

    # What needs no key

    async def _healthz(self, exchange: Exchange, headers: guard.Headers, client: Any) -> Reply:
        return Reply(200, encoded({"status": "ok"}))

    async def _readyz(self, exchange: Exchange, headers: guard.Headers, client: Any) -> Reply:
        if await self._threads.read(self._gate.is_ready):
            return Reply(200, encoded({"status": "ready"}))
        return Reply(503, encoded({"status": "the brain cannot be used"}))

    async def _metrics(self, exchange: Exchange, headers: guard.Headers, client: Any) -> Reply:
        # How many facts there are, seen to grow, tells of facts that no external key may see.
        if not guard.is_from_here(client, headers):
            raise BrainError("forbidden", "Metrics are for programs on the machine that serves this brain")
        figures: Mapping[str, int] = {}
        with suppress(BrainError):
            figures = await self._threads.read(self._figures)
        return Reply(200, self.metrics.text(figures), [(b"content-type", TEXT_TYPE)])

    async def _openapi(self, exchange: Exchange, headers: guard.Headers, client: Any) -> Reply:
        return Reply(200, encoded(document()))


ROUTE_NAMES: Final = (*rest.ROUTES, MCP_PATH, "/healthz", "/readyz", "/metrics", "/openapi.json")
