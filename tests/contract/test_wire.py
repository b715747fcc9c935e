"""What only a bare request can show: the order of refusals, bodies no client of ours would send, the envelopes."""

import json
from typing import Any

import pytest

from tests.doors.brain_over_http import BrainOverHttp
from tests.doors.plain_http import Reply, send
from tests.doors.workspace import Workspace, fact

READ: list[str] = ["memory.read"]
GOOD: dict[str, Any] = {
    "/v1/memory/search": {"query": "deposit"},
    "/v1/memory/context": {"query": "deposit"},
    "/v1/memory/facts": {"facts": [{"text": "The barn seats 140 guests."}]},
}


def post(wire: BrainOverHttp, path: str, secret: str, body: Any) -> Reply:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    return send(wire.address, "POST", path, raw, {"Authorization": f"Bearer {secret}"})


@pytest.mark.parametrize(
    ("path", "status"), [*((path, 200) for path in list(GOOD)[:2]), ("/v1/memory/facts", 202)]
)
def test_a_success_is_wrapped_in_data(
    wire: BrainOverHttp, workspace: Workspace, path: str, status: int
) -> None:
    reply = post(wire, path, workspace.key(), GOOD[path])
    assert (reply.status, list(reply.json())) == (status, ["data"])


@pytest.mark.parametrize("path", GOOD)
def test_the_key_is_looked_at_before_the_scope_and_the_scope_before_the_body(
    wire: BrainOverHttp, workspace: Workspace, path: str
) -> None:
    scopeless = workspace.key(scopes=["answers.write"])
    assert post(wire, path, "ak_test_unknown", {"nonsense": 1}).code() == "api_key_invalid"
    refused = post(wire, path, scopeless, {"nonsense": 1})
    assert (refused.status, refused.code()) == (403, "scope_missing")
    assert refused.json()["error"]["details"] in ({"scope": "memory.read"}, {"scope": "memory.write"})
    workspace.revoke(scopeless)
    assert post(wire, path, scopeless, {"nonsense": 1}).code() == "api_key_revoked"
    assert post(wire, path, scopeless, b"not json").code() == "api_key_revoked"


@pytest.mark.parametrize("path", GOOD)
def test_an_unknown_field_is_refused_by_its_path(
    wire: BrainOverHttp, workspace: Workspace, path: str
) -> None:
    reply = post(wire, path, workspace.key(), {**GOOD[path], "emai\u2028l": 1})
    assert (reply.status, reply.code()) == (422, "validation_error")
    assert reply.json()["error"]["details"] == {
        "fields": [{"field": "emai\u2028l", "message": "unknown field"}]
    }


@pytest.mark.parametrize("path", GOOD)
@pytest.mark.parametrize("body", [[], "x", 5, None, b"{", b"", b'{"query":"a","query":"b"}'])
def test_a_body_that_is_no_object_is_a_validation_error(
    wire: BrainOverHttp, workspace: Workspace, path: str, body: Any
) -> None:
    reply = post(wire, path, workspace.key(), body)
    assert (reply.status, reply.code()) == (422, "validation_error")


def test_half_a_character_is_refused_and_a_whole_one_is_not(
    wire: BrainOverHttp, workspace: Workspace
) -> None:
    secret = workspace.key()
    assert post(wire, "/v1/memory/search", secret, b'{"query":"\\ud83d"}').status == 422
    assert post(wire, "/v1/memory/search", secret, b'{"query":"\\ud83d\\ude00"}').status == 200


def test_a_whole_number_may_be_written_as_a_float_or_an_exponent(
    wire: BrainOverHttp, workspace: Workspace
) -> None:
    workspace.load(*(fact(f"Deposit {n} is due.", subject="deposits") for n in range(5)))
    for limit in (b"3", b"3.0", b"3e0", b"30e-1"):
        reply = post(wire, "/v1/memory/search", workspace.key(), b'{"query":"deposit","limit":%b}' % limit)
        assert len(reply.json()["data"]["facts"]) == 3


def test_text_comes_back_as_it_was_taught(wire: BrainOverHttp, workspace: Workspace) -> None:
    text = 'Quillwort “says” \u2028 </b> \\ " \x00 \x1b[31m 😀 é e\u0301'
    workspace.load(fact(text, subject="quillwort"))
    reply = post(wire, "/v1/memory/search", workspace.key(), {"query": "quillwort"})
    assert [found["fact_text"] for found in reply.json()["data"]["facts"]] == [text]


def test_whoami_needs_no_more_than_the_request_of_the_documents(
    wire: BrainOverHttp, workspace: Workspace
) -> None:
    secret = workspace.key("external", ["memory.read"], name="support-bot")
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "whoami", "arguments": {}}}
    result = post(wire, "/v1/mcp", secret, body).json()["result"]
    assert json.loads(result["content"][0]["text"]) == result["structuredContent"]
    assert result["structuredContent"] == {
        "key_name": "support-bot",
        "key_prefix": secret[:12],
        "scopes": ["memory.read"],
        "key_audience": "external",
        "rate_limit": {"requests_per_window": 120, "window_seconds": 60},
    }
