"""What a search on this machine loads, for it is over in the time that a heavy module takes to load."""

import os
import subprocess
import sys

import pytest

from tests.engine.house import House

SCRIPT = """
import sys
from brainctl.engine.local_brain import open_brain

path, secret, verb = sys.argv[1:]
with open_brain(path, secret) as brain:
    if verb == "search":
        brain.search({"query": "lantern policy", "end_user": {"id": "cust_419"}})
    elif verb == "context":
        brain.context({"query": "lantern policy"})
    else:
        brain.whoami()
print(*sys.modules)
"""

HEAVY = {
    *("asyncio", "concurrent.futures", "dataclasses", "email", "hashlib", "hmac", "http", "httpx", "inspect"),
    *(
        "keyring",
        "logging",
        "platformdirs",
        "pydantic",
        "random",
        "rich",
        "secrets",
        "shutil",
        "socket",
        "ssl",
    ),
    *("subprocess", "tempfile", "typer", "unicodedata", "urllib.request", "uuid"),
}
ROOMS = {"brainctl.engine.capture", "brainctl.engine.owner", "brainctl.engine.teaching"}
OTHERS = {
    "brainctl.client",
    "brainctl.profiles",
    "brainctl.cli",
    "brainctl.engine.store.writing",
    "brainctl.engine.store.sqlite.upgrading",
}


@pytest.mark.parametrize(
    ("verb", "more"),
    [
        ("search", {"brainctl.engine.packet", "brainctl.engine.cues"}),
        ("context", {"brainctl.engine.cues"}),
        ("whoami", {"brainctl.engine.packet", "brainctl.engine.cues"}),
    ],
)
def test_reading_loads_nothing_that_it_does_not_need(house: House, verb: str, more: set[str]) -> None:
    house.add("lantern")
    secret = house.key("internal")
    done = subprocess.run(
        [sys.executable, "-S", "-c", SCRIPT, house.path, secret, verb],
        check=True,
        capture_output=True,
        text=True,
        timeout=60,
        env={"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
    )
    loaded = set(done.stdout.split())
    assert "sqlite3" in loaded
    assert loaded & (HEAVY | ROOMS | OTHERS | more) == set()
