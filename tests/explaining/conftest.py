from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.cli.shell import Shell
from tests.engine.house import House


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
def house(tmp_path: Path) -> Iterator[House]:
    with ExitStack() as stack:
        yield House(tmp_path / "brain.db", stack)
