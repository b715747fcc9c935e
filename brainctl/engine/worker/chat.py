"""A chat endpoint over HTTP: the only file of the engine that knows a library for that."""

import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from brainctl.contract.addresses import is_loopback
from brainctl.engine.worker.chat_stream import chunks
from brainctl.engine.worker.worker import WorkerError

if TYPE_CHECKING:
    import httpx

CONNECT_SECONDS: Final = 10.0
SILENCE_SECONDS: Final = 120.0
"""How long a server may say nothing, or nothing but that it is there still: a model on one's own machine may have to
be loaded before its first word, and one that thinks is silent for a minute and more.
"""

REPLY_SECONDS: Final = 300.0
"""How long one reply may take, as long as a run: what only keeps a line open would hold on to a thread for ever."""

_QUOTED_BYTES: Final = 500

Ask = Callable[[dict[str, Any]], Iterator[list[dict[str, Any]]]]
"""Sends the body of a chat completion and gives the chunks of its reply as they come, those of a moment together.

Raises `WorkerError`.
"""


class ChatEndpoint:
    """What stands before `/chat/completions`, and the variable that holds the key to it."""

    def __init__(
        self,
        base_url: str,
        key_env: str | None,
        *,
        environ: Mapping[str, str] = os.environ,
        silence_seconds: float = SILENCE_SECONDS,
        elapsed: Callable[[], float] = time.monotonic,
        connect_seconds: float = CONNECT_SECONDS,
    ) -> None:
        self._url = f"{base_url.rstrip('/')}/chat/completions"
        self._key_env = key_env
        self._environ = environ
        self._silence = silence_seconds
        self._elapsed = elapsed
        self._connect = connect_seconds

    def __repr__(self) -> str:
        return f"ChatEndpoint({self._url!r}, {self._key_env!r})"

    @contextmanager
    def opened(self) -> Iterator[Ask]:
        """A connection for the replies of one answer. Raises `WorkerError` for whatever goes wrong, without the key."""
        key = self._key()
        _load_httpx()
        import httpx

        try:
            with self._client(key) as client:
                yield lambda body: self._reply(client, body, key)
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, OSError, ValueError) as error:
            what = f"{type(error).__name__}: {error}"
            raise WorkerError(f"{self._url} could not be asked: {_without(key, what)}") from None

    def _key(self) -> str | None:
        if self._key_env is None:
            return None
        key = self._environ.get(self._key_env, "").strip()
        if not key:
            raise WorkerError(f"the variable {self._key_env}, which should hold the model's key, is not set")
        if not (key.isascii() and key.isprintable()):
            raise WorkerError(
                f"the variable {self._key_env} does not hold a key: it has characters no key has"
            )
        return key

    def _client(self, key: str | None) -> "httpx.Client":
        _load_httpx()
        import ssl

        import httpx

        url = httpx.URL(self._url)
        here = is_loopback(url.host)
        # The usual context costs 40 ms. Without TLS an empty one does; should it be used after all, it trusts nobody.
        verify = True if url.scheme == "https" else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        return httpx.Client(
            # Packed, little that is sent can become more than memory holds.
            headers={"Accept-Encoding": "identity", **({"Authorization": f"Bearer {key}"} if key else {})},
            timeout=httpx.Timeout(self._connect, read=self._silence),
            verify=verify,
            # What is on this machine is never asked for through a proxy.
            trust_env=not here,
        )

    def _reply(
        self, client: "httpx.Client", body: dict[str, Any], key: str | None
    ) -> Iterator[list[dict[str, Any]]]:
        with client.stream("POST", self._url, json=body) as response:
            media_type = response.headers.get("content-type", "").partition(";")[0].strip().lower()
            if response.status_code != 200 or media_type != "text/event-stream":
                said = _beginning(response.iter_raw())
                raise WorkerError(
                    f"{self._url} answered {response.status_code} with {media_type or 'no type'}, "
                    f"not with a stream: {_without(key, said)}"
                )
            if response.headers.get("content-encoding", "identity").strip().lower() != "identity":
                raise WorkerError(f"{self._url} packed its reply, although it was asked not to")
            patience = _Patience(self._silence, self._elapsed)
            for together in chunks(patience.with_each(response.iter_raw())):
                yield together
                patience.begin_again()


class _Patience:
    """Gives up a reply of which nothing comes but bytes that say nothing, or that does not end."""

    def __init__(self, silence_seconds: float, elapsed: Callable[[], float]) -> None:
        self._silence = silence_seconds
        self._elapsed = elapsed
        self._started = self._heard = elapsed()

    def begin_again(self) -> None:
        """Something was said."""
        self._heard = self._elapsed()

    def with_each(self, parts: Iterator[bytes]) -> Iterator[bytes]:
        for part in parts:
            now = self._elapsed()
            if now - self._heard > self._silence:
                raise WorkerError(f"the model said nothing for {self._silence:g} s")
            if now - self._started > REPLY_SECONDS:
                raise WorkerError(f"the model did not come to an end in {REPLY_SECONDS:g} s")
            yield part


def _beginning(parts: Iterator[bytes]) -> str:
    start = b""
    for part in parts:
        start += part
        if len(start) >= _QUOTED_BYTES:
            break
    return start[:_QUOTED_BYTES].decode("utf-8", "replace")


def _without(key: str | None, text: str) -> str:
    return text.replace(key, "(the key)") if key else text


def _load_httpx() -> None:
    """Import it without its command line, which brings click, rich and pygments where they are installed."""
    if "httpx" not in sys.modules:
        sys.modules["httpx._main"] = None  # type: ignore[assignment]  # how Python is told that a module is not there
        try:
            import httpx  # noqa: F401 - imported for its effect
        finally:
            # Another thread may have been as far.
            sys.modules.pop("httpx._main", None)
