"""JSON-RPC as MCP uses it: what came is read here, and what leaves is written here."""

import json
import re
from typing import Any, Final, NamedTuple

from brainctl.contract.json_names import each_name_once

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
METHOD_NOT_FOUND: Final = -32601
INVALID_PARAMS: Final = -32602
INTERNAL_ERROR: Final = -32603

VERSIONS: Final = ("2025-06-18", "2025-03-26", "2024-11-05")
"""The versions of MCP that are spoken, the newest first."""
BATCH_VERSION: Final = "2025-03-26"
"""The one version that has batches, and the one that is meant where a client names none."""

_LINE_ENDS: Final = re.compile("[\x85\u2028\u2029]")


class Refused(Exception):  # noqa: N818 - what it refuses is told, not raised to anybody's face
    """A JSON-RPC error: `code`, and the id of the request where it could be read."""

    def __init__(self, code: int, message: str, request_id: str | float | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.request_id = request_id

    def reply(self) -> dict[str, Any]:
        return {
            "jsonrpc": "2.0",
            "id": self.request_id,
            "error": {"code": self.code, "message": self.message},
        }


class Call(NamedTuple):
    """A request. `params` is an object, empty where none came."""

    request_id: str | float
    method: str
    params: dict[str, Any]


def reply(request_id: str | float, result: dict[str, Any]) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": request_id, "result": result}


def read_body(body: bytes, version: str | None) -> list[Any] | dict[str, Any]:
    """What was posted: one message, or the messages of a batch; none of them is read yet.

    `version` is the MCP version that goes with it, None where the client names none. Raises `Refused`.
    """
    content = _parsed(body)
    if isinstance(content, list):
        _check_version(version, None)
        if version not in {None, BATCH_VERSION}:
            raise Refused(INVALID_REQUEST, f"MCP {version} has no batches: send one message at a time")
        if not content:
            raise Refused(INVALID_REQUEST, "The batch is empty")
        return content
    if not isinstance(content, dict):
        raise Refused(INVALID_REQUEST, "A JSON-RPC message is an object")
    # Whoever initializes is still to learn which version is spoken.
    if content.get("method") != "initialize":
        _check_version(version, _id_of(content))
    return content


def read_message(message: Any, *, in_batch: bool = False) -> Call | None:
    """The request in a message; None for a notification or a response, which nobody answers. Raises `Refused`."""
    if not isinstance(message, dict):
        raise Refused(INVALID_REQUEST, "A JSON-RPC message is an object")
    request_id = _id_of(message)
    if message.get("jsonrpc") != "2.0":
        raise Refused(INVALID_REQUEST, 'A JSON-RPC message has "jsonrpc": "2.0"', request_id)
    if "method" not in message and ("result" in message or "error" in message):
        return None
    method = message.get("method")
    if not isinstance(method, str):
        raise Refused(INVALID_REQUEST, "A JSON-RPC request names its method", request_id)
    if "id" not in message:
        return None
    if request_id is None:
        raise Refused(INVALID_REQUEST, "A request's id is a string or a whole number")
    params = message.get("params")
    if params is None:
        params = {}
    if not isinstance(params, dict):
        raise Refused(INVALID_PARAMS, "The params of an MCP request are an object", request_id)
    if in_batch and method == "initialize":
        raise Refused(INVALID_REQUEST, "initialize stands alone, not in a batch", request_id)
    return Call(request_id, method, params)


def encoded(message: Any) -> bytes:
    """A message as UTF-8 JSON on a single line, whoever splits the lines."""
    text = json.dumps(message, ensure_ascii=False, separators=(",", ":"))
    text = _LINE_ENDS.sub(lambda found: f"\\u{ord(found.group()):04x}", text)
    try:
        return text.encode()
    except UnicodeEncodeError:
        # Half a character out of a brain's text; as an escape it is at least legal JSON.
        return json.dumps(message, separators=(",", ":")).encode()


def _check_version(version: str | None, request_id: str | float | None) -> None:
    if version is not None and version not in VERSIONS:
        # Newer clients ask in a newer version first, and come back with `initialize` when they read this.
        supported = ", ".join(VERSIONS)
        raise Refused(
            INVALID_REQUEST,
            f"Unsupported MCP-Protocol-Version {version[:40]}; supported: {supported}",
            request_id,
        )


def _id_of(message: dict[str, Any]) -> str | float | None:
    """The id if it is a legal one."""
    found = message.get("id")
    if isinstance(found, bool) or not isinstance(found, str | int | float):
        return None
    return None if isinstance(found, float) and not found.is_integer() else found


def _parsed(body: bytes) -> Any:
    try:
        return json.loads(body.decode(), object_pairs_hook=each_name_once, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        raise Refused(PARSE_ERROR, "This is not JSON in UTF-8") from None


def _refuse_constant(name: str) -> Any:
    raise ValueError(name)
