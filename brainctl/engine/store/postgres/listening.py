"""News of answers from all processes and hosts, as the database passes them on."""

import socket
import threading
from collections.abc import Callable
from contextlib import closing
from selectors import EVENT_READ, DefaultSelector
from typing import TYPE_CHECKING, Final, Self

import psycopg

from brainctl.contract.errors import BrainError
from brainctl.engine.store.postgres.connection import connected
from brainctl.engine.store.postgres.failures import sentence_for

if TYPE_CHECKING:
    from brainctl.engine.store.postgres.connection import PostgresConnection

CHANNEL: Final = "brainctl"
_AGAIN_FIRST: Final = 0.1
_AGAIN_LONGEST: Final = 2.0


class Listening:
    """A thread with a connection of its own, from `__enter__` to `__exit__`.

    `hear` is told the id of each answer that was queued or has ended, and None whenever the connection is there anew,
    since nobody knows what was said in between. `log` is told once that it was lost; `is_lost` says whether it is now.
    """

    def __init__(self, address: str, hear: Callable[[str | None], None], log: Callable[[str], None]) -> None:
        self._address = address
        self._hear = hear
        self._log = log
        self._thread = threading.Thread(target=self._listen, name="listening", daemon=True)
        # Closed, it wakes the thread wherever it waits.
        self._ours, self._theirs = socket.socketpair()
        self._is_over = threading.Event()
        self.is_lost = False

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        self._ours.close()

    def _listen(self) -> None:
        pause = _AGAIN_FIRST
        try:
            while not self._is_over.is_set():
                try:
                    with closing(connected(self._address)) as connection, DefaultSelector() as selector:
                        connection.execute(f"LISTEN {CHANNEL}")
                        selector.register(connection, EVENT_READ)
                        selector.register(self._theirs, EVENT_READ)
                        self._hear(None)
                        pause, self.is_lost = _AGAIN_FIRST, False
                        self._pass_on(connection, selector)
                except Exception as error:  # noqa: BLE001  # a thread of nobody's, and all wait for what it hears
                    self.is_lost = True
                    if pause == _AGAIN_FIRST:
                        self._log(f"No news for a while: {self._why(error)}")
                    self._is_over.wait(pause)
                    pause = min(2 * pause, _AGAIN_LONGEST)
        finally:
            self._theirs.close()

    def _why(self, error: Exception) -> str:
        if isinstance(error, psycopg.Error):
            return sentence_for(error, self._address)
        return error.message if isinstance(error, BrainError) else f"{type(error).__name__}: {error}"

    def _pass_on(self, connection: "PostgresConnection", selector: DefaultSelector) -> None:
        while not self._is_over.is_set():
            for answer_id in connection.heard():
                self._hear(answer_id)
            selector.select()
