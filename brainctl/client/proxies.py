"""Which proxy, if any, stands between us and a brain, as the environment says it."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from brainctl.client.address import Address
from brainctl.client.failures import ExchangeError

SCHEMES: Final = ("http", "https", "socks5", "socks5h")


class ProxyChoice(NamedTuple):
    """A proxy's URL, which may hold a password, and the variable that named it, which may be shown."""

    variable: str
    url: str

    def __repr__(self) -> str:
        return f"ProxyChoice({self.variable})"


def proxy_for(address: Address, environ: Mapping[str, str]) -> ProxyChoice | None:
    """The proxy for an address. Raises `unreachable`, naming the variable, where its scheme is not one we know.

    A loopback address never has one: the key of a brain on this machine must not leave it.
    """
    if address.loopback or _is_exempt(address, _value(environ, "no_proxy")[1]):
        return None
    for name in ("https_proxy", "all_proxy"):
        variable, value = _value(environ, name)
        if value:
            url = value if "://" in value else f"http://{value}"
            if url.partition("://")[0].lower() not in SCHEMES:
                known = ", ".join(SCHEMES)
                raise ExchangeError(
                    "unreachable",
                    f"The proxy in {variable} cannot be used: its scheme is none of {known}. Mend or unset {variable}.",
                    sent=False,
                )
            return ProxyChoice(variable, url)
    return None


def _value(environ: Mapping[str, str], name: str) -> tuple[str, str]:
    """A variable in lower or upper case, the lower case first, as curl and Python have it."""
    for variable in (name, name.upper()):
        if value := environ.get(variable, "").strip():
            return variable, value
    return name.upper(), ""


def _is_exempt(address: Address, no_proxy: str) -> bool:
    return any(_matches(entry, address) for part in no_proxy.split(",") if (entry := part.strip().lower()))


def _matches(entry: str, address: Address) -> bool:
    """An entry is `*`, an address, a network (`10.0.0.0/8`), or a domain with all below it; a port narrows it."""
    from ipaddress import ip_address, ip_network

    if entry == "*":
        return True
    entry, port = _split_port(entry.partition("://")[2] or entry)
    if port is not None and port != (address.port or 443):
        return False
    try:
        return ip_address(address.host.partition("%")[0]) in ip_network(entry, strict=False)
    except ValueError:
        domain = entry.removeprefix("*").strip(".")
        host = address.host.lower().rstrip(".")
        return bool(domain) and (host == domain or host.endswith(f".{domain}"))


def _split_port(entry: str) -> tuple[str, int | None]:
    if entry.startswith("["):
        host, _, rest = entry[1:].partition("]")
        rest = rest.removeprefix(":")
    elif entry.count(":") == 1:
        host, _, rest = entry.partition(":")
    else:
        return entry, None
    # A network in brackets, `[fd00::]/8`, keeps its length.
    if rest.startswith("/"):
        return host + rest, None
    return host, int(rest) if rest.isascii() and rest.isdigit() else None
