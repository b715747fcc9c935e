"""Puts a served brain together: its store, its gate, its face to the network, and the processes that serve it."""

import gc
import os
import socket
from collections.abc import Callable
from typing import BinaryIO, NamedTuple

from brainctl.contract.errors import BrainError
from brainctl.engine.serving import ServedGate
from brainctl.server.access_log import Log
from brainctl.server.app import ROUTE_NAMES, BrainApp
from brainctl.server.guard import Guard
from brainctl.server.listening import Listening, address_of, bound
from brainctl.server.metrics import Metrics
from brainctl.server.processes import Keeper, can_be_many


class Serving(NamedTuple):
    """What is to be served, and how. `workers` are the threads of each process that work off the queue."""

    store: str
    host: str
    port: int
    processes: int
    workers: int
    hosts: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()


def serve(serving: Serving, log_to: BinaryIO | None, tell: Callable[[str], None]) -> None:
    """Serve until told to stop. `tell` is given the address once it is listened on.

    Raises `usage` where the address cannot be had, and `store_error`.
    """
    if serving.processes > 1 and not can_be_many():
        raise BrainError("usage", "This system serves a brain in one process: leave --processes out.")
    listener = bound(serving.host, serving.port)
    metrics = Metrics(ROUTE_NAMES, serving.processes)
    with listener:
        tell(address_of(listener, serving.host))
        if serving.processes == 1:
            _serve_here(serving, listener, metrics, log_to)
        else:
            keeper = Keeper(
                serving.processes,
                lambda place, pipe: _serve_as(place, pipe, serving, listener, metrics, log_to),
                let_go=listener.close,
            )
            keeper.run()


def _serve_as(
    place: int,
    pipe: int,
    serving: Serving,
    listener: socket.socket,
    metrics: Metrics,
    log_to: BinaryIO | None,
) -> int:
    metrics.be_process(place)
    try:
        _serve_here(serving, listener, metrics, log_to, pipe)
    except BrainError as error:
        Log(log_to).note(error.message)
        return 1
    return 0


def _serve_here(
    serving: Serving,
    listener: socket.socket,
    metrics: Metrics,
    log_to: BinaryIO | None,
    pipe: int | None = None,
) -> None:
    # A command lives too briefly to collect what it leaves; a server does not.
    gc.enable()
    log = Log(log_to)
    gate = ServedGate(serving.store, workers=serving.workers, log=log.note)
    app = BrainApp(
        gate,
        Guard(serving.host, serving.hosts, serving.origins),
        log,
        figures=gate.figures,
        heard=gate.heard,
        metrics=metrics,
    )
    listening = Listening(app, log, gate.stop)
    if pipe is not None:
        _stop_with(pipe, listening.stop)
    try:
        gate.start()
        listening.run([listener])
    finally:
        gate.close()


def _stop_with(pipe: int, stop: Callable[[], None]) -> None:
    """Stop when the other end of the pipe is closed: whoever kept this process is gone."""
    from threading import Thread

    def wait() -> None:
        os.read(pipe, 1)
        stop()

    Thread(target=wait, name="keeper", daemon=True).start()
