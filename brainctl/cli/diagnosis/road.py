"""The way to a brain elsewhere: proxy, certificates, the address itself, and whether both clocks agree."""

from typing import TYPE_CHECKING, Final

from brainctl.cli.diagnosis.finding import Finding, ok, warning
from brainctl.cli.session import Session
from brainctl.client.address import parse_address

if TYPE_CHECKING:
    from brainctl.client.reading import Reply

SKEW_SECONDS: Final = 60.0
"""A larger difference between two clocks makes times, and what expires, hard to make sense of."""


class Road:
    """The way to the brain at an address, looked at once. Each look raises `BrainError` where the way is barred."""

    def __init__(self, session: Session, base_url: str) -> None:
        self._session = session
        self._address = parse_address(base_url)
        self._reply: Reply | None = None
        self._asked_at = 0.0

    def proxy(self) -> Finding:
        from brainctl.client.proxies import proxy_for

        choice = proxy_for(self._address, self._session.environ)
        if choice is not None:
            return ok(f"the one that {choice.variable} names")
        return ok("none: this machine itself" if self._address.loopback else "none")

    def certificates(self) -> Finding:
        from brainctl.client.certificates import tls_context

        if self._address.scheme != "https":
            return ok("none needed: plain http on this machine")
        tls_context(self._session.environ, needed=True)
        for variable in ("SSL_CERT_FILE", "SSL_CERT_DIR"):
            if self._session.environ.get(variable):
                return ok(f"those that {variable} names")
        return ok("those that come with brainctl")

    def address(self) -> Finding:
        """Whether anything answers there, through the proxy and with the certificates."""
        import time

        from brainctl.client.transport import Transport

        session = self._session
        transport = Transport(
            self._address,
            session.access.secret(),
            timeout=session.timeout,
            environ=session.environ,
            trace=session.output.trace if session.output.verbose else None,
        )
        started = time.monotonic()
        try:
            self._reply = transport.exchange("GET", "/", None, {"Accept": "*/*"})
        finally:
            transport.close()
        self._asked_at = session.environment.now()
        taken = (time.monotonic() - started) * 1000
        secure = " over TLS" if self._address.scheme == "https" else ""
        return ok(f"{self._address.url} answers{secure} within {taken:.0f} ms")

    def clock(self) -> Finding:
        """How far this machine's clock is from the brain's, by the reply of `address`."""
        said = self._reply.headers.get("date", "") if self._reply is not None else ""
        return clock_against(said, self._asked_at)


def clock_against(date: str, now: float) -> Finding:
    """Compare our time, in seconds since 1970, with the date of a reply that came then."""
    from email.utils import parsedate_to_datetime

    try:
        theirs = parsedate_to_datetime(date).timestamp()
    except (ValueError, TypeError, OverflowError):
        return ok("not known: the reply bears no date")
    ahead = now - theirs
    if abs(ahead) <= SKEW_SECONDS:
        return ok("this machine's agrees with the brain's")
    return warning(
        f"this machine's is {_duration(abs(ahead))} {'ahead of' if ahead > 0 else 'behind'} the brain's",
        "Set it by the network's time.",
    )


def _duration(seconds: float) -> str:
    for size, name in ((86_400, "days"), (3_600, "hours"), (60, "minutes")):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {name}"
    return f"{seconds:.0f} seconds"
