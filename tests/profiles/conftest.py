"""A configuration folder of a test's own."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from brainctl.profiles.changes import add_profile, plan_environment
from brainctl.profiles.entries import Profile, SecretPlace

Environ = dict[str, str]
AddKey = Callable[..., Profile]


@pytest.fixture
def environ(tmp_path: Path) -> Environ:
    """The variables of a user whose home is the test's folder, and who has no system keyring."""
    return {"BRAINCTL_HOME": str(tmp_path / "home"), "BRAINCTL_KEYRING": "off", "PATH": os.defpath}


@pytest.fixture
def warned() -> list[str]:
    """The sentences that were for the user."""
    return []


@pytest.fixture
def add_key(environ: Environ, warned: list[str]) -> AddKey:
    """Saves a key as profile `ENVIRONMENT/NAME`, the environment made as needed."""

    def add(slot: str, key: str | SecretPlace, base_url: str | None = None, given: bool = False) -> Profile:
        environment, _, name = slot.partition("/")
        planned = plan_environment(environ, environment, base_url)
        return add_profile(environ, planned, name, key, address_given=given, warn=warned.append)

    return add


def in_environ(environ: Mapping[str, str], *folders: str) -> Path:
    """A path below the home of these variables."""
    return Path(environ["BRAINCTL_HOME"], *folders)


@pytest.fixture
def config_path(environ: Environ) -> Path:
    return in_environ(environ, "config", "config.json")


@pytest.fixture
def secrets_path(environ: Environ) -> Path:
    return in_environ(environ, "data", "secrets.json")
