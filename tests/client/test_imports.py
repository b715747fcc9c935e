"""What one request loads, since each module is time at every start."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.client.conftest import Desk, Server

SCRIPT = """
import json, sys
start = set(sys.modules)
from brainctl.client.http_brain import HttpBrain
before = [name for name in ("httpx", "ssl", "socket", "urllib.request") if name in set(sys.modules) - start]
brain = HttpBrain(sys.argv[1], sys.argv[2], environ={})
brain.search({"query": "q"})
print(json.dumps({"before": before, "after": sorted(set(sys.modules) - start)}))
"""

HEAVY = {
    *("rich", "click", "pygments", "typer", "keyring", "platformdirs"),
    *(
        "asyncio",
        "concurrent.futures",
        "subprocess",
        "httpx_sse",
        "httpx._main",
        "sqlite3",
        "brainctl.client.sse",
        "brainctl.client.whoami",
    ),
}


def test_one_request_loads_the_http_library_and_little_else(server: Server, desk: Desk) -> None:
    server.then(server.data({"facts": []}))
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT, server.url, desk.secret], capture_output=True, text=True, check=True
    )
    loaded = json.loads(run.stdout)
    assert loaded["before"] == []
    assert HEAVY.isdisjoint(loaded["after"])
    assert "httpx" in loaded["after"]
