"""The road breaks where it is told to, and nowhere else."""

import http.client
import socket
from collections.abc import Iterator

import pytest

from brainctl.contract.brain import Brain
from brainctl.contract.errors import BrainError
from tests.doors.brain_over_http import BrainOverHttp
from tests.doors.faults import Drop, Fault, FaultyRoad, Lose, Pass, Reset, Stall, gateway, redirect

REQUEST = b"POST /v1/memory/search HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}"


@pytest.fixture
def server() -> Iterator[BrainOverHttp]:
    """Refuses every key, which is reply enough to cut."""

    def gate(secret: str) -> Brain:
        raise BrainError("api_key_invalid")

    with BrainOverHttp(gate) as server:
        yield server


def exchange(address: tuple[str, int], most: int | None = None) -> bytes:
    """All that comes back, or the first `most` bytes of it."""
    received = b""
    with socket.create_connection(address, timeout=60) as connection:
        connection.sendall(REQUEST)
        while (most is None or len(received) < most) and (data := connection.recv(65536)):
            received += data
    return received


def through(server: BrainOverHttp, *faults: Fault) -> FaultyRoad:
    return FaultyRoad(server.address, faults)


def test_without_faults_the_reply_is_the_servers(server: BrainOverHttp) -> None:
    with through(server) as road:
        reply = exchange(road.address)
    assert reply.startswith(b"HTTP/1.1 401 ")
    assert reply.endswith(b'"This API key is not valid"}}')
    assert road.requests == [REQUEST]


@pytest.mark.parametrize("after", [0, 1, 17, 100])
def test_a_drop_ends_the_reply_at_its_byte_and_the_server_has_had_the_request(
    server: BrainOverHttp, after: int
) -> None:
    with through(server, Drop(after)) as road:
        assert len(exchange(road.address)) == after
        assert exchange(road.address).startswith(b"HTTP/1.1 401 ")
    assert [exchange.status for exchange in server.seen] == [401, 401]


def test_a_reset_is_felt_as_one(server: BrainOverHttp) -> None:
    with through(server, Reset(0)) as road, pytest.raises(ConnectionResetError):
        exchange(road.address)


def test_a_lost_request_never_reaches_the_server(server: BrainOverHttp) -> None:
    with through(server, Lose()) as road, pytest.raises(ConnectionResetError):
        exchange(road.address)
    assert (len(road.requests), server.seen) == (1, [])


def test_a_stall_says_its_bytes_and_then_nothing(server: BrainOverHttp) -> None:
    with through(server, Stall(10)) as road:
        connection = socket.create_connection(road.address, timeout=60)
        with connection:
            connection.sendall(REQUEST)
            assert connection.recv(10, socket.MSG_WAITALL) == b"HTTP/1.1 4"
            connection.setblocking(False)
            with pytest.raises(BlockingIOError):
                connection.recv(1)


def test_a_road_closes_while_a_client_is_stalled(server: BrainOverHttp) -> None:
    with through(server, Stall(4)) as road:
        connection = socket.create_connection(road.address, timeout=60)
        connection.sendall(REQUEST)
        assert connection.recv(4, socket.MSG_WAITALL) == b"HTTP"
    with connection:
        assert connection.recv(1) == b""


def test_faults_come_in_their_order(server: BrainOverHttp) -> None:
    faults: list[Fault] = [Pass(), gateway(503), redirect("http://127.0.0.1:1/elsewhere", 307)]
    statuses = []
    with through(server, *faults) as road:
        for _ in range(4):
            connection = http.client.HTTPConnection(*road.address, timeout=60)
            connection.request("POST", "/v1/memory/search", b"{}")
            reply = connection.getresponse()
            statuses.append((reply.status, reply.headers["Content-Type"], reply.headers["Location"]))
            connection.close()
    assert statuses == [
        (401, "application/json", None),
        (503, "text/html", None),
        (307, "application/json", "http://127.0.0.1:1/elsewhere"),
        (401, "application/json", None),
    ]
    assert len(server.seen) == 2
