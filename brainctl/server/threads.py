"""Where a brain's calls block, so that the loop that serves everybody does not."""

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Thread
from typing import Final, TypeVar

from brainctl.contract.errors import BrainError
from brainctl.contract.events import Event
from brainctl.server.bodies import LARGE_BYTES

ADMITTING_THREADS: Final = 1
READING_THREADS: Final = 2
WRITING_THREADS: Final = 4
PARSING_THREADS: Final = 1
"""Few, since Python runs one thread at a time: eight that search at once do half as much in all as two do."""
STREAMS_MOST: Final = 1000
"""How many runs one process streams at once, those included whose listener has left: each takes a thread."""

T = TypeVar("T")


class Threads:
    """Threads of one process. Callers are let in beside whatever is searched for, and that beside what waits for a
    lock; open streams have threads of their own.
    """

    def __init__(self) -> None:
        self._admitting = ThreadPoolExecutor(ADMITTING_THREADS, "admitting")
        self._reading = ThreadPoolExecutor(READING_THREADS, "reading")
        self._writing = ThreadPoolExecutor(WRITING_THREADS, "writing")
        self._parsing = ThreadPoolExecutor(PARSING_THREADS, "parsing")
        self._streams = 0

    async def admit(self, call: Callable[[], T]) -> T:
        """Make a call that looks a key up."""
        return await asyncio.get_running_loop().run_in_executor(self._admitting, call)

    async def read(self, call: Callable[[], T]) -> T:
        """Make a call that only reads."""
        return await asyncio.get_running_loop().run_in_executor(self._reading, call)

    async def write(self, call: Callable[[], T]) -> T:
        """Make a call that may wait for a lock on the brain's file."""
        return await asyncio.get_running_loop().run_in_executor(self._writing, call)

    async def parse(self, body: bytes, read: Callable[[bytes], T]) -> T:
        """What is read of a body. Large ones wait for each other, and nobody else for them."""
        if len(body) < LARGE_BYTES:
            return read(body)
        return await asyncio.get_running_loop().run_in_executor(self._parsing, read, body)

    def require_room(self) -> None:
        """Raises `internal_error` where no further stream can be taken: before anything is begun for it."""
        if self._streams >= STREAMS_MOST:
            raise BrainError(
                "internal_error", "Too many answers are being streamed at this moment; try again soon"
            )

    def listen(
        self,
        events: Iterator[Event],
        hear: Callable[[Event | None], None],
        report: Callable[[Exception], None],
    ) -> None:
        """Tell `hear`, in this loop, each event of a stream, and None once it is over; `report`, why it broke.

        The stream is read to its end whether or not anybody listens still: it is a run, and goes on.
        """
        loop = asyncio.get_running_loop()
        self._streams += 1

        def over() -> None:
            self._streams -= 1
            hear(None)

        def read_on() -> None:
            # The loop may end before the run does: then there is nobody left to be told.
            with suppress(RuntimeError):
                try:
                    for event in events:
                        loop.call_soon_threadsafe(hear, event)
                except Exception as error:  # noqa: BLE001  # a thread of nobody's: the log is told
                    loop.call_soon_threadsafe(report, error)
                loop.call_soon_threadsafe(over)

        Thread(target=read_on, name="stream", daemon=True).start()

    def close(self) -> None:
        self._admitting.shutdown(wait=False)
        self._reading.shutdown(wait=False)
        self._writing.shutdown(wait=False)
        self._parsing.shutdown(wait=False)
