"""Who may speak to a served brain at all: a page in somebody's browser may not, unless it was named.

A foreign `Host` is the mark of DNS rebinding, a foreign `Origin` that of a page elsewhere. Programs send no Origin.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from brainctl.contract.errors import BrainError

LOOPBACK_NAMES: Final = ("localhost", "127.0.0.1", "[::1]")
_ANY_ADDRESS: Final = ("0.0.0.0", "::")  # noqa: S104  # compared with, not bound to
_HOST: Final = re.compile(r"(\[[0-9a-f:.]+\]|[^:\[\]\s/@]+)(?::(\d{1,5}))?")
_IPV4: Final = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}")

Headers = Sequence[tuple[bytes, bytes]]


class Guard:
    """Holds what is allowed: the loopback names, the address it is bound to, and what its owner named.

    `hosts` are names, with a port or for any port; `origins` are whole, such as `https://app.example`.
    """

    def __init__(self, bound_to: str, hosts: Iterable[str] = (), origins: Iterable[str] = ()) -> None:
        own = f"[{bound_to}]" if ":" in bound_to else bound_to
        self._hosts = {host.lower() for host in (*LOOPBACK_NAMES, own, *hosts)}
        self._origins = {origin.lower().rstrip("/") for origin in origins}
        # An address cannot be rebound to another machine, a name can.
        self._takes_addresses = bound_to in _ANY_ADDRESS

    def check(self, headers: Headers) -> str | None:
        """The origin of an allowed page elsewhere, None where the caller is no such page. Raises `forbidden`."""
        hosts = _values(headers, b"host")
        if len(hosts) != 1 or not self._is_own(hosts[0]):
            raise BrainError("forbidden", "This brain is not served under the host that the request names")
        origins = _values(headers, b"origin")
        if not origins or origins in ([f"http://{hosts[0]}"], [f"https://{hosts[0]}"]):
            return None
        if len(origins) == 1 and origins[0] in self._origins:
            return origins[0]
        raise BrainError("forbidden", "Pages of this origin may not use this brain")

    def _is_own(self, host: str) -> bool:
        found = _HOST.fullmatch(host)
        if found is None:
            return False
        name = found[1]
        is_address = name.startswith("[") or _IPV4.fullmatch(name) is not None
        return host in self._hosts or name in self._hosts or (self._takes_addresses and is_address)


def cors(origin: str) -> list[tuple[bytes, bytes]]:
    """What a browser wants to read before it shows a reply to a page elsewhere."""
    return [
        (b"access-control-allow-origin", origin.encode()),
        (b"access-control-expose-headers", b"Retry-After, X-Request-Id"),
        (b"vary", b"Origin"),
    ]


def preflight(methods: Iterable[str]) -> list[tuple[bytes, bytes]]:
    """What a browser wants to know before it sends a page's request."""
    asked = b"Authorization, Content-Type, Idempotency-Key, MCP-Protocol-Version, X-Api-Key"
    return [
        (b"access-control-allow-methods", ", ".join(methods).encode()),
        (b"access-control-allow-headers", asked),
        (b"access-control-max-age", b"600"),
    ]


def is_from_here(client: tuple[str, int] | None, headers: Headers) -> bool:
    """Whether the caller is on this machine and not behind a proxy of it."""
    passed_on: Mapping[bytes, bool] = {name: True for name, _ in headers}
    proxied = any(name in passed_on for name in (b"forwarded", b"x-forwarded-for", b"x-real-ip"))
    return client is not None and not proxied and (client[0] == "::1" or client[0].startswith("127."))


def _values(headers: Headers, name: bytes) -> list[str]:
    return [value.decode("latin-1").strip().lower() for each, value in headers if each == name]
