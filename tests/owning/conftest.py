from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.cli.shell import Shell
from tests.engine.house import House
from tests.spot import Spot


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """A shell in an empty home; the tester's own keyring is not for tests."""
    home = tmp_path / "home"
    home.mkdir()
    return Shell(home, {"BRAINCTL_KEYRING": "off"})


@pytest.fixture
def own(shell: Shell) -> Shell:
    """A shell with an empty brain made."""
    made = shell.run("brain", "init", "-q")
    assert made.code == 0, made.err
    return shell


@pytest.fixture
def new_house(new_spot: Callable[[], Spot]) -> Iterator[Callable[[], House]]:
    """Makes brains, as many as a test needs."""
    with ExitStack() as stack:
        yield lambda: House(new_spot(), stack)


@pytest.fixture
def house(new_house: Callable[[], House]) -> House:
    return new_house()
