"""A workspace for each test, and the doors to it. What holds for one brain is asked of all."""

import itertools
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.doors.brain_over_http import BrainOverHttp
from tests.doors.served import Served
from tests.doors.workspace import Door, Workspace, in_a_database, in_process, over_a_socket, served, serving
from tests.postgres import emptied

_NUMBERS = itertools.count()

EACH_DOOR = [
    pytest.param(in_process, id="in process"),
    pytest.param(over_a_socket, id="over a socket"),
    pytest.param(served, id="served"),
    pytest.param(in_a_database, id="in a database"),
]


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with Workspace(tmp_path / "brain.db") as workspace:
        yield workspace


@pytest.fixture(params=EACH_DOOR)
def door(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Door]:
    yield from opened(tmp_path, request)


@pytest.fixture(scope="module", params=EACH_DOOR)
def module_door(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[Door]:
    """A door to one workspace for a whole file, which fills it once and then only reads."""
    yield from opened(tmp_path_factory.mktemp("module"), request)


def opened(folder: Path, request: pytest.FixtureRequest) -> Iterator[Door]:
    """A door to a workspace of its own."""
    where = folder / "brain.db"
    if request.param is in_a_database:
        where = request.getfixturevalue("database")
    with Workspace(where, f"contract {next(_NUMBERS)}") as workspace, ExitStack() as closing:
        yield request.param(workspace, closing)
    if request.param is in_a_database:
        emptied(str(where))


@pytest.fixture(params=["plain", "served"])
def wire(workspace: Workspace, request: pytest.FixtureRequest) -> Iterator[BrainOverHttp | Served]:
    """A server alone, for requests that no client makes."""
    if request.param == "served":
        with serving(workspace) as server:
            yield server
        return
    with BrainOverHttp(workspace.gate) as plain:
        yield plain
    assert plain.faults == []
