"""In which order a request is looked at, and what each error looks like on the wire."""

import gzip
import http.client
import json
import socket
import time
from collections.abc import Iterator
from typing import Any

import pytest

from brainctl.contract import bounds
from brainctl.contract.errors import API_CODES
from brainctl.server import bodies
from tests.doors.plain_http import Reply, read, send
from tests.doors.served import Served
from tests.doors.workspace import Workspace, serving

ROUTES = [
    ("POST", "/v1/memory/search"),
    ("POST", "/v1/memory/context"),
    ("POST", "/v1/memory/facts"),
    ("POST", "/v1/answers"),
    ("GET", "/v1/answers/run_x"),
    ("POST", "/v1/mcp"),
    ("POST", "/v1/mcp/"),
]
POSTED = [path for method, path in ROUTES if method == "POST"]
REST = POSTED[:4]
EVIL = {"Origin": "https://evil.example"}


@pytest.fixture
def server(workspace: Workspace) -> Iterator[Served]:
    with serving(workspace) as server:
        yield server


def ask(server: Served, method: str, path: str, secret: str | None, body: Any = None, **more: str) -> Reply:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode() if body is not None else b""
    headers = {name.replace("_", "-"): value for name, value in more.items()}
    if secret is not None:
        headers["Authorization"] = f"Bearer {secret}"
    return send(server.address, method, path, raw, headers)


@pytest.mark.parametrize(("method", "path"), ROUTES)
def test_each_check_comes_before_the_next(
    server: Served, workspace: Workspace, method: str, path: str
) -> None:
    wrong = "PUT"
    assert ask(server, wrong, path, "bad", b"{", **EVIL).code() == "forbidden"
    refused = ask(server, wrong, path, "bad", b"{")
    assert (refused.status, refused.code(), refused.headers["Allow"]) == (405, "method_not_allowed", method)
    unknown = ask(server, method, path, "bad", b"{")
    assert (unknown.status, unknown.code()) == (401, "api_key_invalid")
    assert unknown.headers["WWW-Authenticate"] == 'Bearer realm="alfera", error="invalid_token"'


@pytest.mark.parametrize("path", REST)
def test_a_body_that_cannot_be_read_comes_before_the_scope_and_the_scope_before_its_fields(
    server: Served, workspace: Workspace, path: str
) -> None:
    scope = {"/v1/memory/facts": "memory.write", "/v1/answers": "answers.write"}.get(path, "memory.read")
    others = workspace.key(scopes=[each for each in bounds.SCOPES if each != scope])
    assert ask(server, "POST", path, others, b"{").code() == "validation_error"
    refused = ask(server, "POST", path, others, {"stream": "yes", "nonsense": 1})
    assert (refused.status, refused.json()["error"]) == (
        403,
        {
            "code": "scope_missing",
            "message": f"This API key is missing the '{scope}' scope",
            "details": {"scope": scope},
        },
    )
    assert ask(server, "POST", path, workspace.key(), {"nonsense": 1}).code() == "validation_error"


def test_reading_an_answer_asks_for_the_scope_before_the_query(server: Served, workspace: Workspace) -> None:
    reader = workspace.key(scopes=["memory.read"])
    assert ask(server, "GET", "/v1/answers/run_x?include=x", reader).code() == "scope_missing"
    assert ask(server, "GET", "/v1/answers/run_x?include=x", workspace.key()).code() == "validation_error"
    assert ask(server, "GET", "/v1/answers/run_x?other=x", workspace.key()).code() == "not_found"


def test_a_question_names_all_that_is_wrong_with_it_at_once(server: Served, workspace: Workspace) -> None:
    body = {"input": "", "stream": "yes", "include": ["all"], "nonsense": 1}
    refused = ask(server, "POST", "/v1/answers", workspace.key(), body)
    fields = [each["field"] for each in refused.json()["error"]["details"]["fields"]]
    assert fields == ["nonsense", "input", "include[0]", "stream"]


def test_credits_come_after_the_repeated_key_and_before_the_conversation(
    server: Served, workspace: Workspace
) -> None:
    secret = workspace.key()
    body = {"input": "x", "conversation_id": "c", "stream": False}
    first = ask(server, "POST", "/v1/answers", secret, body, Idempotency_Key="once")
    workspace.credits(0)
    again = ask(server, "POST", "/v1/answers", secret, body, Idempotency_Key="once")
    assert (first.status, again.body) == (202, first.body)
    other = ask(server, "POST", "/v1/answers", secret, {**body, "input": "y"}, Idempotency_Key="once")
    assert (other.status, other.code()) == (409, "idempotency_key_reused")
    for stream in (True, False):
        broke = ask(server, "POST", "/v1/answers", secret, {**body, "stream": stream})
        assert (broke.status, broke.code()) == (402, "out_of_credits")
        assert broke.headers["Content-Type"] == "application/json"
    taught = ask(server, "POST", "/v1/memory/facts", secret, {"facts": [{"text": "x"}]})
    assert (taught.status, taught.code()) == (402, "out_of_credits")
    assert ask(server, "POST", "/v1/memory/search", secret, {"query": "x"}).status == 200


def queued(server: Served, secret: str, *keys: bytes) -> Reply:
    """A question that is sent with these Idempotency-Keys, byte for byte."""
    connection = http.client.HTTPConnection(*server.address, timeout=60)
    body = b'{"input":"x","stream":false}'
    connection.putrequest("POST", "/v1/answers")
    connection.putheader("Authorization", f"Bearer {secret}")
    connection.putheader("Content-Length", str(len(body)))
    for key in keys:
        connection.putheader("Idempotency-Key", key)
    connection.endheaders(body)
    try:
        return read(connection)
    finally:
        connection.close()


def test_an_idempotency_key_is_the_same_text_by_every_door(server: Served, workspace: Workspace) -> None:
    secret, key = workspace.key(), "schlüssel-7"
    by_header = queued(server, secret, key.encode()).json()["data"]["answer_id"]
    arguments = {"input": "x", "timeout_seconds": 0, "idempotency_key": key}
    params = {"name": "ask_worker", "arguments": arguments}
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    by_tool = ask(server, "POST", "/v1/mcp", secret, call).json()["result"]["structuredContent"]
    assert by_tool["answer_id"] == by_header


def test_an_idempotency_key_is_counted_in_characters(server: Served, workspace: Workspace) -> None:
    assert queued(server, workspace.key(), ("é" * 200).encode()).status == 202
    assert queued(server, workspace.key(), ("é" * 201).encode()).status == 422


@pytest.mark.parametrize("keys", [(b"\xe9",), (b"a", b"b"), (b"a", b"a")])
def test_an_idempotency_key_that_has_no_one_meaning_is_refused(
    server: Served, workspace: Workspace, keys: tuple[bytes, ...]
) -> None:
    refused = queued(server, workspace.key(), *keys)
    assert (refused.status, refused.code()) == (422, "validation_error")
    assert [each["field"] for each in refused.json()["error"]["details"]["fields"]] == ["idempotency_key"]


def test_keys_are_refused_by_their_state(server: Served, workspace: Workspace) -> None:
    revoked, expired = workspace.key(), workspace.key(expires_in=1)
    workspace.revoke(revoked)
    workspace.clock.advance(1)
    for secret, code in ((revoked, "api_key_revoked"), (expired, "api_key_expired")):
        for method, path in ROUTES:
            refused = ask(server, method, path, secret, b"{")
            assert (refused.status, refused.json()) == (
                401,
                {"error": {"code": code, "message": API_CODES[code].message}},
            )


@pytest.mark.parametrize(
    "headers",
    [
        {"Authorization": "bearer   SECRET  "},
        {"X-Api-Key": "SECRET"},
        {"X-Api-Key": "SECRET", "Authorization": "Basic dXNlcjpwYXNz"},
        {"X-Api-Key": "ak_test_wrong", "Authorization": "Bearer SECRET"},
    ],
)
def test_a_key_comes_in_either_header(server: Served, workspace: Workspace, headers: dict[str, str]) -> None:
    given = {name: value.replace("SECRET", workspace.key()) for name, value in headers.items()}
    assert send(server.address, "POST", "/v1/memory/search", b'{"query":"x"}', given).status == 200
    for wrong in ({}, {"Authorization": "Bearer"}, {"Authorization": "Bearer ${ALFERA_API_KEY}"}):
        assert send(server.address, "POST", "/v1/memory/search", b"", wrong).code() == "api_key_invalid"


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/v1",
        "/v1/answers/",
        "/v1/answers/a/b",
        "/v1/memory/search/",
        "/healthz/",
        "/.well-known/oauth-protected-resource",
        "/.well-known/oauth-authorization-server/v1/mcp",
        "/register",
        "/authorize",
        "/token",
        "/docs",
    ],
)
@pytest.mark.parametrize("method", ["GET", "POST", "OPTIONS"])
def test_an_unknown_path_is_a_404_in_json_without_a_key_and_never_a_redirect(
    server: Served, method: str, path: str
) -> None:
    reply = ask(server, method, path, None)
    assert (reply.status, reply.code()) == (404, "not_found")


@pytest.mark.parametrize("path", POSTED)
@pytest.mark.parametrize("method", ["GET", "DELETE", "PATCH", "OPTIONS", "HEAD"])
def test_a_wrong_method_is_told_the_right_one(server: Served, path: str, method: str) -> None:
    reply = ask(server, method, path, None)
    assert (reply.status, reply.headers["Allow"]) == (405, "POST")
    assert method == "HEAD" or reply.code() == "method_not_allowed"


def test_every_reply_has_an_id_of_its_own(server: Served, workspace: Workspace) -> None:
    replies = [
        ask(server, "GET", "/healthz", None),
        ask(server, "GET", "/nowhere", None),
        ask(server, "POST", "/v1/mcp", None),
        ask(server, "POST", "/v1/mcp", workspace.key(), {"jsonrpc": "2.0", "id": 1, "method": "ping"}),
        ask(server, "POST", "/v1/answers", workspace.key(), {"input": "x"}),
        ask(server, "POST", "/v1/memory/search", "bad", **EVIL),
    ]
    ids = [reply.headers["X-Request-Id"] for reply in replies]
    assert len(set(ids)) == len(ids)
    assert all(ids)


NOT_PLAIN_JSON = {
    "nothing": b"",
    "half an object": b"{",
    "two objects": b"{} {}",
    "a name twice": b'{"query":"x","query":"y"}',
    "a name twice inside": b'{"end_user":{"id":"a","id":"b"}}',
    "NaN": b'{"limit":NaN}',
    "infinity": b'{"limit":-Infinity}',
    "a number out of range": b'{"limit":1e400}',
    "a number of 5000 digits": b'{"limit":' + b"1" * 5000 + b"}",
    "a byte that is no UTF-8": b'{"query":"\xff"}',
    "a byte order mark": b"\xef\xbb\xbf{}",
    "UTF-16": '{"query":"x"}'.encode("utf-16"),
    "gzip": gzip.compress(b'{"query":"x"}'),
    "a gzip bomb": gzip.compress(b" " * 50_000_000),
    "brackets without end": b"[" * 100_000,
    "33 levels": b'{"a":' * 33 + b"1" + b"}" * 33,
    "3 MB": b'{"query":"' + b"x" * 3_000_000 + b'"}',
    "9 MB": b'{"query":"' + b"x" * 9_000_000 + b'"}',
}


@pytest.mark.parametrize("body", NOT_PLAIN_JSON.values(), ids=NOT_PLAIN_JSON)
@pytest.mark.parametrize("path", REST[:1] + REST[3:])
def test_a_body_that_is_not_plain_json_is_a_validation_error(
    server: Served, workspace: Workspace, path: str, body: bytes
) -> None:
    reply = ask(server, "POST", path, workspace.key(), body, Content_Encoding="gzip")
    assert (reply.status, reply.code()) == (422, "validation_error")
    assert [each["field"] for each in reply.json()["error"]["details"]["fields"]] == ["body"]


@pytest.mark.parametrize("levels", [32, 33])
def test_levels_are_counted_in_lists_too(server: Served, workspace: Workspace, levels: int) -> None:
    body = b'{"query":"x","a":[1,{},"y",' + b"[" * (levels - 2) + b"]" * (levels - 2) + b"]}"
    refused = ask(server, "POST", "/v1/memory/search", workspace.key(), body)
    [field] = [each["field"] for each in refused.json()["error"]["details"]["fields"]]
    assert field == ("a" if levels == 32 else "body")


def test_32_levels_are_read(server: Served, workspace: Workspace) -> None:
    body = b'{"a":' * 32 + b"1" + b"}" * 32
    refused = ask(server, "POST", "/v1/memory/search", workspace.key(), body)
    assert [each["field"] for each in refused.json()["error"]["details"]["fields"]] == ["a", "query"]


@pytest.mark.parametrize("body", [[], "x", 5, None, True])
@pytest.mark.parametrize("path", REST)
def test_a_body_that_is_no_object_is_a_validation_error(
    server: Served, workspace: Workspace, path: str, body: Any
) -> None:
    raw = json.dumps(body).encode()
    assert ask(server, "POST", path, workspace.key(), raw).code() == "validation_error"


def test_the_largest_legal_teaching_gets_through(server: Served, workspace: Workspace) -> None:
    body = json.dumps({"facts": [{"text": "\U0001f600" * 4000}] * 20}).encode()
    assert len(body) > 900_000
    assert ask(server, "POST", "/v1/memory/facts", workspace.key(), body).status == 202


def test_a_body_too_large_is_refused_before_it_is_sent_where_its_sender_asks_first(
    server: Served, workspace: Workspace
) -> None:
    with socket.create_connection(server.address, timeout=60) as connection:
        head = (
            "POST /v1/memory/search HTTP/1.1\r\nHost: localhost\r\n"
            f"Authorization: Bearer {workspace.key()}\r\nContent-Length: 3000000\r\nExpect: 100-continue\r\n\r\n"
        )
        connection.sendall(head.encode())
        reply = b""
        while part := connection.recv(65536):
            reply += part
    assert reply.startswith(b"HTTP/1.1 422 ")
    assert b"connection: close" in reply


def test_a_body_without_end_is_cut_off(server: Served, workspace: Workspace) -> None:
    with socket.create_connection(server.address, timeout=60) as connection:
        head = (
            "POST /v1/memory/search HTTP/1.1\r\nHost: localhost\r\n"
            f"Authorization: Bearer {workspace.key()}\r\nTransfer-Encoding: chunked\r\n\r\n"
        )
        connection.sendall(head.encode())
        chunk = b"10000\r\n" + b" " * 65536 + b"\r\n"
        sent = 0
        try:
            while sent < 200_000_000:
                connection.sendall(chunk)
                sent += len(chunk)
        except OSError:
            pass
    assert sent < 50_000_000


@pytest.mark.parametrize("path", ["/v1/memory/search", "/v1/mcp"])
def test_a_slow_body_is_cut_off(
    server: Served, workspace: Workspace, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bodies.read_body, "__defaults__", (0.3,))
    monkeypatch.setattr(bodies.in_time, "__defaults__", (0.3,))
    with socket.create_connection(server.address, timeout=60) as connection:
        head = (
            f"POST {path} HTTP/1.1\r\nHost: localhost\r\n"
            f"Authorization: Bearer {workspace.key()}\r\nContent-Length: 1000\r\n\r\n"
        )
        connection.sendall(head.encode())
        reply = b""
        connection.setblocking(False)
        deadline = time.monotonic() + 60
        while not reply.endswith(b"}"):
            assert time.monotonic() < deadline
            time.sleep(0.05)
            connection.send(b" ")
            try:
                reply += connection.recv(65536)
            except BlockingIOError:
                continue
    assert reply.startswith(b"HTTP/1.1 422 ")
    assert b"connection: close" in reply


def test_a_reply_that_is_not_waited_for_does_no_harm(server: Served, workspace: Workspace) -> None:
    for _ in range(20):
        with socket.create_connection(server.address, timeout=60) as connection:
            head = (
                "POST /v1/memory/search HTTP/1.1\r\nHost: localhost\r\n"
                f"Authorization: Bearer {workspace.key()}\r\nContent-Length: 1000\r\n\r\n"
            )
            connection.sendall(head.encode())
    assert ask(server, "GET", "/healthz", None).status == 200
