import shutil
import stat
import sys
from pathlib import Path

import pytest

from tests.completion.shells import Bash, Fish, Shell, Zsh

KINDS: dict[str, type[Shell]] = {"bash": Bash, "zsh": Zsh, "fish": Fish}


@pytest.fixture(scope="session")
def zsh_dump(tmp_path_factory: pytest.TempPathFactory) -> Path:
    dump = tmp_path_factory.mktemp("zsh") / "dump"
    if program := shutil.which("zsh"):
        Zsh.remember(program, dump)
    return dump


def shell_of(name: str, folder: Path) -> Shell:
    program = shutil.which(name)
    if program is None or sys.platform == "win32":
        pytest.skip(f"{name} is not installed here")
    folder.mkdir()
    return KINDS[name](program, folder)


@pytest.fixture(params=sorted(KINDS))
def shell(request: pytest.FixtureRequest, tmp_path: Path, zsh_dump: Path) -> Shell:
    """Each shell in turn, on a machine where no program can be found."""
    shell = shell_of(request.param, tmp_path / "home")
    if isinstance(shell, Zsh):
        shell.dump = zsh_dump
    return shell


@pytest.fixture
def bash(tmp_path: Path) -> Bash:
    found = shell_of("bash", tmp_path / "home")
    assert isinstance(found, Bash)
    return found


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    """A folder for PATH whose `brainctl` is the real one; each start of it adds a line to `started`."""
    folder = tmp_path / "bin"
    folder.mkdir()
    return program(folder, f'echo "$*" >> {folder / "started"}\nexec {sys.executable} -m brainctl "$@"\n')


@pytest.fixture
def liar(tmp_path: Path) -> Path:
    """A folder for PATH whose `brainctl` answers with what no shell should take in."""
    folder = tmp_path / "liars"
    folder.mkdir()
    offers = "a b\n$(touch pwned)\n`touch pwned`\nx:y\n;touch pwned\n*\n~\n-x y\nnames=1\n\nplain\n"
    (folder / "offers").write_text(offers)
    return program(folder, f'while IFS= read -r line; do echo "$line"; done < {folder / "offers"}\n')


def program(folder: Path, body: str) -> Path:
    file = folder / "brainctl"
    file.write_text(f"#!/bin/sh\n{body}")
    file.chmod(file.stat().st_mode | stat.S_IXUSR)
    return folder
