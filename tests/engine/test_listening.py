"""News from the database comes back, whatever kept it away."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from queue import Queue
from threading import Event

import psycopg
import pytest

from brainctl.engine.store.postgres.listening import CHANNEL, Listening

SECONDS = 30
"""Time enough for a busy machine."""


@pytest.fixture
def address(new_database: Callable[[], str]) -> str:
    return new_database()


@contextmanager
def many_open_files() -> Iterator[None]:
    """More than what `select` can wait for."""
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    if before[1] < 2048:
        pytest.skip("this machine lets nobody open so many files")
    resource.setrlimit(resource.RLIMIT_NOFILE, (2048, before[1]))
    files: list[int] = []
    try:
        files.extend(os.open(os.devnull, os.O_RDONLY) for _ in range(1100))
        yield
    finally:
        for each in files:
            os.close(each)
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


def told(address: str, answer_id: str) -> None:
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("SELECT pg_notify(%s, %s)", (CHANNEL, answer_id))


def test_news_comes_to_a_process_that_has_many_files_open(address: str) -> None:
    heard: Queue[str | None] = Queue()
    log: list[str] = []
    with many_open_files(), Listening(address, heard.put, log.append) as listening:
        assert heard.get(timeout=SECONDS) is None
        for answer_id in ("run_a", "run_b"):
            told(address, answer_id)
            assert heard.get(timeout=SECONDS) == answer_id
        assert (listening.is_lost, log) == (False, [])


def test_whatever_goes_wrong_is_logged_and_news_comes_again(address: str) -> None:
    heard: Queue[str | None] = Queue()
    log: Queue[str] = Queue()
    waits = Event()

    def hear(answer_id: str | None) -> None:
        if answer_id == "run_bad":
            raise ValueError("who is that?")
        heard.put(answer_id)

    def note(line: str) -> None:
        log.put(line)
        assert waits.wait(SECONDS)

    with Listening(address, hear, note) as listening:
        assert heard.get(timeout=SECONDS) is None
        told(address, "run_bad")
        assert "who is that?" in log.get(timeout=SECONDS)
        were_lost = [listening.is_lost]
        waits.set()
        assert heard.get(timeout=SECONDS) is None
        told(address, "run_good")
        assert heard.get(timeout=SECONDS) == "run_good"
        were_lost.append(listening.is_lost)
    assert were_lost == [True, False]
    assert log.empty()
