import itertools
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.cli.shell import Shell
from tests.engine.house import House
from tests.spot import Spot

_names = itertools.count()


@pytest.fixture
def new_house(new_spot: Callable[[], Spot]) -> Iterator[Callable[[], House]]:
    """Makes brains, as many as a test needs."""
    with ExitStack() as stack:
        yield lambda: House(new_spot(), stack)


@pytest.fixture
def house(new_house: Callable[[], House]) -> House:
    return new_house()


@pytest.fixture
def new_place(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], Spot]:
    """Finds places where a brain may be moved to, in files or in databases that hold none yet."""
    if getattr(request, "param", "file") == "file":
        return lambda: Spot(str(tmp_path / f"there {next(_names)}" / "moved.db"), "local")
    new_database: Callable[[], str] = request.getfixturevalue("new_database")
    address = new_database()
    return lambda: Spot(address, f"moved{os.getpid()}n{next(_names)}")


@pytest.fixture
def to(new_place: Callable[[], Spot]) -> Spot:
    return new_place()


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """A shell in an empty home; the tester's own keyring is not for tests."""
    home = tmp_path / "home"
    home.mkdir()
    return Shell(home, {"BRAINCTL_KEYRING": "off"})
