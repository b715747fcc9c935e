"""The whoami call, which a brain offers only as an MCP tool."""

import json
from collections.abc import Iterable
from typing import Any, Final

from brainctl.client.failures import ExchangeError
from brainctl.client.masking import Mask
from brainctl.client.reading import MESSAGE_MAX, Reply, not_the_api, strict_json

ACCEPT: Final = "application/json, text/event-stream"
REQUEST: Final = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "tools/call",
    "params": {"name": "whoami", "arguments": {}},
}


def message_in_stream(chunks: Iterable[bytes]) -> bytes:
    """The reply to our request among a stream's messages; empty where the stream ends without one.

    It is not waited for the stream's end: a server may keep it open.
    """
    # Loaded only where a server answers in events.
    from brainctl.client.sse import server_sent

    for sent in server_sent(chunks):
        if sent.name != "message":
            continue
        try:
            message = json.loads(sent.text)
        except (ValueError, RecursionError):
            continue
        if isinstance(message, dict) and ("result" in message or "error" in message):
            return sent.text.encode("utf-8", "replace")
    return b""


def result_of(reply: Reply, mask: Mask) -> dict[str, Any]:
    """What the tool returned. Raises the error it decided on, or `bad_response`."""
    try:
        message = strict_json(reply.body)
    except ValueError as error:
        raise not_the_api(reply, mask, str(error)) from None
    result = message.get("result") if isinstance(message, dict) else None
    if not isinstance(result, dict):
        raise _protocol_error(reply, mask, message)
    structured = result.get("structuredContent")
    if result.get("isError") is not True and isinstance(structured, dict):
        return structured
    body = _json_text(result.get("content"))
    if body is None:
        raise not_the_api(reply, mask, "the tool's result holds no object")
    if result.get("isError") is True:
        raise _tool_error(mask, body)
    return body


def _json_text(content: Any) -> dict[str, Any] | None:
    for part in content if isinstance(content, list) else []:
        text = part.get("text") if isinstance(part, dict) else None
        if isinstance(text, str):
            try:
                value = strict_json(text.encode())
            except ValueError:
                continue
            if isinstance(value, dict):
                return value
    return None


def _tool_error(mask: Mask, body: dict[str, Any]) -> ExchangeError:
    code, message, status = body.get("error"), body.get("message"), body.get("http_status")
    known_status = status if isinstance(status, int) and not isinstance(status, bool) else None
    return ExchangeError(
        mask.text(code) if isinstance(code, str) and code else "bad_response",
        mask.text(message)[:MESSAGE_MAX] if isinstance(message, str) else None,
        http_status=known_status,
        transient=known_status is not None and known_status >= 500,
    )


def _protocol_error(reply: Reply, mask: Mask, message: Any) -> ExchangeError:
    error = message.get("error") if isinstance(message, dict) else None
    if not isinstance(error, dict):
        return not_the_api(reply, mask, "it is not a reply to whoami")
    said = error.get("message")
    text = mask.text(said)[:MESSAGE_MAX] if isinstance(said, str) else "no reason given"
    return ExchangeError(
        "bad_response",
        f"The brain does not answer whoami: {text}.",
        details=mask.value(error),
        http_status=reply.status,
    )
