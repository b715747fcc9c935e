"""HTTP, and the only file that knows the library that speaks it.

Redirects are never followed, the library reads nothing from the environment (we do, and say so where it is
wrong), and every failure of the library leaves here as an `ExchangeError`.
"""

import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final

from brainctl import __version__
from brainctl.client.address import Address
from brainctl.client.certificates import tls_context
from brainctl.client.failures import ExchangeError
from brainctl.client.masking import Mask
from brainctl.client.proxies import ProxyChoice, proxy_for
from brainctl.client.reading import Reply
from brainctl.client.unpacking import unpacked
from brainctl.contract.errors import BrainError

if TYPE_CHECKING:
    import ssl
    import threading

    import httpx

REPLY_BYTES_MAX: Final = 64 * 1024 * 1024


class Incoming:
    """A reply whose head is here and whose body is still to come. Close it."""

    def __init__(self, response: "httpx.Response", boundary: "Boundary") -> None:
        self._response = response
        self._boundary = boundary
        self.status = response.status_code
        self.headers: Mapping[str, str] = {name.lower(): value for name, value in response.headers.items()}
        self._end: threading.Timer | None = None

    def chunks(self) -> Iterator[bytes]:
        """The body, each piece as it arrives. Raises `unreachable` where it breaks off."""
        with self._boundary.watched():
            yield from unpacked(self._response.iter_raw(), self.headers.get("content-encoding", ""))

    def break_off_in(self, seconds: float) -> None:
        """End the reply so many seconds from now, whatever comes; whoever reads it then sees it break off."""
        import threading

        self._end = threading.Timer(min(max(seconds, 0.0), threading.TIMEOUT_MAX), self._break_off)
        self._end.daemon = True
        self._end.start()

    def _break_off(self) -> None:
        import socket

        connection = self._response.extensions["network_stream"].get_extra_info("socket")
        # It may have ended by itself this moment.
        with suppress(OSError):
            connection.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        if self._end is not None:
            self._end.cancel()
        self._response.close()

    def head(self) -> Reply:
        """The reply with an empty body."""
        return Reply(self.status, self.headers, b"")


class Boundary:
    """Turns what the library raises into errors of ours. None of its own texts is passed on: they may hold headers."""

    def __init__(self, address: Address, proxy: ProxyChoice | None, read_seconds: float) -> None:
        self._origin = f"{address.scheme}://{address.host}" + (f":{address.port}" if address.port else "")
        self._through = f" through the proxy that {proxy.variable} names" if proxy else ""
        self._read_seconds = read_seconds

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Raises `ExchangeError` for any failure of HTTP, of the network or of TLS inside."""
        import httpx

        try:
            yield
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, UnicodeError) as error:
            raise self._mapped(error) from None

    def _mapped(self, error: Exception) -> ExchangeError:
        import httpx

        match error:
            case httpx.ConnectTimeout():
                return self._unreachable("no connection was made in time", transient=True, sent=False)
            case httpx.TimeoutException():
                return self._unreachable(f"nothing came for {self._read_seconds:g} s", transient=True)
            case httpx.ProxyError():
                return self._unreachable("the proxy refused", transient=False, sent=False)
            case httpx.ConnectError():
                why, transient = _why_not_connected(error)
                return self._unreachable(why, transient=transient, sent=False)
            case (
                httpx.InvalidURL() | httpx.UnsupportedProtocol() | httpx.LocalProtocolError() | UnicodeError()
            ):
                return ExchangeError(
                    "usage", f"No request to {self._origin} can be made of this method and path.", sent=False
                )
            case _:
                return self._unreachable(
                    "the connection was lost before the reply was complete", transient=True
                )

    def _unreachable(self, why: str, *, transient: bool, sent: bool = True) -> ExchangeError:
        what = (
            f"The exchange with {self._origin} broke off" if sent else f"{self._origin} could not be reached"
        )
        return ExchangeError(
            "unreachable",
            f"{what}{self._through}: {why}; check the {'network' if sent else 'address and the network'}.",
            transient=transient,
            sent=sent,
        )


class Transport:
    """Exchanges with one address, under one key, over connections kept open. Nothing is loaded before the first."""

    def __init__(
        self,
        address: Address,
        secret: str,
        *,
        timeout: float,
        clock: Callable[[], float] = time.monotonic,
        environ: Mapping[str, str] = os.environ,
        trace: Callable[[str], None] | None = None,
    ) -> None:
        self._address = address
        self._mask = Mask(secret)
        self._authorization = f"Bearer {secret}"
        self._timeout = timeout
        self._clock = clock
        self._environ = environ
        self._trace = trace
        self._client: httpx.Client | None = None
        self._proxy: ProxyChoice | None = None

    def __repr__(self) -> str:
        return f"Transport({self._address.url}, {self._mask})"

    def prepare(self) -> None:
        """Load what the first exchange needs. Raises `ExchangeError`."""
        self._opened()

    def exchange(self, method: str, path: str, body: bytes | None, headers: Mapping[str, str]) -> Reply:
        """One request and its whole reply, both within the timeout. Raises `ExchangeError`."""
        deadline = self._clock() + self._timeout
        incoming = self.open(method, path, body, headers)
        try:
            # A stream is as long as it is; only its silences are bounded.
            streams = incoming.head().media_type == "text/event-stream"
            return self.read(incoming, None if streams else deadline)
        finally:
            incoming.close()

    def open(
        self,
        method: str,
        path: str,
        body: bytes | None,
        headers: Mapping[str, str],
        *,
        read_seconds: float | None = None,
    ) -> Incoming:
        """One request, and its reply as soon as the head is here. `read_seconds` is the longest silence.

        `path` begins with a slash, so that it cannot change the host. Raises `ExchangeError`.
        """
        if not path.startswith("/") or not (method.isascii() and method.isalpha()):
            raise BrainError(
                "usage", "A request has a method, such as GET, and a path that begins with a slash."
            )
        silence = self._timeout if read_seconds is None else read_seconds
        url = self._address.url + path
        sent = {
            "Authorization": self._authorization,
            "User-Agent": f"brainctl/{__version__}",
            # Packed, events would be held back until a block is full, and a small reply could hold a huge one.
            "Accept-Encoding": "identity",
            **headers,
        }
        client = self._opened()
        boundary = Boundary(self._address, self._proxy, silence)
        started = self._clock()
        self._trace_request(method, url, sent, body)
        import httpx

        limits = httpx.Timeout(self._timeout, read=silence)
        with boundary.watched():
            request = client.build_request(method, url, content=body, headers=sent, timeout=limits)
            response = client.send(request, stream=True)
        incoming = Incoming(response, boundary)
        self._trace_head(response.reason_phrase, incoming, self._clock() - started)
        return incoming

    def read(self, incoming: Incoming, deadline: float | None = None) -> Reply:
        """The rest of a reply. Raises `unreachable` past the deadline, `bad_response` over 64 MiB."""
        parts: list[bytes] = []
        size = 0
        for chunk in incoming.chunks():
            parts.append(chunk)
            size += len(chunk)
            if size > REPLY_BYTES_MAX:
                limit = REPLY_BYTES_MAX // (1024 * 1024)
                raise ExchangeError(
                    "bad_response", f"The reply is larger than {limit} MiB, which no answer needs."
                )
            if deadline is not None and self._clock() > deadline:
                raise ExchangeError(
                    "unreachable",
                    f"The reply was not complete after {self._timeout:g} s; allow more with --timeout.",
                    transient=True,
                )
        reply = incoming.head()._replace(body=b"".join(parts))
        if self._trace and reply.body:
            self._trace(self._mask.body(reply.body))
        return reply

    def close(self) -> None:
        if self._client is not None:
            self._client.close()
            self._client = None

    def _opened(self) -> "httpx.Client":
        if self._client is None:
            _load_httpx()
            import httpx

            self._proxy = proxy_for(self._address, self._environ)
            context = tls_context(self._environ, needed=self._address.scheme == "https")
            try:
                proxy = _httpx_proxy(self._proxy, context) if self._proxy else None
                self._client = httpx.Client(
                    verify=context, proxy=proxy, trust_env=False, follow_redirects=False
                )
            except (ImportError, ValueError, httpx.InvalidURL):
                # The library's own sentences quote the proxy's URL, and a password may be in it.
                variable = self._proxy.variable if self._proxy else "the environment"
                raise ExchangeError(
                    "unreachable",
                    f"The proxy in {variable} cannot be used: its address is broken, or of a kind that needs "
                    f"more than is installed (socks needs the package socksio). Mend or unset {variable}.",
                    sent=False,
                ) from None
        return self._client

    def _trace_request(self, method: str, url: str, headers: Mapping[str, str], body: bytes | None) -> None:
        if self._trace:
            lines = [f"> {method} {self._mask.text(url)}"]
            lines += [f"> {line}" for line in self._mask.headers(headers)]
            if body:
                lines.append(self._mask.body(body))
            self._trace("\n".join(lines))

    def _trace_head(self, reason: str, incoming: Incoming, seconds: float) -> None:
        if self._trace:
            lines = [f"< {incoming.status} {reason} {seconds * 1000:.0f} ms"]
            lines += [f"< {line}" for line in self._mask.headers(incoming.headers)]
            self._trace("\n".join(lines))


def _httpx_proxy(choice: ProxyChoice, context: "ssl.SSLContext") -> "httpx.Proxy":
    import httpx

    secure = choice.url.lower().startswith("https:")
    return httpx.Proxy(choice.url, ssl_context=context if secure else None)


def _load_httpx() -> None:
    """Imports httpx without its command line, which brings click, rich and pygments where they are installed."""
    if "httpx" in sys.modules:
        return
    sys.modules["httpx._main"] = None  # type: ignore[assignment]  # how Python is told that a module is not there
    try:
        import httpx  # noqa: F401 - imported for its effect
    finally:
        # Two threads may come here at once.
        sys.modules.pop("httpx._main", None)


def _why_not_connected(error: Exception) -> tuple[str, bool]:
    """Why no connection was made, and whether that may pass by itself."""
    import socket
    import ssl

    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return f"its certificate is not trusted ({cause.verify_message})", False
        if isinstance(cause, ssl.SSLError):
            return "no secure connection could be agreed on", False
        if isinstance(cause, socket.gaierror):
            return "its name is not known", False
        if isinstance(cause, ConnectionRefusedError):
            return "the connection was refused", True
        cause = cause.__cause__ or cause.__context__
    return "no connection could be made", True
