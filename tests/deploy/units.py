"""Reads a systemd unit as far as these tests go."""

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Final

DEPLOY: Final = Path(__file__).resolve().parents[2] / "deploy"
UNITS: Final = ("brainctl.service", "brainctl-backup.service", "brainctl-backup.timer")
PROGRAM: Final = "/opt/brainctl/bin/brainctl"


def service(name: str) -> dict[str, list[str]]:
    """Every value of each setting of a unit's service, in order."""
    settings: dict[str, list[str]] = {}
    section = ""
    for line in (DEPLOY / name).read_text("utf-8").splitlines():
        if line.startswith("["):
            section = line
        elif section == "[Service]" and line and not line.startswith("#"):
            key, _, value = line.partition("=")
            settings.setdefault(key, []).append(value)
    return settings


def command(settings: Mapping[str, list[str]], state: Path) -> list[str]:
    """The words of ExecStart, where `state` is the folder that holds the state of services."""
    (line,) = settings["ExecStart"]
    return [_expanded(word, state) for word in shlex.split(line)]


def environment(settings: Mapping[str, list[str]], state: Path) -> dict[str, str]:
    pairs = (
        _expanded(word, state).split("=", 1) for line in settings["Environment"] for word in line.split()
    )
    return dict(pairs)


def _expanded(word: str, state: Path) -> str:
    return "%".join(part.replace("%S", str(state)) for part in word.split("%%"))
