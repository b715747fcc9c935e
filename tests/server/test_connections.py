"""What a connection may send before anybody is asked for a key, how much of it, and for how long."""

import json
import re
import socket
import threading
import time
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import pytest

from brainctl.server import wire
from tests.doors.served import Served
from tests.doors.workspace import Workspace, serving

BODY = b'{"query":"deposits"}'
HEALTH = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
SHORT = 0.3


class Told(NamedTuple):
    """One reply off a socket."""

    status: int
    head: str
    body: Any


@pytest.fixture
def server(workspace: Workspace) -> Iterator[Served]:
    with serving(workspace) as server:
        yield server


def connected(server: Served) -> socket.socket:
    connection = socket.create_connection(server.address, timeout=60)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def until_closed(connection: socket.socket) -> list[Told]:
    """The replies that come until the other side closes."""
    raw = b""
    try:
        while part := connection.recv(65536):
            raw += part
    except ConnectionResetError:
        pass
    told = []
    while raw:
        head, _, rest = raw.partition(b"\r\n\r\n")
        found = re.search(rb"(?im)^content-length: (\d+)", head)
        assert found is not None, raw
        size = int(found[1])
        told.append(Told(int(head.split(b" ")[1]), head.decode(), json.loads(rest[:size])))
        raw = rest[size:]
    return told


def said(server: Served, *parts: bytes) -> list[Told]:
    """The replies to what is sent, a part after the other, each in a segment of its own; then the end is asked for."""
    with connected(server) as connection:
        for part in parts:
            connection.sendall(part)
            time.sleep(0.05)
        connection.sendall(HEALTH.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
        *replies, last = until_closed(connection)
    assert last.body == {"status": "ok"}
    return replies


def head(*fields: bytes, path: bytes = b"/v1/memory/search", host: bytes = b"localhost") -> bytes:
    return b"\r\n".join([b"POST %b HTTP/1.1" % path, b"Host: %b" % host, *fields, b"", b""])


def bearer(workspace: Workspace) -> bytes:
    return b"Authorization: Bearer " + workspace.key().encode()


def length(body: bytes) -> bytes:
    return b"Content-Length: %d" % len(body)


def chunked(*parts: bytes) -> bytes:
    return b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in parts)


def is_refusal(reply: Told, status: int, code: str = "validation_error") -> bool:
    assert reply.body["error"]["message"]
    assert re.search(r"(?m)^x-request-id: req_[0-9a-f]{16}\r?$", reply.head)
    assert "content-type: application/json" in reply.head
    assert "connection: close" in reply.head
    return (reply.status, reply.body["error"]["code"]) == (status, code)


# Another protocol

H2C = (b"Connection: Upgrade, HTTP2-Settings", b"Upgrade: h2c", b"HTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA")


@pytest.mark.parametrize("wish", [H2C, (b"Connection: Upgrade", b"Upgrade: websocket")])
@pytest.mark.parametrize("is_apart", [False, True])
def test_a_request_that_wishes_for_another_protocol_is_answered_in_this_one(
    server: Served, workspace: Workspace, wish: tuple[bytes, ...], *, is_apart: bool
) -> None:
    asked = head(*wish, bearer(workspace), length(BODY))
    [reply] = said(server, asked, BODY) if is_apart else said(server, asked + BODY)
    assert (reply.status, reply.body["data"]["facts"]) == (200, [])


@pytest.mark.parametrize("is_apart", [False, True])
def test_the_body_of_such_a_request_is_never_read_as_another_one(
    server: Served, workspace: Workspace, *, is_apart: bool
) -> None:
    asked = head(*H2C, bearer(workspace), length(HEALTH))
    [reply] = said(server, asked, HEALTH) if is_apart else said(server, asked + HEALTH)
    assert (reply.status, reply.body["error"]["code"]) == (422, "validation_error")


def test_such_a_body_may_come_in_chunks_and_other_requests_after_it(
    server: Served, workspace: Workspace
) -> None:
    asked = head(*H2C, bearer(workspace), b"Transfer-Encoding: chunked")
    wished = HEALTH.replace(b"\r\n\r\n", b"\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n")
    first, *others = said(
        server, asked + chunked(BODY[:5]), chunked(BODY[5:], b"") + wished + HEALTH + wished
    )
    assert first.status == 200
    assert [other.body for other in others] == [{"status": "ok"}] * 3


def test_such_a_request_keeps_its_version(server: Served) -> None:
    with connected(server) as connection:
        old = HEALTH.replace(b"HTTP/1.1", b"HTTP/1.0").replace(b"\r\n\r\n", b"\r\n" + b"\r\n".join(H2C))
        connection.sendall(old + b"\r\n\r\n")
        [reply] = until_closed(connection)
    assert (reply.status, reply.body) == (200, {"status": "ok"})


def test_no_way_is_opened_to_anywhere_else(server: Served) -> None:
    with connected(server) as connection:
        connection.sendall(b"CONNECT localhost:1 HTTP/1.1\r\nHost: localhost\r\n\r\n" + HEALTH)
        [reply] = until_closed(connection)
    assert is_refusal(reply, 405, "method_not_allowed")


# Trailers


def test_a_key_after_the_body_lets_nobody_in(server: Served, workspace: Workspace) -> None:
    asked = head(b"Transfer-Encoding: chunked") + chunked(BODY)
    [reply] = said(server, asked, b"0\r\n" + bearer(workspace) + b"\r\n\r\n")
    assert (reply.status, reply.body["error"]["code"]) == (401, "api_key_invalid")
    [reply] = said(server, asked + b"0\r\n" + bearer(workspace) + b"\r\n\r\n")
    assert (reply.status, reply.body["error"]["code"]) == (401, "api_key_invalid")


@pytest.mark.parametrize(
    ("host", "late", "status"), [(b"evil", b"localhost", 403), (b"localhost", b"evil", 200)]
)
def test_a_host_after_the_body_counts_for_nothing(
    server: Served, workspace: Workspace, host: bytes, late: bytes, status: int
) -> None:
    asked = head(bearer(workspace), b"Transfer-Encoding: chunked", host=host) + chunked(BODY)
    [reply] = said(server, asked + b"0\r\nHost: " + late + b"\r\n\r\n")
    assert reply.status == status


# How much


def flooded(server: Served, begin: bytes, parts: Iterable[bytes], most: int) -> tuple[int, list[Told]]:
    """How many bytes were taken of what does not end, and the replies."""
    sent = 0
    with connected(server) as connection:
        heard: list[Told] = []
        listening = threading.Thread(target=lambda: heard.extend(until_closed(connection)))
        listening.start()
        try:
            connection.sendall(begin)
            for part in parts:
                connection.sendall(part)
                sent += len(part)
                if sent > most or not listening.is_alive():
                    break
        except OSError:
            pass
        listening.join(60)
    return sent, heard


ENDLESS = {
    "a request line": (b"GET /", b"a" * 4096),
    "a field": (b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-A: ", b"a" * 4096),
    "a field's name": (b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n", b"a" * 4096),
    "fields": (b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n", b"a: b\r\n" * 700),
    "a wish": (b"GET /healthz HTTP/1.1\r\nUpgrade: x\r\nConnection: Upgrade, ", b"a" * 4096),
    "nothing": (b"", b"\r\n" * 2048),
}


@pytest.mark.parametrize(("begin", "part"), ENDLESS.values(), ids=ENDLESS)
def test_a_head_without_end_is_refused(server: Served, begin: bytes, part: bytes) -> None:
    sent, [reply] = flooded(server, begin, iter(lambda: part, b""), 200_000_000)
    assert is_refusal(reply, 431)
    assert sent < 100_000_000
    assert said(server, HEALTH)[0].status == 200


@pytest.mark.parametrize(
    "fields",
    [[b"X-A: " + b"a" * 70_000], [b"X-%d: a" % place for place in range(100)], [b"X-A: " + b"a" * 4000] * 17],
)
def test_a_head_too_large_is_refused_whole_as_it_is(server: Served, fields: list[bytes]) -> None:
    with connected(server) as connection:
        connection.sendall(head(*fields))
        [reply] = until_closed(connection)
    assert is_refusal(reply, 431)


def test_a_large_head_is_taken_in_any_pieces(server: Served, workspace: Workspace) -> None:
    whole = head(*(b"X-%d: " % place + b"a" * 600 for place in range(96)), bearer(workspace), length(BODY))
    assert [reply.status for reply in said(server, whole + BODY)] == [200]
    pieces = [whole[at : at + 5000] for at in range(0, len(whole), 5000)]
    assert [reply.status for reply in said(server, *pieces, BODY)] == [200]


def test_what_comes_after_a_body_is_bounded_too(server: Served, workspace: Workspace) -> None:
    begin = head(bearer(workspace), b"Transfer-Encoding: chunked") + chunked(BODY) + b"0\r\nX-A: "
    sent, [reply] = flooded(server, begin, iter(lambda: b"a" * 4096, b""), 200_000_000)
    assert is_refusal(reply, 431)
    assert sent < 100_000_000


def test_requests_that_wait_for_their_turn_are_bounded(server: Served) -> None:
    sent, replies = flooded(server, b"", iter(lambda: HEALTH * 2000, b""), 200_000_000)
    *answered, last = replies
    assert is_refusal(last, 400)
    assert {reply.status for reply in answered} == {200}
    assert sent < 100_000_000


# What is no HTTP


@pytest.mark.parametrize(
    "sent",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost localhost\r\n\r\n",
        head(b"Content-Length: 3", b"Content-Length: 4"),
        head(b"Content-Length: 3", b"Transfer-Encoding: chunked"),
        head(b"Content-Length: -1"),
        "GET /ä HTTP/1.1\r\nHost: localhost\r\n\r\n".encode(),
        b"GET http://[ HTTP/1.1\r\nHost: localhost\r\n\r\n",
    ],
)
def test_what_cannot_be_read_is_refused_in_the_envelope(server: Served, sent: bytes) -> None:
    with connected(server) as connection:
        connection.sendall(sent)
        [reply] = until_closed(connection)
    assert is_refusal(reply, 400)
    found = re.search(r"x-request-id: (\S+)", reply.head)
    assert found is not None
    assert found[1] in server.log


def test_replies_stay_in_turn_where_a_later_request_cannot_be_read(
    server: Served, workspace: Workspace
) -> None:
    good = head(bearer(workspace), length(BODY)) + BODY
    with connected(server) as connection:
        connection.sendall(good + HEALTH + b"nonsense\r\n\r\n" + HEALTH)
        first, second, last = until_closed(connection)
    assert (first.status, second.status) == (200, 200)
    assert is_refusal(last, 400)


@pytest.mark.parametrize("before", [b"", HEALTH])
def test_a_body_that_cannot_be_read_has_one_reply(
    server: Served, workspace: Workspace, before: bytes
) -> None:
    with connected(server) as connection:
        connection.sendall(before + head(bearer(workspace), b"Transfer-Encoding: chunked") + b"nonsense\r\n")
        *_, last = replies = until_closed(connection)
    assert len(replies) == (2 if before else 1)
    assert is_refusal(last, 400)


# How long


@pytest.fixture
def hurried(server: Served, monkeypatch: pytest.MonkeyPatch) -> Served:
    monkeypatch.setattr(wire, "HEAD_SECONDS", SHORT)
    return server


def test_a_connection_that_says_nothing_is_closed(hurried: Served) -> None:
    with connected(hurried) as connection:
        assert until_closed(connection) == []


@pytest.mark.parametrize("before", [b"", HEALTH])
@pytest.mark.parametrize("begun", [b"POST /v1/memory/search HTTP/1.1\r\nHost: loc", b"\r\n"])
def test_half_a_head_is_told_so_and_closed(hurried: Served, before: bytes, begun: bytes) -> None:
    with connected(hurried) as connection:
        connection.sendall(before)
        time.sleep(0.05)
        connection.sendall(begun)
        *_, last = until_closed(connection)
    assert is_refusal(last, 408)


def test_a_head_that_drips_is_cut_all_the_same(hurried: Served) -> None:
    with connected(hurried) as connection:
        connection.sendall(b"GET /")
        connection.settimeout(0.02)
        deadline = time.monotonic() + 60
        reply = b""
        try:
            while time.monotonic() < deadline:
                connection.sendall(b"a")
                try:
                    reply += connection.recv(65536)
                except TimeoutError:
                    continue
                if not reply or reply.endswith(b"}"):
                    break
        except OSError:
            pass
    assert reply.startswith(b"HTTP/1.1 408 ")


def test_the_rest_of_a_body_that_was_answered_already_is_not_waited_for(hurried: Served) -> None:
    with connected(hurried) as connection:
        connection.sendall(head(b"Content-Length: 1000") + b"{")
        [reply] = until_closed(connection)
    assert reply.status == 401


def test_a_connection_is_closed_in_time_though_a_body_came_late(
    server: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server.config, "timeout_keep_alive", SHORT)
    with connected(server) as connection:
        connection.sendall(head(length(BODY)))
        assert connection.recv(65536).startswith(b"HTTP/1.1 401 ")
        connection.sendall(BODY)
        assert until_closed(connection) == []


def test_a_connection_that_is_at_rest_between_requests_is_kept(hurried: Served) -> None:
    with connected(hurried) as connection:
        for _ in range(2):
            connection.sendall(HEALTH)
            assert connection.recv(65536).startswith(b"HTTP/1.1 200 ")
            time.sleep(2 * SHORT)


def test_a_reply_that_nobody_reads_is_not_kept_for_ever(hurried: Served) -> None:
    asked = b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n" * 50
    deadline = time.monotonic() + 60
    with connected(hurried) as connection:
        connection.settimeout(0.5)
        while True:
            assert time.monotonic() < deadline
            try:
                connection.sendall(asked)
            except TimeoutError:
                continue
            except OSError:
                break


# How many


def test_connections_beyond_the_room_are_told_so_at_once(
    server: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    with connected(server) as kept:
        kept.sendall(HEALTH)
        assert kept.recv(65536).startswith(b"HTTP/1.1 200 ")
        monkeypatch.setattr(wire, "connections_most", lambda: 1)
        with connected(server) as refused:
            [reply] = until_closed(refused)
        assert is_refusal(reply, 503, "internal_error")
        kept.sendall(HEALTH)
        assert kept.recv(65536).startswith(b"HTTP/1.1 200 ")
