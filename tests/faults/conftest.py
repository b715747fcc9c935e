from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.cli.hosted import Hosting
from tests.cli.shell import Shell


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """A shell in an empty home. The tester's own keyring is not for tests, and nothing waits for a place."""
    home = tmp_path / "home"
    home.mkdir()
    return Shell(home, {"BRAINCTL_KEYRING": "off", "BRAINCTL_PACING": "off"})


@pytest.fixture
def hosting(shell: Shell) -> Iterator[Hosting]:
    """Makes addresses that answer as they are told to, and a shell whose key opens them."""
    with ExitStack() as closing:
        yield Hosting(shell, closing)
