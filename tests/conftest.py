import itertools
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import pytest
from hypothesis import HealthCheck, settings

from tests import postgres
from tests.postgres import Server, emptied
from tests.spot import Spot

STORES: Final = ("sqlite", "postgres")


# How long an example takes says how busy the machine is.
settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("unhurried")


def pytest_configure(config: pytest.Config) -> None:
    """Hear Ctrl-C, as the commands that tests start shall: a shell has jobs in the background ignore it, and those
    they start in turn.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if not hasattr(config, "workerinput"):
        postgres.begin_run()


def pytest_unconfigure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        postgres.end_run()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Tests that are marked so run on every kind of store, the others on files."""
    marked = metafunc.definition.get_closest_marker
    if "store_kind" in metafunc.fixturenames and marked("both_stores") and not marked("of_a_file"):
        metafunc.parametrize("store_kind", STORES, indirect=True)


@pytest.fixture
def store_kind(request: pytest.FixtureRequest) -> str:
    return str(getattr(request, "param", STORES[0]))


@pytest.fixture(scope="session")
def postgres_server() -> Server:
    """The run's PostgreSQL. Tests are skipped where there can be none."""
    server = postgres.shared_server()
    if isinstance(server, str):
        pytest.skip(server)
    return server


_databases = itertools.count()


@pytest.fixture
def new_database(postgres_server: Server) -> Callable[[], str]:
    """Makes databases, and gives their addresses."""
    return lambda: postgres_server.new_database(f"own_{os.getpid()}_{next(_databases)}")


@pytest.fixture(scope="session")
def database(postgres_server: Server) -> str:
    """The address of a database that the tests of this process share, each in workspaces of its own."""
    return postgres_server.new_database(f"shared_{os.getpid()}")


@pytest.fixture
def new_spot(store_kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Callable[[], Spot]]:
    """Finds places for brains, in files or in workspaces of a database. The first workspace of a test is number 1."""
    numbers = itertools.count()
    if store_kind == "sqlite":
        yield lambda: Spot(str(tmp_path / f"brain {next(numbers)}" / "brain.db"), "local")
        return
    address: str = request.getfixturevalue("database")
    yield lambda: Spot(address, f"local {next(numbers) or ''}".strip())
    emptied(address)
