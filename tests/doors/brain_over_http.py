"""A small honest server of the Brain API: any brain behind the documents' routes, over a real socket."""

import json
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final, NamedTuple, Self
from urllib.parse import parse_qs, unquote, urlsplit

from brainctl.contract import bounds
from brainctl.contract.brain import Brain
from brainctl.contract.errors import BrainError
from brainctl.contract.events import Event
from brainctl.contract.shapes import Problem, refusal

Gate = Callable[[str], Brain]
"""A secret in, the brain seen through it out. Raises the three 401 errors. The server closes what it is given."""

ROUTES: Final = {
    "/v1/memory/search": "POST",
    "/v1/memory/context": "POST",
    "/v1/memory/facts": "POST",
    "/v1/answers": "POST",
    "/v1/mcp": "POST",
}
ANSWER: Final = "/v1/answers/"
LAST_CHUNK: Final = b"0\r\n\r\n"
NO_SUCH_ROUTE: Final = "There is no such route"


class Exchange(NamedTuple):
    """A request as it came and the status it was answered with. Header names are lower case."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes
    status: int


class BrainOverHttp:
    """Serves on a free port of 127.0.0.1 from `__enter__` to `__exit__`, which waits for every open exchange.

    `seen` has every exchange in the order of their replies; `faults` every exception that was no `BrainError`.
    """

    def __init__(self, gate: Gate) -> None:
        self.gate = gate
        self.seen: list[Exchange] = []
        self.faults: list[BaseException] = []
        self._server = _Server(self)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)

    @property
    def address(self) -> tuple[str, int]:
        host, port = self._server.server_address[:2]
        return str(host), int(port)

    @property
    def base_url(self) -> str:
        host, port = self.address
        return f"http://{host}:{port}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.hang_up()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = False
    request_queue_size = 128

    def __init__(self, face: BrainOverHttp) -> None:
        self.face = face
        self._lock = threading.Lock()
        self._open: set[socket.socket] = set()
        super().__init__(("127.0.0.1", 0), _Handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        with self._lock:
            self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        with self._lock:
            self._open.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that has gone is no news; the handler has noted every other fault."""

    def hang_up(self) -> None:
        """End the connections that clients keep open, so that no handler waits for a request that never comes."""
        with self._lock:
            for connection in self._open:
                # The client may have closed it this moment.
                with _ignoring_the_dead():
                    connection.shutdown(socket.SHUT_RDWR)


@contextmanager
def _ignoring_the_dead() -> Iterator[None]:
    try:
        yield
    except OSError:
        return


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Head and body leave in two writes; without this the second waits for the first one's acknowledgement.
    disable_nagle_algorithm = True
    server: _Server
    allow = "POST"
    body = b""

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # the base class names it so
        """Keep standard error for the tests."""

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """What the standard library refuses by itself is refused in the API's form too."""
        self._refuse(BrainError("internal_error", message, http_status=code))

    def _serve(self) -> None:
        self.body = b""
        try:
            self._answer()
        except BrainError as error:
            self._refuse(error)
        except ConnectionError:
            self.close_connection = True
        except Exception as fault:  # noqa: BLE001  # a server answers whatever happens, and the test is told
            self.server.face.faults.append(fault)
            self._refuse(BrainError("internal_error"))

    # The base class looks a method up by this name. Anything else would be answered with a page of HTML.
    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = do_OPTIONS = _serve  # noqa: N815

    def _answer(self) -> None:
        self.body = self._read_body()
        path = urlsplit(self.path).path
        method = "GET" if path.startswith(ANSWER) and path != ANSWER else ROUTES.get(path)
        if method is None:
            raise BrainError("not_found", NO_SUCH_ROUTE)
        if self.command != method:
            self.allow = method
            raise BrainError("method_not_allowed")
        brain = self.server.face.gate(_secret_of(self.headers))
        # Closed before the last byte leaves: whoever has the reply knows that the brain has let go.
        try:
            reply = self._run(path, brain)
        finally:
            brain.close()
        if reply is None:
            self.wfile.write(LAST_CHUNK)
        else:
            self._json(*reply)

    def _run(self, path: str, brain: Brain) -> tuple[int, Any] | None:
        """Status and body of the reply; None once a stream has been sent but for its end."""
        if path.startswith(ANSWER):
            sources = _wants_sources(urlsplit(self.path).query)
            return 200, {"data": brain.answer(unquote(path.removeprefix(ANSWER)), sources=sources)}
        body = read_json(self.body)
        if path == "/v1/memory/search":
            return 200, {"data": brain.search(body)}
        if path == "/v1/memory/context":
            return 200, {"data": brain.context(body)}
        if path == "/v1/memory/facts":
            return 202, {"data": brain.teach(body)}
        if path == "/v1/mcp":
            return 200, _tool_call(brain, body)
        return self._ask(brain, body)

    def _ask(self, brain: Brain, body: Any) -> tuple[int, Any] | None:
        stream = True
        if isinstance(body, dict):
            stream = body.get("stream", True)
            if not isinstance(stream, bool):
                raise refusal([Problem("stream", "must be true or false", "type")])
            body = {name: value for name, value in body.items() if name != "stream"}
        if not stream:
            return 202, {"data": brain.enqueue(body, self.headers.get("Idempotency-Key"))}
        self._stream(brain.ask(body))
        return None

    def _stream(self, events: Iterator[Event]) -> None:
        # A refusal comes with the first event, before the stream is open.
        first = next(events)
        self._head(
            200, "text/event-stream", [("Cache-Control", "no-cache"), ("Transfer-Encoding", "chunked")]
        )
        self._chunk(sse_bytes(first))
        try:
            for event in events:
                self._chunk(sse_bytes(event))
        except BrainError as broken:
            # The head has left: a stream that ends without `done`, and without its last chunk, is a dropped one.
            raise ConnectionAbortedError from broken

    def _chunk(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%b\r\n" % (len(data), data))

    def _read_body(self) -> bytes:
        length = self.headers.get("Content-Length", "0")
        if not (length.isascii() and length.isdigit()) or "Transfer-Encoding" in self.headers:
            self.close_connection = True
            raise refusal([Problem("body", "must come with its Content-Length", "length")])
        if int(length) > bounds.BODY_BYTES_MAX:
            self.close_connection = True
            # Unread, the rest would turn the close into a reset, which may overtake the reply.
            left = int(length)
            while left and (thrown := self.rfile.read(min(left, 65536))):
                left -= len(thrown)
            raise refusal([Problem("body", f"must be at most {bounds.BODY_BYTES_MAX} bytes", "size")])
        return self.rfile.read(int(length))

    def _refuse(self, error: BrainError) -> None:
        status = error.http_status or 500
        more = []
        if status == 401:
            more.append(("WWW-Authenticate", 'Bearer realm="alfera", error="invalid_token"'))
        if status == 405:
            more.append(("Allow", self.allow))
        if status == 429:
            more.append(("Retry-After", str(bounds.RATE_WINDOW_SECONDS)))
        self._json(status, error.envelope(), more)

    def _json(self, status: int, value: Any, more: Sequence[tuple[str, str]] = ()) -> None:
        payload = json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
        self._head(status, "application/json", [*more, ("Content-Length", str(len(payload)))])
        if self.command != "HEAD":
            self.wfile.write(payload)

    def _head(self, status: int, content_type: str, more: list[tuple[str, str]]) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.face.seen.append(Exchange(self.command, self.path, headers, self.body, status))
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        for name, value in more:
            self.send_header(name, value)
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()


def sse_bytes(event: Event) -> bytes:
    """An event as it travels: its name, its data on one line, and a blank line."""
    data = json.dumps(event.data, ensure_ascii=False, separators=(",", ":"))
    return f"event: {event.event}\ndata: {data}\n\n".encode()


def read_json(body: bytes) -> Any:
    """A request body. Raises `validation_error` for what is not JSON, or is JSON that two readers may read two ways."""
    try:
        value = json.loads(
            body.decode(),
            object_pairs_hook=_no_duplicates,
            parse_constant=_no_constants,
            parse_float=_finite,
        )
    except (ValueError, RecursionError) as why:
        raise refusal([Problem("body", "must be JSON in UTF-8, with no name twice", "json")]) from why
    if _deeper_than(value, bounds.BODY_DEPTH_MAX):
        raise refusal([Problem("body", f"must be at most {bounds.BODY_DEPTH_MAX} levels deep", "depth")])
    return value


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    whole = dict(pairs)
    if len(whole) != len(pairs):
        raise ValueError("a name is there twice")
    return whole


def _no_constants(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _finite(digits: str) -> float:
    value = float(digits)
    if value in (float("inf"), float("-inf")):
        raise ValueError("a number is out of range")
    return value


def _deeper_than(value: Any, levels: int) -> bool:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return levels < 0 or any(_deeper_than(item, levels - 1) for item in inner)


def _secret_of(headers: Any) -> str:
    """The key of a request: a Bearer token, else X-Api-Key, which a proxy's own Authorization leaves alone."""
    scheme, _, token = (headers.get("Authorization") or "").strip().partition(" ")
    if scheme.lower() == "bearer":
        return str(token.strip())
    return str((headers.get("X-Api-Key") or "").strip())


def _wants_sources(query: str) -> bool:
    values = parse_qs(query, keep_blank_values=True).get("include", [])
    if values not in ([], ["sources"]):
        raise refusal([Problem("include", "must be: sources", "choice")])
    return bool(values)


def _tool_call(brain: Brain, message: Any) -> dict[str, Any]:
    """The one tool that has no route: whoami."""
    if not isinstance(message, dict):
        return {"jsonrpc": "2.0", "id": None, "error": {"code": -32600, "message": "Invalid request"}}
    answer: dict[str, Any] = {"jsonrpc": "2.0", "id": message.get("id")}
    if message.get("method") != "tools/call":
        return {**answer, "error": {"code": -32601, "message": "Method not found"}}
    params = message.get("params")
    if not isinstance(params, dict) or params.get("name") != "whoami":
        return {**answer, "error": {"code": -32602, "message": "Unknown tool"}}
    try:
        if params.get("arguments"):
            names = list(params["arguments"])
            raise refusal([Problem(name, "unknown field", "unknown") for name in names])
        result = brain.whoami()
    except BrainError as error:
        told = {"error": error.code, "message": error.message, "http_status": error.http_status or 500}
        text = json.dumps(told, ensure_ascii=False)
        return {**answer, "result": {"content": [{"type": "text", "text": text}], "isError": True}}
    text = json.dumps(result, ensure_ascii=False)
    content = [{"type": "text", "text": text}]
    return {**answer, "result": {"content": content, "structuredContent": result, "isError": False}}
