"""A server that says, byte for byte, what a test wants said, and the brains that talk to it."""

from __future__ import annotations

import json
import socket
import socketserver
import ssl
import struct
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from brainctl.client.http_brain import HttpBrain

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

TLS_HELLO = b"\x16"
"""How a client begins that wants to speak in secret."""

SECRET = "ak_live_x7f4Qm2Zr9TtLw0VbN8cKd"


class Seen(NamedTuple):
    """A request as the server saw it. Header names are in lower case."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


class Step(NamedTuple):
    """What to answer one request with: pieces sent one by one, then `close`, `reset` or `stall`."""

    pieces: list[bytes]
    ending: str = "close"
    repeat: bytes = b""
    """Sent again and again at the end, until the client leaves."""


class Server:
    """Answers each request with the next step of its script, and closes the connection."""

    def __init__(self, context: ssl.SSLContext | None = None) -> None:
        self.requests: list[Seen] = []
        self._script: list[Step] = []
        self._over = threading.Event()
        outer = self

        class Handler(socketserver.BaseRequestHandler):
            def handle(self) -> None:
                outer.answer(self.request)

        class Listener(socketserver.ThreadingTCPServer):
            daemon_threads = True
            block_on_close = True

            def get_request(self) -> tuple[Any, Any]:
                connection, peer = super().get_request()
                if context is None:
                    return connection, peer
                return context.wrap_socket(connection, server_side=True, do_handshake_on_connect=False), peer

            request_queue_size = 64

            def shutdown_request(self, request: Any) -> None:
                self.close_request(request)

        self._listener = Listener(("127.0.0.1", 0), Handler)
        self.port: int = self._listener.server_address[1]
        self.url = f"{'https' if context else 'http'}://127.0.0.1:{self.port}"
        self._thread = threading.Thread(
            target=self._listener.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
        )
        self._thread.start()

    def then(self, *steps: Step) -> Server:
        self._script.extend(steps)
        return self

    def reply(
        self,
        status: int,
        body: Any = None,
        *,
        headers: Mapping[str, str] | None = None,
        kind: str = "application/json",
        ending: str = "close",
    ) -> Step:
        """A whole reply; a body that is not bytes is sent as JSON."""
        raw = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        head = [f"HTTP/1.1 {status} Said", f"Content-Length: {len(raw)}", "Connection: close"]
        if kind:
            head.append(f"Content-Type: {kind}")
        head += [f"{name}: {value}" for name, value in (headers or {}).items()]
        return Step(["\r\n".join([*head, "", ""]).encode("latin-1") + raw], ending)

    def data(self, data: Any, status: int = 200) -> Step:
        return self.reply(status, {"data": data})

    def error(self, status: int, code: str, message: str = "No.", details: Any = None) -> Step:
        inner = {"code": code, "message": message} | ({} if details is None else {"details": details})
        return self.reply(status, {"error": inner})

    def stream(
        self,
        *pieces: bytes,
        kind: str = "text/event-stream",
        ending: str = "close",
        chunked: bool = False,
        repeat: bytes = b"",
    ) -> Step:
        """A stream that ends with the connection, or with its last chunk."""
        lines = ["HTTP/1.1 200 OK", "Connection: close", *([f"Content-Type: {kind}"] if kind else [])]
        lines += ["Transfer-Encoding: chunked"] if chunked else []
        head = "\r\n".join([*lines, "", ""]).encode()
        body = list(pieces)
        if chunked:
            body = [b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces] + [b"0\r\n\r\n"]
        return Step([head, *body], ending, repeat)

    def forget(self) -> None:
        """Drops what is left of the script."""
        self._script.clear()

    def answer(self, connection: socket.socket) -> None:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        seen = _read_request(connection)
        if seen is None:
            return
        self.requests.append(seen)
        step = self._script.pop(0) if self._script else self.error(418, "no_more_script")
        try:
            for piece in step.pieces:
                connection.sendall(piece)
            while step.repeat and not self._over.wait(0.01):
                connection.sendall(step.repeat)
        except OSError:
            return
        if step.ending == "stall":
            self._over.wait(60)
        if step.ending == "reset":
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.close()

    def close(self) -> None:
        self._over.set()
        self._listener.shutdown()
        self._listener.server_close()
        self._thread.join()


def _read_request(connection: socket.socket) -> Seen | None:
    got = b""
    while b"\r\n\r\n" not in got:
        try:
            piece = connection.recv(65536)
        except OSError:
            return None
        if not piece:
            return None
        got += piece
        if got.startswith(TLS_HELLO):
            connection.sendall(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")
            return None
    head, _, body = got.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    while len(body) < int(headers.get("content-length", "0")):
        body += connection.recv(65536)
    method, path, _ = first.split(" ")
    return Seen(method, path, headers, body)


class Desk:
    """Makes brains of one key, and keeps what they said and how long they would have slept."""

    def __init__(self) -> None:
        self.secret = SECRET
        self.slept: list[float] = []
        self.said: list[str] = []
        self.traced: list[str] = []
        self._brains: list[HttpBrain] = []

    def brain(self, url: str, **options: Any) -> HttpBrain:
        settings: dict[str, Any] = {
            "sleep": self.slept.append,
            "jitter": lambda: 0.0,
            "notify": self.said.append,
            "trace": self.traced.append,
            "environ": {},
            "timeout": 60.0,
        }
        brain = HttpBrain(url, **{"secret": self.secret, **settings, **options})
        self._brains.append(brain)
        return brain

    def close(self) -> None:
        for brain in self._brains:
            brain.close()


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    yield made
    made.close()


@pytest.fixture
def certificate() -> Path:
    """A certificate for 127.0.0.1 that nobody signed, and its key, made for these tests alone."""
    return Path(__file__).with_name("loopback.pem")


@pytest.fixture
def secure_server(certificate: Path) -> Iterator[Server]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    made = Server(context)
    yield made
    made.close()


@pytest.fixture
def other_server() -> Iterator[Server]:
    made = Server()
    yield made
    made.close()


@pytest.fixture
def desk() -> Iterator[Desk]:
    made = Desk()
    yield made
    made.close()
