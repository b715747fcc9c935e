"""The address of a brain: what is accepted, and what is refused before a key goes there."""

import re
from typing import Final

from brainctl.contract.errors import BrainError

PRODUCTION_URL: Final = "https://api.alfera.ai"

_PORTS: Final = {"http": 80, "https": 443}
_HOST: Final = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?\.?")
_LENGTH_MAX: Final = 2000


def check_base_url(text: str, called: str = "The base URL") -> str:
    """The address in its plain form: scheme and host in lower case, no trailing slash, its path kept.

    Raises `BrainError` (`usage`), whose sentence starts with `called` and never quotes the address, since it may
    hold a password.
    """
    problem = _early_problem(text)
    if problem:
        raise _refusal(called, problem)
    from urllib.parse import urlsplit

    from brainctl.contract.addresses import is_loopback

    try:
        parts = urlsplit(text)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise _refusal(called, "its host or port is malformed") from None
    if not host:
        raise _refusal(called, "it names no host")
    if "@" in parts.netloc:
        raise _refusal(called, "it holds a user name or password")
    if port == 0 or parts.netloc.endswith(":"):
        raise _refusal(called, "its port is malformed")
    literal = parts.netloc.startswith("[")
    if literal != (":" in host) or "%" in host or not (literal or _HOST.fullmatch(host)):
        raise _refusal(called, "its host is malformed")
    scheme = parts.scheme.lower()
    if scheme == "http" and not is_loopback(host):
        raise _refusal(called, "plain http:// would send the key unprotected, and is for this machine alone")
    return f"{scheme}://{parts.netloc.lower()}{parts.path.rstrip('/')}"


def is_production(base_url: str) -> bool:
    """Whether a checked address leads to the host of production, however its port or a final dot are written."""
    from urllib.parse import urlsplit

    parts = urlsplit(base_url)
    host = (parts.hostname or "").rstrip(".")
    return (
        host == urlsplit(PRODUCTION_URL).hostname and (parts.port or _PORTS[parts.scheme]) == _PORTS["https"]
    )


def _early_problem(text: str) -> str | None:
    """What a URL parser would pass over or repair in silence."""
    if not text:
        return "it is empty"
    if len(text) > _LENGTH_MAX:
        return f"it is longer than {_LENGTH_MAX} characters"
    for place, character in enumerate(text, start=1):
        if character.isspace() or ord(character) < 0x21 or ord(character) == 0x7F:
            return f"its character {place} is white space or a control character"
        if ord(character) > 0x7E:
            return f"its character {place} is not ASCII: write a host's xn-- form, and %XX in a path"
        if character == "\\":
            return f"its character {place} is a backslash"
        if character in "?#":
            return f"it holds a {character}: give the address without query or fragment"
    if not text.lower().startswith(("http://", "https://")):
        return "it does not start with https://"
    return None


def _refusal(called: str, problem: str) -> BrainError:
    return BrainError(
        "usage",
        f"{called} cannot be used: {problem}. It should look like https://brain.example.com, "
        "or http://127.0.0.1:8787 for a brain on this machine.",
    )
