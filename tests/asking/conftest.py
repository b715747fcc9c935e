import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.cli.hosted import Hosting
from tests.cli.shell import Shell

ALONE = {"BRAINCTL_KEYRING": "off", "BRAINCTL_PACING": "off"}
"""The tester's own keyring is not for tests, and no test waits for what another one has sent."""


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """A shell in an empty home."""
    home = tmp_path / "home"
    home.mkdir()
    return Shell(home, ALONE)


@pytest.fixture
def hosting(shell: Shell) -> Iterator[Hosting]:
    """Makes addresses that answer as they are told to, and a shell whose key opens them."""
    with ExitStack() as closing:
        yield Hosting(shell, closing)


@pytest.fixture
def journal(shell: Shell) -> "JournalFile":
    return JournalFile(shell.home / ".local/state/brainctl/answers.jsonl")


class JournalFile:
    """The file in which this machine notes what it has asked."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def rows(self) -> list[dict[str, Any]]:
        if not self.path.exists():
            return []
        return [json.loads(line) for line in self.path.read_text().splitlines() if line]

    def write(self, *rows: dict[str, Any]) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
