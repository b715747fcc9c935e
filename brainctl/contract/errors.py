"""One error for everything a brain, or the way to it, can answer with."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple


class Code(NamedTuple):
    """A row of the error table. `http_status` is None for codes that never travel over HTTP."""

    http_status: int | None
    message: str


API_CODES: Final[Mapping[str, Code]] = {
    "api_key_invalid": Code(401, "This API key is not valid"),
    "api_key_revoked": Code(401, "This API key was revoked"),
    "api_key_expired": Code(401, "This API key has expired"),
    "scope_missing": Code(403, "This API key is missing a scope"),
    "forbidden": Code(403, "This request is not allowed from here"),
    "out_of_credits": Code(402, "The workspace balance hit zero"),
    "rate_limited": Code(429, "More than 120 requests in a 60-second window"),
    "conversation_busy": Code(409, "This conversation is still answering the previous message"),
    "idempotency_key_reused": Code(409, "This Idempotency-Key was already used for a different request"),
    "validation_error": Code(422, "The request did not match"),
    "not_found": Code(404, "No answer with that id in this workspace"),
    "method_not_allowed": Code(405, "This method is not allowed here"),
    "internal_error": Code(500, "Something went wrong on our side"),
    "run_failed": Code(None, "The run couldn't be completed. Please try again."),
}
"""The codes of the documents, and `forbidden`, which guards a served brain against foreign Host and Origin headers."""

OWN_CODES: Final[Mapping[str, Code]] = {
    "usage": Code(None, "The command line does not make sense"),
    "no_key": Code(None, "No key is set"),
    "unreachable": Code(None, "The brain could not be reached"),
    "bad_response": Code(None, "What came back is not the Brain API"),
    "wait_interrupted": Code(None, "The wait was interrupted; the answer goes on"),
    "interrupted": Code(None, "The teaching was interrupted while this was being sent"),
    "not_sent": Code(None, "The teaching stopped before this was sent"),
    "store_error": Code(None, "The brain's own store cannot be used"),
    "fault": Code(None, "brainctl itself failed"),
    "unwritable": Code(None, "What came of it could not be written"),
}
"""Codes of brainctl's own, which no server sends."""

ALL_CODES: Final[Mapping[str, Code]] = {**API_CODES, **OWN_CODES}


class BrainError(Exception):
    """Any failure, with what is known of it. `code` may be one that no table of ours holds."""

    def __init__(
        self,
        code: str,
        message: str | None = None,
        *,
        details: Any = None,
        http_status: int | None = None,
        request_id: str | None = None,
    ) -> None:
        row = ALL_CODES.get(code)
        self.code = code
        self.message = message or (row.message if row else code)
        self.details = details
        self.http_status = http_status if http_status is not None else (row.http_status if row else None)
        self.request_id = request_id
        super().__init__(f"{code}: {self.message}")

    def envelope(self) -> dict[str, Any]:
        """The API's own error shape: code, message, and details where there is something to say."""
        inner: dict[str, Any] = {"code": self.code, "message": self.message}
        if self.details is not None:
            inner["details"] = self.details
        return {"error": inner}

    def report(self) -> dict[str, Any]:
        """The shell's error shape: the envelope with `http_status` and `request_id` where they are known."""
        whole = self.envelope()
        if self.http_status is not None:
            whole["error"]["http_status"] = self.http_status
        if self.request_id is not None:
            whole["error"]["request_id"] = self.request_id
        return whole


def unsent(message: str, fields: Sequence[Mapping[str, str]] = ()) -> BrainError:
    """A `validation_error` before anything was sent: no brain has said it, so it has no status. Each of the fields has a
    `field` and a `message`.
    """
    error = BrainError("validation_error", message, details={"fields": list(fields)} if fields else None)
    error.http_status = None
    return error


def scope_missing(scope: str) -> BrainError:
    """The key may not do this: it lacks the scope."""
    return BrainError(
        "scope_missing", f"This API key is missing the '{scope}' scope", details={"scope": scope}
    )
