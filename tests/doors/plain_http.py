"""One request and its reply with no client's help, for what a client of ours would not send or would mend."""

import http.client
import json
from collections.abc import Mapping
from email.message import Message
from typing import Any, NamedTuple


class Reply(NamedTuple):
    status: int
    headers: Message
    body: bytes

    def json(self) -> Any:
        assert self.headers["Content-Type"] == "application/json"
        return json.loads(self.body)

    def code(self) -> Any:
        return self.json()["error"]["code"]


def send(
    address: tuple[str, int], method: str, path: str, body: bytes, headers: Mapping[str, str] | None = None
) -> Reply:
    """Raises `http.client.IncompleteRead` for a reply that breaks off."""
    connection = http.client.HTTPConnection(*address, timeout=60)
    try:
        connection.request(method, path, body, dict(headers or {}))
        return read(connection)
    finally:
        connection.close()


def read(connection: http.client.HTTPConnection) -> Reply:
    raw = connection.getresponse()
    return Reply(raw.status, raw.headers, raw.read())
