"""The brain as `brain serve` serves it, in a thread of this process, on a free port."""

import io
import threading
from collections.abc import Callable
from typing import Any, Self

import uvicorn

from brainctl.contract.gate import Gate
from brainctl.server.access_log import Log
from brainctl.server.app import BrainApp
from brainctl.server.guard import Guard
from brainctl.server.listening import Listening, bound


class Served:
    """Serves what a gate lets in to, from `__enter__` to `__exit__`. `log` is what was written meanwhile."""

    def __init__(
        self,
        gate: Gate,
        *,
        guard: Guard | None = None,
        stopping: Callable[[float], None] = lambda _: None,
        **of_the_app: Any,
    ) -> None:
        self._written = io.BytesIO()
        log = Log(self._written)
        self.app = BrainApp(gate, guard or Guard("127.0.0.1"), log, **of_the_app)
        self._listener = bound("127.0.0.1", 0)
        self._listening = Listening(self.app, log, stopping)
        self._thread = threading.Thread(target=self._listening.run, args=([self._listener],), daemon=True)

    @property
    def address(self) -> tuple[str, int]:
        host, port = self._listener.getsockname()
        return str(host), int(port)

    @property
    def base_url(self) -> str:
        host, port = self.address
        return f"http://{host}:{port}"

    @property
    def config(self) -> uvicorn.Config:
        """The server library's own; a connection takes it as it is when it is opened."""
        return self._listening.config

    @property
    def log(self) -> str:
        return self._written.getvalue().decode()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listening.stop()
        self._thread.join()
        self._listener.close()
