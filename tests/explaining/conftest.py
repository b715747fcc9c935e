from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.cli.shell import Shell
from tests.engine.house import House
from tests.spot import Spot


@pytest.fixture
def own(tmp_path: Path) -> Shell:
    """A shell with an empty brain made; the tester's own keyring is not for tests."""
    home = tmp_path / "home"
    home.mkdir()
    shell = Shell(home, {"BRAINCTL_KEYRING": "off"})
    made = shell.run("brain", "init", "-q")
    assert made.code == 0, made.err
    return shell


@pytest.fixture
def house(new_spot: Callable[[], Spot]) -> Iterator[House]:
    with ExitStack() as stack:
        yield House(new_spot(), stack)
