"""A workspace for each test, and the doors to it. What holds for one brain is asked of all."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.doors.brain_over_http import BrainOverHttp
from tests.doors.served import Served
from tests.doors.workspace import Door, Workspace, in_process, over_a_socket, served, serving

EACH_DOOR = [
    pytest.param(in_process, id="in process"),
    pytest.param(over_a_socket, id="over a socket"),
    pytest.param(served, id="served"),
]


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with Workspace(tmp_path / "brain.db") as workspace:
        yield workspace


@pytest.fixture(params=EACH_DOOR)
def door(workspace: Workspace, request: pytest.FixtureRequest) -> Iterator[Door]:
    with ExitStack() as closing:
        yield request.param(workspace, closing)


@pytest.fixture(scope="module", params=EACH_DOOR)
def module_door(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[Door]:
    """A door to one workspace for a whole file, which fills it once and then only reads."""
    with Workspace(tmp_path_factory.mktemp("module") / "brain.db") as workspace, ExitStack() as closing:
        yield request.param(workspace, closing)


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
