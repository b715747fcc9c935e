"""A chat endpoint of OpenAI's form over a real socket, which answers each request as it was told to."""

import gzip
import json
import threading
from collections.abc import Iterable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple, Protocol, Self

DONE = b"data: [DONE]\n\n"


class Reply(Protocol):
    def give(self, handler: "Handler") -> None: ...


def chunk(delta: dict[str, Any] | None = None, finish: str | None = None, **more: Any) -> bytes:
    """One chunk of a streamed completion as it stands on the wire."""
    choices = [] if delta is None else [{"index": 0, "delta": delta, "finish_reason": finish}]
    return b"data: " + json.dumps({"id": "x", "choices": choices, **more}).encode() + b"\n\n"


def usage(prompt: Any, completion: Any) -> bytes:
    return chunk(usage={"prompt_tokens": prompt, "completion_tokens": completion})


def tool_call(arguments: str, name: str = "search_memory", call_id: str = "call_a") -> list[bytes]:
    """A call in several chunks, its arguments cut in two."""
    middle = len(arguments) // 2
    parts: list[dict[str, Any]] = [
        {"index": 0, "id": call_id, "type": "function", "function": {"name": name, "arguments": ""}},
        {"index": 0, "function": {"arguments": arguments[:middle]}},
        {"index": 0, "function": {"arguments": arguments[middle:]}},
    ]
    return [*(chunk({"tool_calls": [part]}) for part in parts), chunk({}, "tool_calls")]


def text(*pieces: str) -> "Stream":
    """A whole reply in these pieces."""
    return Stream([*(chunk({"content": piece}) for piece in pieces), chunk({}, "stop"), usage(11, 5), DONE])


class Stream(NamedTuple):
    """A stream of these bytes; then the connection is closed, or held open and silent."""

    parts: Iterable[bytes]
    hold: bool = False

    def give(self, handler: "Handler") -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", "text/event-stream; charset=utf-8")
        handler.end_headers()
        for part in self.parts:
            handler.wfile.write(part)
            handler.wfile.flush()
        if self.hold:
            handler.server.closing.wait()


class Whole(NamedTuple):
    """A reply that is no stream."""

    status: int
    body: bytes
    content_type: str = "application/json"

    def give(self, handler: "Handler") -> None:
        handler.send_response(self.status)
        handler.send_header("Content-Type", self.content_type)
        handler.send_header("Content-Length", str(len(self.body)))
        handler.send_header("Location", "http://127.0.0.1:1/elsewhere")
        handler.end_headers()
        handler.wfile.write(self.body)


class Packed(NamedTuple):
    """A stream that is packed, although nobody wants it so."""

    def give(self, handler: "Handler") -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", "text/event-stream")
        handler.send_header("Content-Encoding", "gzip")
        handler.end_headers()
        handler.wfile.write(gzip.compress(chunk({"content": "ok"}, "stop") + DONE))


class Silence(NamedTuple):
    """Not even a head."""

    def give(self, handler: "Handler") -> None:
        handler.server.closing.wait()


class Handler(BaseHTTPRequestHandler):
    server: "_Server"

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # the base class names it so
        """Keep standard error for the tests."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.face.paths.append(self.path)
        self.server.face.keys.append(self.headers.get("Authorization"))
        self.server.face.packings.append(self.headers.get("Accept-Encoding"))
        self.server.face.bodies.append(body)
        self.close_connection = True
        try:
            self.server.face.replies.pop(0).give(self)
        except ConnectionError:
            # The client has had enough: that is what some replies are for.
            return


class _Server(ThreadingHTTPServer):
    daemon_threads = False
    request_queue_size = 128

    def __init__(self, face: "ChatServer") -> None:
        self.face = face
        self.closing = threading.Event()
        super().__init__(("127.0.0.1", 0), Handler)


class ChatServer:
    """Serves from `__enter__` to `__exit__`. `bodies` has every request in order."""

    def __init__(self) -> None:
        self.replies: list[Reply] = []
        self.bodies: list[dict[str, Any]] = []
        self.paths: list[str] = []
        self.keys: list[str | None] = []
        self.packings: list[str | None] = []
        self._server = _Server(self)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.closing.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
