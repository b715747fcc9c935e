"""Brains to serve: in a process of their own as people run them, and in this one where a test must reach inside."""

import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from tests import postgres
from tests.doors.workspace import Workspace
from tests.server.process import Process, company

Running = Callable[..., Process]


@pytest.fixture(scope="session")
def documented(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Process]:
    """A served brain that knows what the documents' examples show. Shared: what is taught to it stays."""
    home = tmp_path_factory.mktemp("documented")
    with Process(home, company(home / "brain.db")) as process:
        yield process


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Running]:
    """Starts a serving process with these options. One test may have several, of one brain."""
    with ExitStack() as closing:

        def run(*options: str) -> Process:
            return closing.enter_context(Process(tmp_path, company(tmp_path / "brain.db"), *options))

        yield run


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with Workspace(tmp_path / "brain.db") as workspace:
        yield workspace


@pytest.fixture(scope="module")
def own_postgres() -> Iterator[postgres.Server]:
    """A PostgreSQL that a test may stop and start, and that keeps what it was given."""
    programs = postgres.programs()
    if programs is None:
        pytest.skip("no PostgreSQL for tests in this Python")
    # Not among the files of the tests: whoever it runs as has to get there.
    folder = Path(tempfile.mkdtemp(prefix="brainctl-own-postgres-"))
    folder.chmod(0o755)
    server = postgres.Server(folder / "server", programs)
    try:
        server.make()
        server.start()
        yield server
    finally:
        with suppress(OSError):
            server.stop("immediate")
        shutil.rmtree(folder, ignore_errors=True)
