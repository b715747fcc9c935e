"""Which calls of a server wait for each other."""

import asyncio
import threading
from collections.abc import Iterator

import pytest

from brainctl.server.bodies import LARGE_BYTES
from brainctl.server.threads import Threads


@pytest.fixture
def threads() -> Iterator[Threads]:
    threads = Threads()
    try:
        yield threads
    finally:
        threads.close()


def test_only_a_large_body_is_read_beside_the_loop(threads: Threads) -> None:
    async def readers() -> list[threading.Thread]:
        sizes = (LARGE_BYTES - 1, LARGE_BYTES, 2 * LARGE_BYTES)
        return [await threads.parse(b" " * size, lambda _: threading.current_thread()) for size in sizes]

    small, *large = asyncio.run(readers())
    assert small is threading.current_thread()
    assert len(set(large)) == 1
    assert large[0] is not small


def test_searches_go_on_while_a_large_body_is_read(threads: Threads) -> None:
    async def both() -> str:
        searched = threading.Event()
        reading = asyncio.create_task(threads.parse(b" " * LARGE_BYTES, lambda _: searched.wait(60)))
        await threads.read(searched.set)
        assert await reading
        return "both"

    assert asyncio.run(both()) == "both"
