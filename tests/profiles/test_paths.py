"""Where files belong."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from brainctl.profiles.paths import places

HOMES = [
    {"HOME": "/home/ada"},
    {"HOME": "/home/ada/", "XDG_CONFIG_HOME": "/etc/mine", "XDG_STATE_HOME": "relative", "XDG_DATA_HOME": ""},
    {"HOME": "/", "XDG_STATE_HOME": "/s"},
    {"XDG_CONFIG_HOME": "/c", "XDG_STATE_HOME": "/s", "XDG_DATA_HOME": "/d"},
    {"HOME": "relative"},
    {},
]

ASK_BOTH = """
import json, os, platformdirs
from brainctl.profiles.paths import places
dirs = platformdirs.PlatformDirs("brainctl", appauthor=False)
ours = places(os.environ)
print(json.dumps([[ours.config, ours.state, ours.data], [dirs.user_config_dir, dirs.user_state_dir, dirs.user_data_dir]]))
"""

# The interpreter may lie in a home that another user cannot read, so all is imported before the user changes.
NOBODY = """
import os, sys, pwd, json, platformdirs
from brainctl.contract.errors import BrainError
from brainctl.profiles import access, no_home, paths, names
platformdirs.PlatformDirs("brainctl").user_config_dir
os.environ.clear()
os.setuid(54321)
for environ in ({"ALFERA_API_KEY": "ak_live_abcdefgh"}, {}, {"BRAINCTL_ENV": "production"}):
    try:
        print(access.choose(environ).source)
    except BrainError as error:
        print(error.code, "HOME" in error.message)
print(names.profile_names({}), names.environment_names({}))
# Leave at once: what a coverage tool would do at exit, this user may not.
sys.stdout.flush()
os._exit(0)
"""


def run(script: str, environ: dict[str, str]) -> str:
    done = subprocess.run(
        [sys.executable, "-c", script], env=environ, capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    return done.stdout


@pytest.mark.parametrize("environ", HOMES, ids=str)
def test_the_places_are_those_of_the_system(environ: dict[str, str]) -> None:
    ours, system = json.loads(run(ASK_BOTH, environ))
    assert ours == system


def test_one_variable_moves_everything_and_reading_makes_nothing(tmp_path: Path) -> None:
    home = tmp_path / "h"
    found = places({"BRAINCTL_HOME": str(home)})
    assert [found.config, found.state, found.data] == [
        str(home / name) for name in ("config", "state", "data")
    ]
    assert not home.exists()


def test_a_relative_home_is_taken_from_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert places({"BRAINCTL_HOME": "mine"}).config == str(tmp_path / "mine" / "config")


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can become a user without a name"
)
def test_a_user_without_home_or_name_can_use_a_key_from_the_environment() -> None:
    assert run(NOBODY, {}).splitlines() == [
        "the variable ALFERA_API_KEY",
        "no_key True",
        "usage True",
        "[] ['production']",
    ]
