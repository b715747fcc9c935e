"""A model that says a piece when it is told to, and somebody who listens to a stream as it comes."""

import json
import socket
from collections.abc import Iterator
from queue import SimpleQueue
from typing import Final

from tests.answers.chat_server import DONE, ChatServer, Stream, chunk, usage

DEADLINE_SECONDS: Final = 60.0
NAME: Final = "brain.example.com"
"""The name under which the brain is served."""


class Dictated:
    """A model whose next answer comes piece by piece. It is ended with the test at the latest."""

    def __init__(self, server: ChatServer) -> None:
        self.base_url = server.base_url
        self._pieces: SimpleQueue[str | None] = SimpleQueue()
        server.replies.append(Stream(self._parts()))

    def _parts(self) -> Iterator[bytes]:
        while (piece := self._pieces.get(timeout=DEADLINE_SECONDS)) is not None:
            yield chunk({"content": piece})
        yield from (chunk({}, "stop"), usage(1, 1), DONE)

    def say(self, piece: str) -> None:
        self._pieces.put(piece)

    def end(self) -> None:
        self._pieces.put(None)


class Listener:
    """A question that was asked over this connection, and what has come of its answer."""

    def __init__(self, connection: socket.socket, secret: str) -> None:
        self._connection = connection
        body = json.dumps({"input": "what?"})
        head = f"POST /v1/answers HTTP/1.1\r\nHost: {NAME}\r\nX-Api-Key: {secret}\r\nConnection: close\r\n"
        connection.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n{body}".encode())
        self.heard = b""

    def until(self, text: bytes) -> bytes:
        """Everything that has come once this text has."""
        while text not in self.heard:
            part = self._connection.recv(65536)
            assert part, self.heard
            self.heard += part
        return self.heard

    def to_the_end(self) -> bytes:
        while part := self._connection.recv(65536):
            self.heard += part
        return self.heard
