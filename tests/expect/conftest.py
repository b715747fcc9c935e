from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.cli.hosted import Hosting, inside
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


@pytest.fixture(scope="session")
def company(tmp_path_factory: pytest.TempPathFactory) -> Shell:
    """A shell with the sample brain, and a profile `widget` with an external key. For reading alone."""
    shell = Shell(tmp_path_factory.mktemp("company"), {"BRAINCTL_KEYRING": "off"})
    widget = ("brain", "keys", "create", "widget", "--audience", "external", "--save-as", "widget")
    for arguments in (("brain", "init", "--sample"), (*widget, "--scope", "memory.read")):
        made = inside(shell, *arguments)
        assert made.code == 0, made.err
    return shell
