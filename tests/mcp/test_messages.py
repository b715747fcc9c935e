"""What is said on the wire: versions, envelopes, batches, credentials."""

import json
import urllib.request
from typing import Any
from urllib.error import HTTPError

import pytest

from tests.mcp.conftest import House, request

UNSUPPORTED = "Unsupported MCP-Protocol-Version 2026-07-28; supported: 2025-06-18, 2025-03-26, 2024-11-05"


def test_whoami_answers_a_bare_post(wire: House) -> None:
    body = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"whoami","arguments":{}}}'
    reply = wire.post(body, Content_Type="application/json", Accept="*/*")
    assert reply.status == 200
    assert reply.headers["content-type"] == "application/json"
    said = reply.json["result"]["structuredContent"]
    assert said.pop("key_name").startswith("key ")
    assert said == {
        "key_prefix": wire.key[:12],
        "scopes": ["memory.read", "memory.write", "answers.write"],
        "key_audience": "internal",
        "rate_limit": {"requests_per_window": 120, "window_seconds": 60},
    }


@pytest.mark.parametrize("path", ["/v1/mcp", "/v1/mcp/"])
def test_the_route_is_served_with_and_without_a_slash(wire: House, path: str) -> None:
    assert wire.post(request(1, "ping"), path=path).json == {"jsonrpc": "2.0", "id": 1, "result": {}}


@pytest.mark.parametrize(
    ("asked", "spoken"),
    [
        ("2025-06-18", "2025-06-18"),
        ("2025-03-26", "2025-03-26"),
        ("2024-11-05", "2024-11-05"),
        ("2025-11-25", "2025-06-18"),
        ("2026-07-28", "2025-06-18"),
        (None, "2025-06-18"),
        (5, "2025-06-18"),
    ],
)
def test_initialize_agrees_on_a_version_and_opens_no_session(wire: House, asked: Any, spoken: str) -> None:
    params = {"protocolVersion": asked, "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
    # Whoever initializes may name any version in the header.
    reply = wire.post(request("a", "initialize", params), MCP_Protocol_Version="2026-07-28")
    assert reply.status == 200
    result = reply.json["result"]
    assert result["protocolVersion"] == spoken
    assert result["capabilities"] == {"tools": {}}
    assert set(result["serverInfo"]) == {"name", "version"}
    assert "idempotency_key" in result["instructions"]
    assert "mcp-session-id" not in reply.headers


def test_the_probe_of_a_newer_version_is_refused_so_that_its_client_falls_back(wire: House) -> None:
    reply = wire.post(request(1, "server/discover", {}), MCP_Protocol_Version="2026-07-28")
    assert reply.status == 400
    assert reply.json == {"jsonrpc": "2.0", "id": 1, "error": {"code": -32600, "message": UNSUPPORTED}}


@pytest.mark.parametrize("version", ["2025-06-18", "2025-03-26", "2024-11-05", None])
def test_every_spoken_version_may_be_named(wire: House, version: str | None) -> None:
    headers = {"MCP_Protocol_Version": version} if version else {}
    assert wire.post(request(1, "ping"), **headers).status == 200


@pytest.mark.parametrize(
    "method", ["resources/list", "prompts/list", "server/discover", "logging/setLevel", ""]
)
def test_an_unknown_method_is_a_json_rpc_error(wire: House, method: str) -> None:
    reply = wire.post(request(3, method))
    assert reply.status == 200
    assert (reply.json["id"], reply.json["error"]["code"]) == (3, -32601)


@pytest.mark.parametrize(
    "message",
    [
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}},
        {"jsonrpc": "2.0", "method": "notifications/nobody/knows"},
        {"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "whoami"}},
        {"jsonrpc": "2.0", "id": 4, "result": {}},
        {"jsonrpc": "2.0", "id": 4, "error": {"code": 1, "message": "x"}},
    ],
)
def test_what_wants_no_reply_is_accepted_without_one(wire: House, message: Any) -> None:
    reply = wire.post(message)
    assert (reply.status, reply.body) == (202, b"")


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", -32700),
        (b"{", -32700),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping"} x', -32700),
        (b'{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}', -32700),
        (b'{"jsonrpc":"2.0","id":NaN,"method":"ping"}', -32700),
        ('{"jsonrpc":"2.0","id":1,"method":"ping"}'.encode("utf-16"), -32700),
        (b"[" * 100_000, -32700),
        (b"\xff", -32700),
        (b"null", -32600),
        (b'"x"', -32600),
        (b"[]", -32600),
        (b"{}", -32600),
        (b'{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":1e400,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":[1],"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":5}', -32600),
        (b'{"jsonrpc":"2.0","id":1}', -32600),
    ],
)
def test_what_is_no_request_is_refused(wire: House, body: bytes, code: int) -> None:
    reply = wire.post(body)
    assert reply.status == 400
    assert reply.headers["content-type"] == "application/json"
    assert reply.json["error"]["code"] == code


@pytest.mark.parametrize("method", ["ping", "initialize", "tools/call"])
@pytest.mark.parametrize("params", [[], "x", 5])
def test_params_that_are_no_object_are_the_replys_business_and_not_that_of_http(
    wire: House, method: str, params: Any
) -> None:
    reply = wire.post({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
    assert reply.status == 200
    assert (reply.json["id"], reply.json["error"]["code"]) == (1, -32602)


def test_a_large_body_is_read_as_any_other(wire: House) -> None:
    large = request(1, "ping", {"x": "x" * 500_000})
    assert wire.post(large).json == {"jsonrpc": "2.0", "id": 1, "result": {}}
    reply = wire.post(json.dumps(large).encode()[:-1])
    assert (reply.status, reply.json["error"]["code"]) == (400, -32700)


def test_a_body_that_is_too_large_is_refused(wire: House) -> None:
    reply = wire.post(b" " * (2 * 1024 * 1024 + 1))
    assert reply.status in {400, 422}
    assert "2097152" in reply.body.decode()


@pytest.mark.parametrize("body", [b"not JSON", b"[]", json.dumps(request(1, "no/such")).encode()])
def test_a_wrong_key_fails_the_request_whatever_its_body(wire: House, body: bytes) -> None:
    reply = wire.post(body, key="ak_test_nobody")
    assert reply.status == 401
    assert reply.json["error"]["code"] == "api_key_invalid"
    assert "jsonrpc" not in reply.json


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "HEAD", "OPTIONS"])
def test_only_posts_are_answered_and_that_before_the_key_is_looked_at(wire: House, method: str) -> None:
    asked = urllib.request.Request(wire.url, method=method, headers={"Authorization": "Bearer wrong"})
    with pytest.raises(HTTPError) as refused:
        urllib.request.urlopen(asked)
    with refused.value as reply:
        assert (reply.status, reply.headers["Allow"]) == (405, "POST")
        if method != "HEAD":
            assert json.load(reply)["error"]["code"] == "method_not_allowed"


def test_more_than_a_window_holds_is_plain_http(wire: House) -> None:
    statuses = [wire.post(request(n, "ping")).status for n in range(121)]
    assert statuses == [200] * 120 + [429]
    reply = wire.post(request(1, "ping"))
    assert reply.json["error"]["code"] == "rate_limited"
    assert reply.json["error"]["details"] == {"retry_after_seconds": 60}


# Batches


def test_a_batch_is_answered_message_by_message(wire: House) -> None:
    batch = [
        request(1, "ping"),
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        request(2, "initialize", {}),
        {"jsonrpc": "1.0", "id": 3},
        5,
        request(4, "tools/call", {"name": "ask_worker", "arguments": {"input": "x"}}),
    ]
    reply = wire.post(batch)
    assert reply.status == 200
    said = {each["id"]: each for each in reply.json}
    assert said[1]["result"] == {}
    assert said[2]["error"]["code"] == -32600
    assert said[3]["error"]["code"] == -32600
    assert said[None]["error"]["code"] == -32600
    assert said[4]["result"]["structuredContent"]["output_text"] == "about x"


def test_a_batch_without_requests_is_accepted(wire: House) -> None:
    assert wire.post([{"jsonrpc": "2.0", "method": "notifications/initialized"}]).status == 202


@pytest.mark.parametrize(
    ("version", "status"), [(None, 200), ("2025-03-26", 200), ("2025-06-18", 400), ("2024-11-05", 400)]
)
def test_only_the_version_that_has_batches_may_send_one(
    wire: House, version: str | None, status: int
) -> None:
    headers = {"MCP_Protocol_Version": version} if version else {}
    assert wire.post([request(1, "ping")], **headers).status == status


def test_each_message_of_a_batch_counts_and_all_or_none(wire: House) -> None:
    assert wire.post([request(n, "ping") for n in range(100)]).status == 200
    taught = request(
        1, "tools/call", {"name": "teach_memory", "arguments": {"facts": [{"text": "Blue is in."}]}}
    )
    over = wire.post([taught] * 21)
    assert (over.status, over.json["error"]["code"]) == (429, "rate_limited")
    # The refused batch counted for one, its request; nineteen are left, and nothing was taught.
    statuses = [wire.post(request(n, "ping")).status for n in range(20)]
    assert statuses == [200] * 19 + [429]
