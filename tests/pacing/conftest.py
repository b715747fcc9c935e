from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.cli.hosted import Hosting
from tests.cli.shell import Shell


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """A shell in an empty home."""
    home = tmp_path / "home"
    home.mkdir()
    return Shell(home, {"BRAINCTL_KEYRING": "off"})


@pytest.fixture
def hosting(shell: Shell) -> Iterator[Hosting]:
    """Makes addresses that answer as they are told to, and a shell whose key opens them."""
    with ExitStack() as closing:
        yield Hosting(shell, closing)
