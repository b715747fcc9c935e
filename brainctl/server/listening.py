"""A socket, and the server library on it: it and `wire.py` alone know which library that is."""

import asyncio
import contextlib
import logging
import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final

import uvicorn

from brainctl.contract.errors import BrainError
from brainctl.server.access_log import Log
from brainctl.server.wire import Wire

BACKLOG: Final = 2048
KEEP_ALIVE_SECONDS: Final = 65
"""Longer than the 60 s for which common proxies keep a connection: it is theirs to close it first."""
GRACE_SECONDS: Final = 5.0
"""How long runs may go on once the server is told to stop."""
_LAST_SECONDS: Final = 10
"""What is still open so long after that is cut off."""


def bound(host: str, port: int) -> socket.socket:
    """A listening socket; port 0 takes any free one. Raises `usage` where the address cannot be had."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listener = socket.socket(family, kind, protocol)
    except OSError as error:
        raise _not_had(host, port, error) from error
    try:
        if os.name != "nt":
            # There, it would let two servers have one port.
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(BACKLOG)
        listener.setblocking(False)
    except OSError as error:
        listener.close()
        raise _not_had(host, port, error) from error
    return listener


def _not_had(host: str, port: int, error: OSError) -> BrainError:
    reason = error.strerror or str(error)
    return BrainError(
        "usage",
        f"The address {host} port {port} cannot be listened on: {reason}. Give another --host or --port.",
    )


def address_of(listener: socket.socket, host: str) -> str:
    """The URL under which a listening socket is reached from this machine."""
    port = listener.getsockname()[1]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


class Listening(uvicorn.Server):
    """Serves an app on a socket until it is told to stop, and then once more as long as `stopping` takes.

    `stopping` is called in a thread as soon as nobody new is let in, with the seconds that runs may go on.
    """

    def __init__(
        self, app: Any, log: Log, stopping: Callable[[float], None], grace_seconds: float = GRACE_SECONDS
    ) -> None:
        _tell(log)
        super().__init__(
            uvicorn.Config(
                app,
                http=partial(Wire, log),  # type: ignore[arg-type]  # whatever makes a connection will do
                ws="none",
                loop="auto",
                lifespan="on",
                log_config=None,
                access_log=False,
                proxy_headers=False,
                server_header=False,
                timeout_keep_alive=KEEP_ALIVE_SECONDS,
                timeout_graceful_shutdown=int(grace_seconds) + _LAST_SECONDS,
                backlog=BACKLOG,
            )
        )
        self._stopping = stopping
        self._grace_seconds = grace_seconds

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        loop = asyncio.get_running_loop()
        ended = asyncio.Event()

        def end() -> None:
            try:
                self._stopping(self._grace_seconds)
            finally:
                loop.call_soon_threadsafe(ended.set)

        threading.Thread(target=end, name="stopping").start()
        await super().shutdown(sockets)
        await ended.wait()

    def stop(self) -> None:
        """Stop gracefully; told once more, at once. May be called from any thread, and by a signal."""
        self.force_exit = self.should_exit
        self.should_exit = True

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Take the signals that end a server as an order to stop: a stop that was asked for is no failure."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {each: signal.signal(each, lambda *_: self.stop()) for each in stop_signals()}
        try:
            yield
        finally:
            for each, handler in before.items():
                signal.signal(each, handler)


def stop_signals() -> list[signal.Signals]:
    """The signals that tell a server to stop."""
    names = ("SIGINT", "SIGTERM", "SIGBREAK")
    return [getattr(signal, name) for name in names if hasattr(signal, name)]


class _Telling(logging.Handler):
    def __init__(self, log: Log) -> None:
        super().__init__(logging.WARNING)
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        # Without what was raised: that may hold anything.
        self._log.note(record.getMessage())


def _tell(log: Log) -> None:
    """Let the log of the server have what the library has to say."""
    logger = logging.getLogger("uvicorn")
    logger.handlers[:] = [_Telling(log)]
    logger.propagate = False
