from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.cli.hosted import Hosting, inside
from tests.cli.shell import Shell

ALONE = {"BRAINCTL_KEYRING": "off", "BRAINCTL_PACING": "off"}
"""The tester's own keyring is not for tests, and what is paced has tests of its own."""


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """A shell in an empty home."""
    home = tmp_path / "home"
    home.mkdir()
    return Shell(home, ALONE)


@pytest.fixture
def company(shell: Shell) -> Shell:
    """A shell with the sample brain on this machine."""
    assert inside(shell, "brain", "init", "--sample").code == 0
    return shell


@pytest.fixture
def hosting(shell: Shell) -> Iterator[Hosting]:
    """Makes addresses that answer as they are told to, and a shell whose key opens them."""
    with ExitStack() as closing:
        yield Hosting(shell, closing)
