"""Where a brain is: a base URL, checked before any key goes near it."""

from typing import NamedTuple

from brainctl.contract.addresses import is_loopback
from brainctl.contract.errors import BrainError


class Address(NamedTuple):
    """A base URL in its parts. `url` has no trailing slash; `port` is None where the scheme decides."""

    url: str
    scheme: str
    host: str
    port: int | None
    loopback: bool


def parse_address(base_url: str) -> Address:
    """The address in a base URL. Raises `usage` where it is none, or is plain http to another machine."""
    from urllib.parse import urlsplit

    if not base_url or any(ord(character) <= 0x20 or character in "\\\x7f" for character in base_url):
        raise _unusable("it is empty or holds a blank, a control character or a backslash")
    try:
        parts = urlsplit(base_url)
        port = parts.port
    except ValueError:
        raise _unusable("its host or port cannot be read") from None
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise _unusable("it does not start with https:// and a host")
    if "@" in parts.netloc:
        raise _unusable("it holds a user name or password, which does not belong there")
    if "?" in base_url or "#" in base_url:
        raise _unusable("it holds a query or a fragment, and paths are put after it")
    loopback = is_loopback(parts.hostname)
    if parts.scheme == "http" and not loopback:
        raise _unusable("plain http to another machine would show the key on the way; use https")
    return Address(base_url.rstrip("/"), parts.scheme, parts.hostname, port, loopback)


def _unusable(why: str) -> BrainError:
    return BrainError("usage", f"The base URL cannot be used: {why}.")
