"""Pages in somebody's browser may not use a served brain, whatever they make that browser send."""

from typing import Any

import pytest

from brainctl.contract.errors import BrainError
from brainctl.server.guard import Guard, is_from_here
from tests.doors.plain_http import Reply, send
from tests.doors.served import Served

HERE = Guard("127.0.0.1")


def check(guard: Guard, host: str | None = "localhost:8787", origin: str | None = None) -> str | None:
    headers = [(b"host", host.encode())] if host is not None else []
    if origin is not None:
        headers.append((b"origin", origin.encode()))
    return guard.check(headers)


def refused(guard: Guard, host: str | None = "localhost:8787", origin: str | None = None) -> bool:
    try:
        check(guard, host, origin)
    except BrainError as error:
        return error.code == "forbidden"
    return False


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:8787", "127.0.0.1:8787", "[::1]:8787", "[::1]"])
def test_this_machine_goes_by_these_names(host: str) -> None:
    assert check(HERE, host) is None


@pytest.mark.parametrize(
    "host",
    [
        None,
        "",
        "evil.example",
        "evil.example:8787",
        "localhost.evil.example",
        "localhost:8787.evil.example",
        "localhost@evil.example",
        "evil.example/localhost",
        "127.0.0.1.nip.io:8787",
        "192.168.1.5:8787",
        "[::2]:8787",
        "localhost:",
        "localhost:x",
    ],
)
def test_another_host_is_forbidden(host: str | None) -> None:
    assert refused(HERE, host)


def test_two_hosts_are_forbidden_even_where_one_is_right() -> None:
    with pytest.raises(BrainError, match="forbidden"):
        HERE.check([(b"host", b"localhost"), (b"host", b"evil.example")])


def test_further_hosts_are_those_that_were_named() -> None:
    guard = Guard("127.0.0.1", ["Brain.Example", "other.example:8443"])
    assert check(guard, "brain.example:9999") is None
    assert check(guard, "other.example:8443") is None
    assert refused(guard, "other.example:8444")
    assert refused(guard, "third.example")


def test_bound_to_all_addresses_any_address_will_do_and_no_further_name() -> None:
    for guard in (Guard("0.0.0.0"), Guard("::")):
        assert check(guard, "192.168.1.5:8787") is None
        assert check(guard, "[fe80::1]:8787") is None
        assert refused(guard, "evil.example:8787")
    assert check(Guard("192.168.1.5"), "192.168.1.5:8787") is None
    assert check(Guard("fe80::1"), "[fe80::1]:8787") is None


@pytest.mark.parametrize(
    "origin",
    [
        "https://evil.example",
        "null",
        "",
        "http://localhost:3000",
        "http://127.0.0.1:8787",
        "http://localhost:8787.evil.example",
        "http://localhost:8787/",
    ],
)
def test_another_origin_is_forbidden(origin: str) -> None:
    assert refused(HERE, "localhost:8787", origin)


def test_no_origin_and_the_brains_own_are_allowed() -> None:
    assert check(HERE) is None
    assert check(HERE, "localhost:8787", "http://localhost:8787") is None
    assert check(HERE, "localhost:8787", "https://LOCALHOST:8787") is None


def test_an_origin_that_was_named_is_told_back() -> None:
    guard = Guard("127.0.0.1", origins=["https://App.example/"])
    assert check(guard, origin="https://app.example") == "https://app.example"
    assert refused(guard, origin="https://other.example")
    assert refused(guard, "evil.example", "https://app.example")


@pytest.mark.parametrize(
    ("client", "headers", "here"),
    [
        (("127.0.0.1", 5), [], True),
        (("127.9.9.9", 5), [], True),
        (("::1", 5), [], True),
        (("192.168.1.5", 5), [], False),
        (("127.0.0.1", 5), [(b"x-forwarded-for", b"127.0.0.1")], False),
        (("127.0.0.1", 5), [(b"forwarded", b"for=127.0.0.1")], False),
        (None, [], False),
    ],
)
def test_who_is_on_this_machine(client: Any, headers: Any, here: bool) -> None:
    assert is_from_here(client, headers) is here


class NoGate:
    """Nobody gets as far as this."""

    def admit(self, secret: str) -> Any:
        raise BrainError("api_key_invalid")

    def is_ready(self) -> bool:
        return False


@pytest.mark.parametrize(
    "path",
    ["/v1/memory/search", "/v1/answers/run_x", "/v1/mcp", "/healthz", "/metrics", "/openapi.json", "/x"],
)
@pytest.mark.parametrize("method", ["GET", "POST", "OPTIONS", "DELETE"])
def test_every_route_and_method_is_guarded(path: str, method: str) -> None:
    with Served(NoGate()) as server:
        for headers in ({"Origin": "https://evil.example"}, {"Origin": "null"}, {"Host": "evil.example"}):
            reply = send(server.address, method, path, b"", headers)
            assert (reply.status, reply.code()) == (403, "forbidden")
            assert not [name for name in reply.headers if name.lower().startswith("access-control")]


def cross(server: Served, method: str, path: str, **headers: str) -> Reply:
    return send(server.address, method, path, b"", {"Origin": "https://app.example", **headers})


def test_a_page_that_was_named_may_ask_first_and_read_the_reply() -> None:
    with Served(NoGate(), guard=Guard("127.0.0.1", origins=["https://app.example"])) as server:
        asked = cross(server, "OPTIONS", "/v1/answers")
        assert (asked.status, asked.body) == (204, b"")
        assert asked.headers["Access-Control-Allow-Origin"] == "https://app.example"
        assert asked.headers["Access-Control-Allow-Methods"] == "POST"
        assert "Authorization" in asked.headers["Access-Control-Allow-Headers"]
        refused = cross(server, "POST", "/v1/answers")
        assert (refused.status, refused.code()) == (401, "api_key_invalid")
        assert refused.headers["Access-Control-Allow-Origin"] == "https://app.example"
        assert refused.headers["Vary"] == "Origin"
        plain = send(server.address, "OPTIONS", "/v1/answers", b"")
        assert (plain.status, plain.headers["Allow"]) == (405, "POST")


def test_metrics_are_not_for_those_who_come_through_a_proxy() -> None:
    with Served(NoGate()) as server:
        assert send(server.address, "GET", "/metrics", b"").status == 200
        reply = send(server.address, "GET", "/metrics", b"", {"X-Forwarded-For": "10.0.0.1"})
        assert (reply.status, reply.code()) == (403, "forbidden")
