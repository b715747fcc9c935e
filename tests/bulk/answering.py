"""A server that answers questions: queued, under Idempotency-Keys, and only one at a time in a conversation."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple


class Asked(NamedTuple):
    key: str
    body: dict[str, Any]


class Answering(ThreadingHTTPServer):
    """`together`: how many questions must have come before any of them is taken in. Text in a question says what
    becomes of it: `fail` fails, `slow` is never finished.
    """

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, together: int) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.asked: list[Asked] = []
        self.runs: dict[str, dict[str, Any]] = {}
        self.lost_replies = 0
        self._open: dict[str, str] = {}
        self._lock = threading.Lock()
        self._barrier = threading.Barrier(together)

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    @property
    def questions(self) -> list[str]:
        return [each.body["input"] for each in self.asked]

    def enqueue(self, key: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """The status and the reply; a status of 0 is none."""
        self._barrier.wait(60)
        conversation = body.get("conversation_id")
        with self._lock:
            self.asked.append(Asked(key, body))
            run = self.runs.get(key)
            if run is None:
                if conversation in self._open.values():
                    return 409, {"error": {"code": "conversation_busy", "message": "Busy"}}
                run = self.runs[key] = {"answer_id": f"event_{len(self.runs)}", "input": body["input"]}
                if conversation is not None:
                    self._open[run["answer_id"]] = conversation
            if "lost" in body["input"] and not self.lost_replies:
                self.lost_replies += 1
                return 0, {}
            return 202, {"data": {"answer_id": run["answer_id"], "status": "queued"}}

    def answer(self, answer_id: str) -> dict[str, Any]:
        with self._lock:
            question = next(run["input"] for run in self.runs.values() if run["answer_id"] == answer_id)
            data = {"answer_id": answer_id, "output_text": "", "conversation_id": None, "usage": None}
            if "slow" in question:
                return data | {"status": "in_progress"}
            self._open.pop(answer_id, None)
            if "fail" in question:
                return data | {"status": "failed", "error": {"code": "run_failed", "message": "It failed."}}
            return data | {"status": "completed", "output_text": f"About {question}"}


class _Handler(BaseHTTPRequestHandler):
    server: Answering

    def do_POST(self) -> None:  # the base class looks a method up by this name
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        status, reply = self.server.enqueue(self.headers["Idempotency-Key"], body)
        if status:
            self._say(status, reply)

    def do_GET(self) -> None:  # as above
        self._say(200, {"data": self.server.answer(self.path.partition("?")[0].rpartition("/")[2])})

    def _say(self, status: int, reply: dict[str, Any]) -> None:
        data = json.dumps(reply).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the base class names it so
        """Tests tell what matters."""


@contextmanager
def answering(together: int = 1) -> Iterator[Answering]:
    server = Answering(together)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
