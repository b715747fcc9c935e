"""The API described for machines: OpenAPI 3.1, written from the shapes that check requests and the replies' types."""

from collections.abc import Mapping
from functools import cache
from types import NoneType, UnionType
from typing import Any, Final, NotRequired, get_args, get_origin, get_type_hints, is_typeddict

from brainctl import __version__
from brainctl.contract import bounds, replies, requests
from brainctl.contract.errors import API_CODES
from brainctl.contract.events import EVENT_NAMES
from brainctl.contract.paths import ANSWERS_PATH, CONTEXT_PATH, MCP_PATH, SEARCH_PATH, TEACH_PATH
from brainctl.contract.shapes import Shape

ABOUT: Final = (
    "Facts and answers of a workspace's brain. Every success is wrapped in `data`, every failure in `error`. "
    f"Agents find the same brain as MCP tools at POST {MCP_PATH} (JSON-RPC, which this document cannot describe)."
)
_BODY_ERRORS: Final = ("validation_error",)
_ALWAYS: Final = (
    "api_key_invalid",
    "api_key_revoked",
    "api_key_expired",
    "scope_missing",
    "forbidden",
    "rate_limited",
    "internal_error",
)
_PLAIN: Final = {str: "string", int: "integer", float: "number", bool: "boolean", NoneType: "null"}


@cache
def document() -> Mapping[str, Any]:
    """The whole document."""
    return {
        "openapi": "3.1.0",
        "info": {"title": "Brain API", "version": __version__, "description": ABOUT},
        "security": [{"bearer": []}, {"apiKey": []}],
        "paths": {
            SEARCH_PATH: _post(
                "search", "Search memory", "memory.read", requests.SEARCH, 200, replies.SearchReply
            ),
            CONTEXT_PATH: _post(
                "context",
                "Build a context packet",
                "memory.read",
                requests.CONTEXT,
                200,
                replies.ContextReply,
            ),
            TEACH_PATH: _post(
                "teach",
                "Teach the brain",
                "memory.write",
                requests.TEACH,
                202,
                replies.TeachReply,
                "out_of_credits",
            ),
            ANSWERS_PATH: {"post": _asking()},
            f"{ANSWERS_PATH}/{{answer_id}}": {"get": _reading()},
        },
        "components": {
            "schemas": {"Error": _error_schema()},
            "securitySchemes": {
                "bearer": {"type": "http", "scheme": "bearer"},
                "apiKey": {"type": "apiKey", "in": "header", "name": "X-Api-Key"},
            },
        },
    }


def _post(
    name: str, summary: str, scope: str, shape: Shape, status: int, reply: Any, *codes: str
) -> dict[str, Any]:
    operation = _operation(name, summary, scope, *_BODY_ERRORS, *codes)
    operation["requestBody"] = _body(shape)
    operation["responses"][str(status)] = _success(reply)
    return {"post": operation}


def _asking() -> dict[str, Any]:
    own = ("out_of_credits", "conversation_busy", "idempotency_key_reused")
    operation = _operation("ask", "Ask for an answer", "answers.write", *_BODY_ERRORS, *own)
    operation["parameters"] = [
        {
            "name": "Idempotency-Key",
            "in": "header",
            "required": False,
            "description": (
                f"With `stream: false`: the same key and question give the same reply again. "
                f"At most {bounds.ID_MAX} characters."
            ),
            "schema": {"type": "string"},
        }
    ]
    operation["requestBody"] = _body(requests.ASK)
    operation["responses"]["200"] = {
        "description": (
            "With `stream: true`: server-sent events `answer.created`, any number of `answer.delta`, then "
            "`answer.completed` or `answer.failed`, then `done`."
        ),
        "content": {"text/event-stream": {"schema": _event_schema()}},
    }
    operation["responses"]["202"] = _success(replies.QueuedReply)
    return operation


def _reading() -> dict[str, Any]:
    operation = _operation("answer", "Read an answer", "answers.write", *_BODY_ERRORS, "not_found")
    operation["parameters"] = [
        {"name": "answer_id", "in": "path", "required": True, "schema": {"type": "string", "minLength": 1}},
        {
            "name": "include",
            "in": "query",
            "required": False,
            "description": "`sources` brings the facts that the answer was built from.",
            "schema": {"type": "string", "enum": ["sources"]},
        },
    ]
    operation["responses"]["200"] = _success(replies.AnswerReply)
    return operation


def _operation(name: str, summary: str, scope: str, *codes: str) -> dict[str, Any]:
    by_status: dict[str, list[str]] = {}
    for code in (*_ALWAYS, *codes):
        by_status.setdefault(str(API_CODES[code].http_status), []).append(code)
    return {
        "operationId": name,
        "summary": summary,
        "description": f"Needs the scope `{scope}`.",
        "responses": {
            status: {
                "description": ", ".join(f"`{code}`" for code in told),
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}},
            }
            for status, told in by_status.items()
        },
    }


def _body(shape: Shape) -> dict[str, Any]:
    schema = _with_blanks_refused(shape.schema())
    return {"required": True, "content": {"application/json": {"schema": schema}}}


def _with_blanks_refused(schema: dict[str, Any]) -> dict[str, Any]:
    """The shape's own schema, and with it what its check says further: text is not all white space."""
    whole = dict(schema)
    if whole.get("type") == "string" and "minLength" in whole:
        whole["pattern"] = r"\S"
    if "properties" in whole:
        whole["properties"] = {
            name: _with_blanks_refused(inner) for name, inner in whole["properties"].items()
        }
    if "items" in whole:
        whole["items"] = _with_blanks_refused(whole["items"])
    return whole


def _success(reply: Any) -> dict[str, Any]:
    data = {"type": "object", "properties": {"data": _schema_of(reply)}, "required": ["data"]}
    return {"description": "Done.", "content": {"application/json": {"schema": data}}}


def _schema_of(kind: Any) -> dict[str, Any]:
    """The schema of a reply's type: a TypedDict, a list, a union or a plain type."""
    if kind in _PLAIN:
        return {"type": _PLAIN[kind]}
    if is_typeddict(kind):
        return {
            "type": "object",
            "properties": {name: _schema_of(inner) for name, inner in get_type_hints(kind).items()},
            "required": sorted(kind.__required_keys__),
        }
    if get_origin(kind) is list:
        return {"type": "array", "items": _schema_of(get_args(kind)[0])}
    if isinstance(kind, UnionType):
        return {"anyOf": [_schema_of(each) for each in get_args(kind)]}
    if get_origin(kind) is NotRequired:
        return _schema_of(get_args(kind)[0])
    return {}


def _event_schema() -> dict[str, Any]:
    """One event of a stream; its data is an object as JSON."""
    return {
        "type": "object",
        "properties": {
            "event": {"type": "string", "enum": list(EVENT_NAMES)},
            "data": {"type": "string", "contentMediaType": "application/json"},
        },
        "required": ["event", "data"],
    }


def _error_schema() -> dict[str, Any]:
    inner = {
        "type": "object",
        "properties": {"code": {"type": "string"}, "message": {"type": "string"}, "details": {}},
        "required": ["code", "message"],
    }
    return {"type": "object", "properties": {"error": inner}, "required": ["error"]}
