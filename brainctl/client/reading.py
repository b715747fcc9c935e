"""What came back, read: the data of a success, or the error that a failure stands for."""

import json
import math
import re
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from brainctl.client.failures import ExchangeError
from brainctl.client.masking import Mask
from brainctl.contract.json_names import NameTwiceError, each_name_once

RETRY_AFTER_DEFAULT: Final = 60.0
RETRY_AFTER_MAX: Final = 3600.0
"""A wait outside of 0 to 3600 s is no wait that a rate limit of 60 s can mean."""

NOTHING: Final[Mapping[str, type]] = {}

MESSAGE_MAX: Final = 2000
CODE_MAX: Final = 100
EXCERPT_MAX: Final = 300
TITLE_MAX: Final = 100

# Compiled where they are used, since a reply that is as it should be needs neither.
_TITLE: Final = r"(?is)<title[^>]*>(.*?)</title"
_SECONDS: Final = r"[0-9]{1,9}(\.[0-9]{1,9})?"


class Reply(NamedTuple):
    """A whole HTTP reply. `headers` have lower-case names."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def media_type(self) -> str:
        """The content type without its parameters, in lower case; empty where there is none."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()

    @property
    def request_id(self) -> str | None:
        return self.headers.get("x-request-id") or self.headers.get("request-id") or None


def data_of(reply: Reply, mask: Mask, needs: Mapping[str, type] = NOTHING) -> dict[str, Any]:
    """The `data` of a success, as it came. Raises the error the reply holds, or `bad_response`.

    `needs` are the fields without which nobody can go on, each with its type; whatever else is there, passes.
    """
    document = document_of(reply, mask)
    data = document.get("data") if isinstance(document, dict) else None
    if not isinstance(data, dict):
        raise not_the_api(reply, mask, "it holds no data object")
    for field, kind in needs.items():
        if not isinstance(data.get(field), kind):
            raise not_the_api(reply, mask, f"its data holds no {field}")
    return data


def document_of(reply: Reply, mask: Mask) -> Any:
    """The JSON of a success, whatever its shape. Raises the error the reply holds, or `bad_response`."""
    raise_failure(reply, mask)
    try:
        return strict_json(reply.body)
    except ValueError as error:
        raise not_the_api(reply, mask, str(error)) from None


def raise_failure(reply: Reply, mask: Mask) -> None:
    """Raises what a failed reply stands for; returns where it is a success.

    An error in the API's own envelope is that error, whatever its status. Anything else that is not a success
    is `rate_limited` where its status says so, and `bad_response`.
    """
    if (error := _enveloped(reply.body)) is not None:
        raise _api_error(reply, mask, error)
    if reply.status == 429:
        raise _rate_limited(
            reply, None, "Too many requests, says something between here and the brain.", None
        )
    if 300 <= reply.status < 400:
        raise ExchangeError("bad_response", _redirected(reply), http_status=reply.status)
    if not 200 <= reply.status < 300:
        raise not_the_api(reply, mask, "it is not an error of the API")


def not_the_api(reply: Reply, mask: Mask, why: str) -> ExchangeError:
    """The `bad_response` for a reply, naming its status, its type, and its title or how it begins."""
    text = reply.body[:65536].decode("utf-8", "replace")
    if found := re.search(_TITLE, text):
        shown = f", titled “{_excerpt(mask.text(found.group(1)), TITLE_MAX)}”"
    elif text.strip():
        shown = f", beginning “{_excerpt(mask.text(text), EXCERPT_MAX)}”"
    else:
        shown = ", empty"
    kind = mask.text(reply.headers.get("content-type", ""))[:TITLE_MAX] or "no content type"
    return ExchangeError(
        "bad_response",
        f"What came back is not the Brain API: {why} (HTTP {reply.status}, {kind}{shown}). Check the base URL.",
        http_status=reply.status,
        request_id=_shown_request_id(reply, mask),
        transient=reply.status >= 500,
    )


def strict_json(body: bytes) -> Any:
    """The JSON document in a body. Raises `ValueError`, saying why in a few words, where it is not sound."""
    if not body.strip():
        raise ValueError("it is empty")
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError("it is not UTF-8") from None
    document = sound_json(text)
    if b"\\ud" in body or b"\\uD" in body:
        try:
            json.dumps(document, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise ValueError("it holds half a character") from None
    return document


def sound_json(text: str, *, control_characters: bool = False) -> Any:
    """The JSON in a text, without what only some readers take. Raises `ValueError`, saying why in a few words."""
    try:
        return json.loads(
            text,
            strict=not control_characters,
            object_pairs_hook=each_name_once,
            parse_constant=_no_constant,
            parse_float=_finite,
            parse_int=_whole,
        )
    except NameTwiceError:
        raise ValueError("an object in it has a field twice") from None
    except json.JSONDecodeError:
        raise ValueError("it is not JSON") from None
    except RecursionError:
        raise ValueError("it is nested too deep") from None


def retry_after(headers: Mapping[str, str], details: Any) -> float:
    """Seconds a `rate_limited` reply asks us to wait: its details, else Retry-After, else 60."""
    named = details.get("retry_after_seconds") if isinstance(details, dict) else None
    if isinstance(named, (int, float)) and not isinstance(named, bool) and _is_sane(named):
        return float(named)
    header = headers.get("retry-after", "").strip()
    seconds = (
        float(header) if re.fullmatch(_SECONDS, header) else _seconds_until(header, headers.get("date", ""))
    )
    return seconds if seconds is not None and _is_sane(seconds) else RETRY_AFTER_DEFAULT


def _is_sane(seconds: float) -> bool:
    return math.isfinite(seconds) and 0 < seconds <= RETRY_AFTER_MAX


def _seconds_until(moment: str, now: str) -> float | None:
    """Both are HTTP dates of the same reply, so that a wrong clock of ours does not matter."""
    from email.utils import parsedate_to_datetime

    try:
        return (parsedate_to_datetime(moment) - parsedate_to_datetime(now)).total_seconds()
    except (TypeError, ValueError, IndexError, OverflowError):
        return None


def _enveloped(body: bytes) -> dict[str, Any] | None:
    """The inner object of an error envelope; None where there is no sound one."""
    if b'"error"' not in body:
        return None
    try:
        document = strict_json(body)
    except ValueError:
        return None
    error = document.get("error") if isinstance(document, dict) else None
    if isinstance(error, dict) and isinstance(error.get("code"), str) and error["code"].strip():
        return error
    return None


def _api_error(reply: Reply, mask: Mask, error: dict[str, Any]) -> ExchangeError:
    code = mask.text(error["code"])[:CODE_MAX]
    message = error.get("message")
    text = mask.text(message)[:MESSAGE_MAX] if isinstance(message, str) else None
    details = mask.value(error.get("details"))
    if code == "rate_limited" or reply.status == 429:
        return _rate_limited(reply, code, text, details, _shown_request_id(reply, mask))
    return ExchangeError(
        code,
        text,
        details=details,
        http_status=reply.status,
        request_id=_shown_request_id(reply, mask),
        transient=reply.status >= 500,
    )


def _rate_limited(
    reply: Reply, code: str | None, message: str | None, details: Any, request_id: str | None = None
) -> ExchangeError:
    return ExchangeError(
        code or "rate_limited",
        message,
        details=details,
        http_status=reply.status,
        request_id=request_id,
        transient=True,
        wait_seconds=retry_after(reply.headers, details),
    )


def _redirected(reply: Reply) -> str:
    """Names where to, without what else a location may hold: a user name, a token in its query."""
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(reply.headers.get("location", ""))
        port = f":{parts.port}" if parts.port else ""
        target = f"{parts.scheme or 'https'}://{parts.hostname}{port}" if parts.hostname else "another path"
    except ValueError:
        target = "an address that cannot be read"
    return (
        f"The brain answered with a redirect to {target}, and a key is never sent along a redirect. "
        "If that is where the brain is, set the environment's base URL to it."
    )


def _shown_request_id(reply: Reply, mask: Mask) -> str | None:
    return mask.text(reply.request_id)[:CODE_MAX] if reply.request_id else None


def _excerpt(text: str, longest: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= longest else f"{line[:longest]}…"


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError("it holds a number that is too large")
    return number


def _whole(digits: str) -> int:
    try:
        return int(digits)
    except ValueError:
        # Python's own sentence advises to change a setting of Python.
        raise ValueError("it holds a number that is too large") from None


def _no_constant(name: str) -> Any:
    raise ValueError(f"it holds {name}, which is not JSON")
