"""The names that completion offers."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from brainctl.profiles.entries import Profile
from brainctl.profiles.names import environment_names, profile_names

Environ = dict[str, str]


def test_names_are_offered_in_the_form_in_which_they_work(
    environ: Environ, add_key: Callable[..., Profile]
) -> None:
    add_key("dev/both", "key-1", "http://127.0.0.1:1")
    add_key("stage/both", "key-2", "http://127.0.0.1:2")
    add_key("stage/only", "key-3")
    assert environment_names(environ) == ["dev", "production", "stage"]
    assert profile_names(environ) == ["both", "only", "stage/both"]
    assert profile_names({**environ, "BRAINCTL_ENV": "stage"}) == ["both", "dev/both", "only"]
    assert profile_names(environ, "stage") == ["both", "only"]
    assert profile_names(environ, "nowhere") == []


@pytest.mark.parametrize(
    "raw", [b"", b"[]", b'{"environments": [1]}', b'{"environments": {"a": 1}}', b"\xff"]
)
def test_what_cannot_be_read_offers_nothing(environ: Environ, config_path: Path, raw: bytes) -> None:
    config_path.parent.mkdir(parents=True)
    config_path.write_bytes(raw)
    assert profile_names(environ) == []
    assert environment_names(environ) == ["production"]


@pytest.mark.parametrize("home", ["BRAINCTL_HOME", "HOME"])
def test_offering_names_loads_nothing_heavy(
    environ: Environ, home: str, add_key: Callable[..., Profile]
) -> None:
    add_key("production/a", "key-1")
    script = (
        "import os, sys\nbefore = set(sys.modules)\n"
        "from brainctl.profiles.names import profile_names, environment_names\n"
        "profile_names(os.environ), environment_names(os.environ)\n"
        "import json\nprint(json.dumps(sorted(set(sys.modules) - before)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", script],
        env={home: environ["BRAINCTL_HOME"]},
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = set(json.loads(done.stdout))
    assert "brainctl.profiles.names" in loaded
    heavy = {
        "httpx",
        "rich",
        "keyring",
        "sqlite3",
        "typer",
        "platformdirs",
        "typing",
        "pathlib",
        "urllib",
        "dataclasses",
    }
    assert not loaded & heavy
