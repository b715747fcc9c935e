from pathlib import Path

import pytest

from tests.cli.shell import Shell


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """A shell in an empty home."""
    home = tmp_path / "home"
    home.mkdir()
    return Shell(home)


@pytest.fixture
def own(shell: Shell) -> Shell:
    """A shell with the sample brain made."""
    made = shell.run("brain", "init", "--sample")
    assert made.code == 0, made.err
    return shell
