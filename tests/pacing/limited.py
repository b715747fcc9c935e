"""A server that answers every search, and refuses what is over its limit: a sliding window of accepted requests."""

import json
import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

FACTS: dict[str, Any] = {"data": {"facts": []}}


class Limited(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, requests: int, seconds: float) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.accepted: list[dict[str, Any]] = []
        self.refused = 0
        self._times: deque[float] = deque()
        self._limit = requests, seconds
        self._lock = threading.Lock()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def take(self, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """The status and the reply."""
        requests, seconds = self._limit
        with self._lock:
            now = time.monotonic()
            while self._times and self._times[0] <= now - seconds:
                self._times.popleft()
            if len(self._times) >= requests:
                self.refused += 1
                details = {"retry_after_seconds": seconds}
                return 429, {"error": {"code": "rate_limited", "message": "Too many", "details": details}}
            self._times.append(now)
            self.accepted.append(body)
            return 200, FACTS


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Limited

    def do_POST(self) -> None:  # the base class looks a method up by this name
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        status, reply = self.server.take(body)
        data = json.dumps(reply).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the base class names it so
        """Tests tell what matters."""


@contextmanager
def limited(requests: int, seconds: float) -> Iterator[Limited]:
    server = Limited(requests, seconds)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
