from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from brainctl.engine.owner import open_owner
from tests.answers.chat_server import ChatServer
from tests.deploy.streams import Dictated
from tests.server.process import Process, company

Running = Callable[..., Process]


@pytest.fixture
def dictated() -> Iterator[Dictated]:
    with ChatServer() as server:
        dictated = Dictated(server)
        yield dictated
        dictated.end()


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Running]:
    """Starts a serving process with these options; the next ones of a test serve the same brain."""
    with ExitStack() as closing:
        started: list[Process] = []

        def run(*options: str) -> Process:
            owner = open_owner(started[0].owner.store.address) if started else company(tmp_path / "brain.db")
            started.append(closing.enter_context(Process(tmp_path, owner, *options)))
            return started[-1]

        yield run
