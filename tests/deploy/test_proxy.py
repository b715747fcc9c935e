"""nginx with the settings that the repository ships, before two processes that serve one brain."""

import http.client
import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from brainctl.contract.bounds import BODY_BYTES_MAX, RATE_REQUESTS, SCOPES
from tests.cli.shell import posix
from tests.deploy.conftest import Running
from tests.deploy.proxy import NGINX, OPENSSL, Proxy, proxied
from tests.deploy.streams import NAME, Dictated, Listener
from tests.doors.plain_http import Reply, read
from tests.server.process import DEPOSITS, Process

pytestmark = [
    posix,
    pytest.mark.skipif(NGINX is None, reason="nginx is not installed here (Debian: nginx-light)"),
    pytest.mark.skipif(OPENSSL is None, reason="openssl is not installed here, which makes the certificate"),
]
SEARCH = {"query": "deposits"}


class House:
    """A proxy, and the servers behind it."""

    def __init__(self, proxy: Proxy, servers: list[Process]) -> None:
        self.proxy = proxy
        self.servers = servers
        self.owner = servers[0].owner

    def key(self, name: str = "bot") -> str:
        return self.owner.create_key(name, "internal", SCOPES).secret

    def connect(self) -> http.client.HTTPSConnection:
        return http.client.HTTPSConnection("127.0.0.1", self.proxy.port, timeout=60, context=self.proxy.trust)

    def post(self, path: str, secret: str, body: Any, **headers: str) -> Reply:
        return self.send("POST", path, json.dumps(body).encode(), {"X-Api-Key": secret, **headers})

    def send(self, method: str, path: str, body: bytes = b"", headers: dict[str, str] | None = None) -> Reply:
        with closing(self.connect()) as connection:
            connection.request(method, path, body, {"Host": NAME, **(headers or {})})
            return read(connection)


@pytest.fixture
def house(running: Running, tmp_path: Path) -> Iterator[House]:
    servers = [running("--allow-host", NAME) for _ in range(2)]
    folder = tmp_path / "nginx"
    folder.mkdir()
    with proxied(folder, servers) as proxy:
        yield House(proxy, servers)


def test_an_answer_comes_piece_by_piece(house: House, dictated: Dictated) -> None:
    """Each piece is said only once the one before it was heard."""
    house.owner.set_worker("main", model="dictated", base_url=dictated.base_url)
    with house.proxy.connect() as connection:
        listener = Listener(connection, house.key())
        for piece in ("One. ", "Two. ", "Three. "):
            dictated.say(piece)
            assert b"event: done" not in listener.until(piece.encode())
        dictated.end()
        assert b"event: answer.completed" in listener.to_the_end()


def test_the_servers_take_turns_and_one_that_is_stopped_is_left_out(house: House) -> None:
    secret = house.key()
    for _ in range(10):
        assert house.post("/v1/memory/search", secret, SEARCH).status == 200
    assert all(len(server.lines) >= 2 for server in house.servers)
    house.servers[0].popen.terminate()
    assert house.servers[0].wait() == 0
    for _ in range(10):
        assert house.post("/v1/memory/search", secret, SEARCH).status == 200


def test_both_count_one_window_and_what_is_over_it_is_told_in_the_brains_words(house: House) -> None:
    secret = house.key()
    headers = {"Host": NAME, "X-Api-Key": secret}
    replies = []
    with closing(house.connect()) as connection:
        for _ in range(RATE_REQUESTS + 1):
            connection.request("POST", "/v1/memory/search", json.dumps(SEARCH), headers)
            replies.append(read(connection))
    assert [reply.status for reply in replies] == [200] * RATE_REQUESTS + [429]
    assert replies[-1].code() == "rate_limited"
    assert int(replies[-1].headers["Retry-After"]) > 0
    assert replies[-1].headers["X-Request-Id"].startswith("req_")


def test_a_body_over_the_bound_is_refused_by_the_brain_and_a_huge_one_by_the_proxy(house: House) -> None:
    secret = house.key()
    for size, status in ((BODY_BYTES_MAX - 20, 422), (BODY_BYTES_MAX + 1, 422), (3 * BODY_BYTES_MAX, 422)):
        reply = house.post("/v1/memory/search", secret, {"query": "x" * size})
        assert (reply.status, reply.code()) == (status, "validation_error")
    assert house.post("/v1/memory/search", secret, {"query": "x" * (4 * BODY_BYTES_MAX)}).status == 413


def test_it_is_served_under_its_names_alone(house: House) -> None:
    for host, status in ((NAME, 200), (f"{NAME}:8443", 200), ("127.0.0.1", 200), ("evil.example", 403)):
        reply = house.send("GET", "/readyz", headers={"Host": host})
        assert reply.status == status, host
    for origin, status in ((f"https://{NAME}", 200), ("https://evil.example", 403)):
        assert house.send("GET", "/readyz", headers={"Origin": origin}).status == status


def test_metrics_stay_on_the_machine_of_the_brain(house: House) -> None:
    assert house.servers[0].get("/metrics").status == 200
    for path in ("/metrics", "/%6detrics", "//metrics", "/metrics?x", "/x/../metrics"):
        assert house.send("GET", path).status in {403, 404}, path


def test_an_agent_has_its_tools_through_it(house: House) -> None:
    secret = house.key()
    accepted = {"Accept": "application/json, text/event-stream"}
    client = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "x", "version": "1"},
    }
    replies = [
        house.post(
            "/v1/mcp",
            secret,
            {"jsonrpc": "2.0", "id": number, "method": method, "params": params},
            **accepted,
        )
        for number, (method, params) in enumerate(
            [
                ("initialize", client),
                ("tools/list", {}),
                ("tools/call", {"name": "search_memory", "arguments": SEARCH}),
                ("tools/call", {"name": "ask_worker", "arguments": {"input": "What about deposits?"}}),
            ]
        )
    ]
    assert [reply.status for reply in replies] == [200] * 4
    assert b"search_memory" in replies[1].body
    assert all(DEPOSITS.encode() in reply.body for reply in replies[2:])
    assert house.send("GET", "/v1/mcp", headers={"X-Api-Key": secret}).status == 405


def test_the_shell_asks_through_it(house: House) -> None:
    there = house.servers[0].shell.with_(
        ALFERA_API_KEY=house.key(),
        BRAINCTL_BASE_URL=house.proxy.base_url,
        SSL_CERT_FILE=str(house.proxy.certificate),
    )
    asked = there.run("ask", "What about deposits?")
    assert asked.code == 0, asked.err
    assert DEPOSITS.rstrip(".") in asked.out
