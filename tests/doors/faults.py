"""A road to a server that breaks where it is told to: one fault a request, in the order they are given.

Every connection carries one request. What is not broken passes through unchanged.
"""

import os
import select
import socket
import struct
import threading
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple, Protocol, Self

HEAD_END: Final = b"\r\n\r\n"


class Road(Protocol):
    """What a fault may do with the request at hand."""

    def forward(self, request: bytes, most: int | None = None) -> None:
        """Give the request to the server and the client its reply, or no more than the first bytes of it."""

    def say(self, data: bytes) -> None:
        """Answer the client in the server's place."""

    def wait(self) -> None:
        """Hold the connection open and silent until the client leaves or the road is closed."""

    def reset(self) -> None:
        """End the connection by RST instead of FIN."""


class Fault(Protocol):
    def meet(self, request: bytes, road: Road) -> None: ...


class Pass(NamedTuple):
    """No fault."""

    def meet(self, request: bytes, road: Road) -> None:
        road.forward(request)


class Drop(NamedTuple):
    """The reply ends after `after` bytes of it, head included. The server has had the request."""

    after: int

    def meet(self, request: bytes, road: Road) -> None:
        road.forward(request, self.after)


class Reset(NamedTuple):
    """As `Drop`, by a reset of the connection."""

    after: int

    def meet(self, request: bytes, road: Road) -> None:
        road.forward(request, self.after)
        road.reset()


class Lose(NamedTuple):
    """The request never reaches the server: the connection is reset once it has been read."""

    def meet(self, request: bytes, road: Road) -> None:
        road.reset()


class Stall(NamedTuple):
    """The reply stops after `after` bytes and the connection stays open."""

    after: int

    def meet(self, request: bytes, road: Road) -> None:
        road.forward(request, self.after)
        road.wait()


class Reply(NamedTuple):
    """An answer that is not the server's, which never sees the request."""

    status: int
    body: bytes = b""
    content_type: str = "application/json"
    headers: Mapping[str, str] = {}

    def meet(self, request: bytes, road: Road) -> None:
        head = [
            f"HTTP/1.1 {self.status} Made Up",
            f"Content-Type: {self.content_type}",
            f"Content-Length: {len(self.body)}",
            "Connection: close",
            *(f"{name}: {value}" for name, value in self.headers.items()),
        ]
        road.say("\r\n".join(head).encode() + HEAD_END + self.body)


def gateway(status: int = 502) -> Reply:
    """What a proxy says for a server that is down: a page."""
    page = f"<html><head><title>{status} Bad Gateway</title></head><body>nginx</body></html>"
    return Reply(status, page.encode(), "text/html")


def redirect(location: str, status: int = 302) -> Reply:
    return Reply(status, headers={"Location": location})


class FaultyRoad:
    """Listens on a free port of 127.0.0.1 from `__enter__` to `__exit__` and forwards to `upstream`.

    `faults` are met in order, then everything passes. `requests` has every request as it came, head and body.
    """

    def __init__(self, upstream: tuple[str, int] | None, faults: Iterable[Fault] = ()) -> None:
        self.requests: list[bytes] = []
        self._upstream = upstream
        self._faults = iter(faults)
        self._lock = threading.Lock()
        self._threads: list[threading.Thread] = []
        self._closing, self._close = socket.socketpair()
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self._doorkeeper = threading.Thread(target=self._listen, daemon=True)

    @property
    def address(self) -> tuple[str, int]:
        host, port = self._listener.getsockname()[:2]
        return str(host), int(port)

    @property
    def base_url(self) -> str:
        host, port = self.address
        return f"http://{host}:{port}"

    def __enter__(self) -> Self:
        self._doorkeeper.start()
        return self

    def __exit__(self, *_: object) -> None:
        # One byte nobody reads wakes every thread that waits, and each that will.
        self._close.send(b"x")
        self._doorkeeper.join()
        for thread in self._threads:
            thread.join()
        for end in (self._listener, self._closing, self._close):
            end.close()

    def _listen(self) -> None:
        while True:
            ready, _, _ = select.select([self._listener, self._closing], [], [])
            if self._closing in ready:
                return
            client, _ = self._listener.accept()
            thread = threading.Thread(target=self._walk, args=(client,), daemon=True)
            self._threads.append(thread)
            thread.start()

    def _walk(self, client: socket.socket) -> None:
        with client:
            try:
                request = self._read_request(client)
                if request is None:
                    return
                with self._lock:
                    self.requests.append(request)
                    fault = next(self._faults, Pass())
                fault.meet(request, _OneConnection(client, self._upstream, self._closing))
            except OSError:
                # One of the two sides has gone: that is what roads here are for.
                return

    def _read_request(self, client: socket.socket) -> bytes | None:
        """Head and body by Content-Length; None for a client that leaves, or is still silent when the road closes."""
        request = b""
        missing = 1
        while missing > 0:
            ready, _, _ = select.select([client, self._closing], [], [])
            data = b"" if self._closing in ready else client.recv(65536)
            if not data:
                return None
            request += data
            head, end, body = request.partition(HEAD_END)
            missing = _content_length(head) - len(body) if end else 1
        return request


class _OneConnection:
    def __init__(
        self, client: socket.socket, upstream: tuple[str, int] | None, closing: socket.socket
    ) -> None:
        self._client = client
        self._upstream = upstream
        self._closing = closing

    def forward(self, request: bytes, most: int | None = None) -> None:
        assert self._upstream is not None, "there is no server at the end of this road"
        head, _, body = request.partition(HEAD_END)
        # The server's own close then tells where the reply ends, whatever its framing.
        lines = [line for line in head.split(b"\r\n") if not line.lower().startswith(b"connection:")]
        left = most
        with socket.create_connection(self._upstream) as server:
            server.sendall(b"\r\n".join([*lines, b"Connection: close"]) + HEAD_END + body)
            # Even a reply cut at its first byte is waited for: the server has done the work.
            while self._readable(server) and (data := server.recv(65536)):
                self._client.sendall(data if left is None else data[:left])
                if left is not None:
                    left = max(0, left - len(data))
                    if not left:
                        return

    def say(self, data: bytes) -> None:
        self._client.sendall(data)

    def wait(self) -> None:
        while self._readable(self._client) and self._client.recv(65536):
            continue

    def reset(self) -> None:
        # Linger of no time: the close that follows sends RST.
        self._client.setsockopt(
            socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("hh" if os.name == "nt" else "ii", 1, 0)
        )

    def _readable(self, end: socket.socket) -> bool:
        """True once there is something to read; False when the road closes first."""
        ready, _, _ = select.select([end, self._closing], [], [])
        return self._closing not in ready


def _content_length(head: bytes) -> int:
    for line in head.split(b"\r\n")[1:]:
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length":
            return int(value)
    return 0
