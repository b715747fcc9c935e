"""What the page on serving says to do on a machine with systemd, done on one."""

from pathlib import Path

import pytest

from tests.deploy.machine import Machine, needs
from tests.docs.pages import ROOT, Command, blocks
from tests.docs.reader import matches

PAGE = ROOT / "docs" / "serving.md"
REASON = "a test runs it in a machine made for it"


def commands() -> list[Command]:
    return [command for block in blocks(PAGE) if block.rest == REASON for command in block.commands()]


@pytest.mark.machine
def test_a_reader_of_the_page_has_a_brain_that_is_served_copied_and_brought_back(tmp_path: Path) -> None:
    needs("debootstrap", "systemd-nspawn")
    looking = [
        Command("systemctl is-active brainctl brainctl-backup.timer", ["active", "active"]),
        Command("systemctl show brainctl -P NRestarts -P User", ["0", "brainctl"]),
        Command(
            "curl --silent --retry 9 --retry-delay 1 --retry-connrefused -H 'Host: brain.acme.example' 127.0.0.1:8787/healthz",
            ['{"status":"ok"}'],
        ),
        Command(
            "systemctl stop brainctl; systemctl show brainctl -P Result -P ExecMainStatus", ["success", "0"]
        ),
    ]
    asked = [*commands(), *looking]
    assert len(asked) > 25
    for command, told in zip(asked, Machine(tmp_path).follow(asked), strict=True):
        assert told.code == 0, f"{command.text}\n{told.out}{told.err}"
        assert matches(command.expected, told.out.splitlines()), f"{command.text}\n{told.out}"
