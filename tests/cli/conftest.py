import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from brainctl.engine.owner import open_owner
from tests.cli.hosted import Hosting, inside
from tests.cli.shell import Shell

ALONE = {"BRAINCTL_KEYRING": "off", "BRAINCTL_PACING": "off"}
"""The tester's own keyring is not for tests, and no test waits for what another one has sent."""

COMPANY = [
    ("Deposits are refundable until 30 days before the event.", "company"),
    ("Refunds for weddings go through Priya, who answers within two working days, never by cash.", "company"),
    ("Maria moved her wedding to 12 September; the deposit of 400 euros stays.", "Maria"),
    ("El aforo máximo es de 120 personas — sin excepción.", "company"),
]


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """A shell in an empty home."""
    home = tmp_path / "home"
    home.mkdir()
    return Shell(home, ALONE)


@pytest.fixture
def own(shell: Shell) -> Shell:
    """A shell with the sample brain made."""
    made = shell.run("brain", "init", "--sample")
    assert made.code == 0, made.err
    return shell


@pytest.fixture
def hosting(shell: Shell) -> Iterator[Hosting]:
    """Makes addresses that answer as they are told to, and a shell whose key opens them."""
    with ExitStack() as closing:
        yield Hosting(shell, closing)


@pytest.fixture(scope="session")
def company(tmp_path_factory: pytest.TempPathFactory) -> Shell:
    """A shell with a brain of a few facts on this machine. For reading alone: all tests share it."""
    shell = Shell(tmp_path_factory.mktemp("company"), ALONE)
    made = inside(shell, "brain", "init", "--json")
    assert made.code == 0, made.err
    with open_owner(json.loads(made.out)["store"]) as owner:
        owner.add_person("cust_419", "Maria")
        owner.load_facts(
            {
                "text": text,
                "kind": "decision",
                "origin": "user_stated",
                "subject": subject,
                "confidence": 0.9,
                "recorded_time": f"2026-07-14T09:12:{second:02d}.318Z",
            }
            for second, (text, subject) in enumerate(COMPANY)
        )
    return shell
