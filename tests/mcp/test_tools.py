"""The tools: what is listed to whom, how their arguments are read, and what they return."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.mcp.conftest import House, request

ALL = ["whoami", "search_memory", "get_memory_context", "teach_memory", "ask_worker", "wait_for_answer"]


def error_of(result: Any) -> dict[str, Any]:
    """The error of a tool, which is text alone."""
    assert result["isError"] is True
    assert "structuredContent" not in result
    [content] = result["content"]
    assert content["type"] == "text"
    said: dict[str, Any] = json.loads(content["text"])
    assert set(said) == {"error", "message", "http_status"}
    return said


def data_of(result: Any) -> Any:
    """The data of a result, which its text says too."""
    assert result["isError"] is False
    [content] = result["content"]
    assert json.loads(content["text"]) == result["structuredContent"]
    return result["structuredContent"]


# The list


@pytest.mark.parametrize(
    ("scopes", "listed"),
    [
        (["memory.read", "memory.write", "answers.write"], ALL),
        (["memory.read"], ["whoami", "search_memory", "get_memory_context"]),
        (["memory.write"], ["whoami", "teach_memory"]),
        (["answers.write"], ["whoami", "ask_worker", "wait_for_answer"]),
    ],
)
def test_a_key_sees_the_tools_of_its_scopes(wire: House, scopes: list[str], listed: list[str]) -> None:
    reply = wire.post(request(1, "tools/list", {"cursor": "any"}), key=wire.workspace.key(scopes=scopes))
    assert [tool["name"] for tool in reply.json["result"]["tools"]] == listed
    assert "nextCursor" not in reply.json["result"]


def schemas(wire: House) -> dict[str, Any]:
    tools = wire.post(request(1, "tools/list")).json["result"]["tools"]
    return {tool["name"]: tool for tool in tools}


def inner(schema: Any) -> Iterator[dict[str, Any]]:
    if isinstance(schema, dict):
        yield schema
        for value in schema.values():
            yield from inner(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from inner(value)


def test_schemas_hold_nothing_that_agents_choke_on(wire: House) -> None:
    for tool in schemas(wire).values():
        schema = tool["inputSchema"]
        assert schema["type"] == "object"
        assert schema["additionalProperties"] is False
        assert "outputSchema" not in tool
        for part in inner(schema):
            assert not {"$ref", "$defs", "oneOf", "anyOf", "allOf", "format"} & set(part)
            assert not isinstance(part.get("type"), list)


def test_schemas_say_the_bounds_of_the_api(wire: House) -> None:
    tools = schemas(wire)
    ask = tools["ask_worker"]["inputSchema"]
    assert ask["required"] == ["input"]
    fields = ask["properties"]
    assert set(fields) == {
        "input",
        "conversation_id",
        "end_user",
        "agent_slug",
        "timeout_seconds",
        "idempotency_key",
    }
    assert (fields["input"]["minLength"], fields["input"]["maxLength"]) == (1, 8000)
    timeout = fields["timeout_seconds"]
    assert (timeout["minimum"], timeout["maximum"], timeout["default"]) == (0, 120, 60)
    assert tools["whoami"]["inputSchema"]["properties"] == {}
    assert tools["search_memory"]["inputSchema"]["properties"]["limit"]["default"] == 20
    assert tools["teach_memory"]["inputSchema"]["properties"]["facts"]["maxItems"] == 20


def test_a_question_is_never_called_again_unasked(wire: House) -> None:
    tools = schemas(wire)
    assert tools["ask_worker"]["annotations"] == {
        "readOnlyHint": False,
        "destructiveHint": False,
        "idempotentHint": False,
        "openWorldHint": True,
    }
    said = tools["ask_worker"]["description"].lower()
    assert "reuse the same idempotency_key when retrying the same question" in said
    assert "a new key only for a new question" in said
    for name in ("whoami", "search_memory", "get_memory_context", "wait_for_answer"):
        assert tools[name]["annotations"] == {"readOnlyHint": True, "openWorldHint": False}
    assert tools["teach_memory"]["annotations"]["idempotentHint"] is True


# Calling


def test_a_tool_returns_what_its_route_returns(wire: House) -> None:
    facts = data_of(wire.call("search_memory", {"query": "refund", "limit": 1}))["facts"]
    assert set(facts[0]) == {
        "fact_id",
        "fact_text",
        "kind",
        "origin",
        "subject",
        "confidence_level",
        "recorded_time",
    }
    packet = data_of(wire.call("get_memory_context", {"query": "refund"}))
    assert packet["packet_version"] == 1
    assert packet["rendered"].startswith("<workspace_memory")
    taught = data_of(wire.call("teach_memory", {"facts": [{"text": "The office closes at noon."}]}))
    assert taught == {"accepted_fact_count": 1, "created": 1, "superseded": 0, "skipped": 0}


@pytest.mark.parametrize("tool", ALL[1:])
def test_a_tool_whose_scope_is_missing_says_so_even_of_wrong_arguments(wire: House, tool: str) -> None:
    scope = {
        "teach_memory": "memory.write",
        "ask_worker": "answers.write",
        "wait_for_answer": "answers.write",
    }
    missing = scope.get(tool, "memory.read")
    others = [each for each in ("memory.read", "memory.write", "answers.write") if each != missing]
    said = error_of(wire.call(tool, {"nonsense": 1}, key=wire.workspace.key(scopes=others)))
    assert said == {
        "error": "scope_missing",
        "message": f"This API key is missing the '{missing}' scope",
        "http_status": 403,
    }


@pytest.mark.parametrize(
    "params",
    [
        {"name": "no_such_tool"},
        {"name": 5},
        {"name": ["x"]},
        {},
        {"name": "whoami", "arguments": []},
        {"name": "whoami", "arguments": "x"},
    ],
)
def test_what_reaches_no_tool_is_a_json_rpc_error(wire: House, params: Any) -> None:
    reply = wire.post(request("n", "tools/call", params))
    assert reply.status == 200
    assert (reply.json["id"], reply.json["error"]["code"]) == ("n", -32602)


@pytest.mark.parametrize(
    ("tool", "arguments", "field"),
    [
        ("whoami", {"x": 1}, "x"),
        ("search_memory", {}, "query"),
        ("search_memory", {"query": None}, "query"),
        ("search_memory", {"query": " "}, "query"),
        ("search_memory", {"query": "q" * 2001}, "query"),
        ("search_memory", {"query": "q", "limit": "5"}, "limit"),
        ("search_memory", {"query": "q", "limit": True}, "limit"),
        ("search_memory", {"query": "q", "limit": 101}, "limit"),
        ("search_memory", {"query": "q", "end_user": {"id": "a", "email": "b"}}, "end_user.email"),
        ("search_memory", {"query": "q", "end_user": {"id": None}}, "end_user.id"),
        ("search_memory", {"query": "q", "end_user": "maria"}, "end_user"),
        ("search_memory", {"query": "q", "end_user": '["a"]'}, "end_user"),
        ("get_memory_context", {"query": "q", "token_budget": 99}, "token_budget"),
        ("teach_memory", {"facts": []}, "facts"),
        ("teach_memory", {"facts": "not JSON"}, "facts"),
        ("teach_memory", {"facts": [{"text": "x", "kind": "y"}]}, "facts[0].kind"),
        ("ask_worker", {"input": "x", "stream": True}, "stream"),
        ("ask_worker", {"input": "x", "include": ["sources"]}, "include"),
        ("ask_worker", {"input": "x", "timeout_seconds": -1}, "timeout_seconds"),
        ("ask_worker", {"input": "x", "timeout_seconds": 121}, "timeout_seconds"),
        ("ask_worker", {"input": "x", "timeout_seconds": 0.5}, "timeout_seconds"),
        ("ask_worker", {"input": "x", "timeout_seconds": "60"}, "timeout_seconds"),
        ("ask_worker", {"input": "x", "idempotency_key": ""}, "idempotency_key"),
        ("ask_worker", {"input": "x", "idempotency_key": "k" * 201}, "idempotency_key"),
        ("ask_worker", {"input": "x", "agent_slug": "nobody"}, "agent_slug"),
        ("wait_for_answer", {}, "answer_id"),
        ("wait_for_answer", {"answer_id": "event_x", "timeout_seconds": True}, "timeout_seconds"),
    ],
)
def test_wrong_arguments_are_named(wire: House, tool: str, arguments: Any, field: str) -> None:
    said = error_of(wire.call(tool, arguments))
    assert (said["error"], said["http_status"]) == ("validation_error", 422)
    assert f"{field}:" in said["message"]


@pytest.mark.parametrize("arguments", [None, {}])
def test_whoami_takes_no_arguments(wire: House, arguments: Any) -> None:
    assert data_of(wire.call("whoami", arguments))["key_prefix"] == wire.key[:12]


def test_arguments_are_read_as_agents_mean_them(wire: House) -> None:
    taught = data_of(wire.call("teach_memory", {"facts": '[{"text": "The gate is green."}]'}))
    assert taught["created"] == 1
    nothing = {"query": "gate", "limit": None, "end_user": None}
    assert len(data_of(wire.call("search_memory", nothing))["facts"]) == 1
    person = {"query": "gate", "limit": 3.0, "end_user": '{"id": "cust_1", "name": "Ann"}'}
    assert len(data_of(wire.call("search_memory", person))["facts"]) == 1


def test_a_text_that_would_break_lines_comes_whole(wire: House) -> None:
    text = 'One\u2028two\u2029three\u0085four \U0001f600 \\ " end.'
    wire.call("teach_memory", {"facts": [{"text": text}]})
    reply = wire.post(request(1, "tools/call", {"name": "search_memory", "arguments": {"query": "four"}}))
    assert not {"\u2028", "\u2029", "\u0085"} & set(reply.body.decode())
    [found] = data_of(reply.json["result"])["facts"]
    assert found["fact_text"] == text


def test_an_external_key_is_shown_what_it_may_see(wire: House) -> None:
    key = wire.workspace.key("external")
    for tool in ("search_memory", "get_memory_context"):
        kinds = {fact["kind"] for fact in data_of(wire.call(tool, {"query": "refund"}, key=key))["facts"]}
        assert kinds == {"decision"}
    answer = data_of(wire.call("ask_worker", {"input": "refund", "idempotency_key": "a"}, key=key))
    assert {source["kind"] for source in answer["sources"]} == {"decision"}
    inside = data_of(wire.call("ask_worker", {"input": "refund", "idempotency_key": "a"}))
    foreign = error_of(wire.call("wait_for_answer", {"answer_id": inside["answer_id"]}, key=key))
    unknown = error_of(wire.call("wait_for_answer", {"answer_id": "event_" + "0" * 26}, key=key))
    assert foreign == unknown
    assert (foreign["error"], foreign["http_status"]) == ("not_found", 404)
