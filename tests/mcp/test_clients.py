"""The clients that people use, as they are published, against the brain over both transports."""

import json
import os
import subprocess
from collections.abc import Callable, MutableMapping, Sequence
from pathlib import Path
from typing import Any, Final

import pytest

from tests.cli.shell import BRAINCTL, Shell
from tests.mcp import sdks
from tests.mcp.conftest import House, running
from tests.mcp.test_tools import ALL

pytestmark = pytest.mark.clients

SCRIPTS: Final = Path(__file__).parent / "clients"
SECONDS: Final = 300

Client = Callable[[], list[str]]


def python_1() -> list[str]:
    return [sdks.python_of(sdks.installed(sdks.PYTHON_1)), str(SCRIPTS / "python_1.py")]


def python_2() -> list[str]:
    return [sdks.python_of(sdks.installed(sdks.PYTHON_2)), str(SCRIPTS / "python_2.py")]


def typescript_1() -> list[str]:
    return [sdks.node(), str(SCRIPTS / "typescript.mjs"), str(sdks.installed(sdks.TYPESCRIPT_1)), "1"]


def typescript_2() -> list[str]:
    return [sdks.node(), str(SCRIPTS / "typescript.mjs"), str(sdks.installed(sdks.TYPESCRIPT_2)), "2"]


each_client = pytest.mark.parametrize("client", [python_1, python_2, typescript_1, typescript_2])


def said_by(command: Sequence[str], given: str = "") -> Any:
    done = subprocess.run(command, input=given, capture_output=True, text=True, check=False, timeout=SECONDS)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)


def check(said: dict[str, Any]) -> None:
    """What every client makes of every brain."""
    assert said.get("version", "2025-06-18") == "2025-06-18"
    assert said["tools"] == ALL
    assert said["unknown"] == -32602
    for name in ("whoami", "search", "answer", "again"):
        assert said[name]["isError"] is False
        assert said[name]["data"] == said[name]["text"]
    assert said["whoami"]["data"]["rate_limit"] == {"requests_per_window": 120, "window_seconds": 60}
    assert len(said["search"]["data"]["facts"]) == 2
    assert said["answer"]["data"]["status"] == "completed"
    assert said["answer"]["data"]["sources"]
    assert said["again"] == said["answer"]
    assert said["wrong"]["isError"] is True
    assert said["wrong"]["data"] is None
    assert said["wrong"]["text"]["error"] == "validation_error"
    assert "limit" in said["wrong"]["text"]["message"]


@each_client
def test_an_sdk_speaks_to_the_brain_over_http(house: House, client: Client) -> None:
    said = said_by([*client(), "http", house.url, house.key])
    check(said)
    if "out" in said:
        assert said["out"] == {"wait_timed_out": True, "answer_id": said["out"]["answer_id"]}


@each_client
def test_an_sdk_speaks_to_a_brain_of_ones_own_over_stdio(own: Shell, client: Client) -> None:
    command = [*client(), "stdio", BRAINCTL, "-e", "local", "mcp", "serve"]
    # A client in a hurry kills what it has started.
    check(said_by(command, json.dumps(own.unmeasured.environ)))


@each_client
def test_an_sdk_speaks_to_a_hosted_brain_over_stdio(house: House, own: Shell, client: Client) -> None:
    hosted = own.with_(ALFERA_API_KEY=house.key, BRAINCTL_BASE_URL=house.server.base_url)
    check(said_by([*client(), "stdio", BRAINCTL, "mcp", "serve"], json.dumps(hosted.unmeasured.environ)))


# The inspector, and the conformance suite


def on_newer_node(*command: str) -> "subprocess.CompletedProcess[str]":
    bin_folder = sdks.installed(sdks.INSPECTOR) / "node_modules" / ".bin"
    environ = {**os.environ, "PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}"}
    return subprocess.run(
        [str(bin_folder / command[0]), *command[1:]],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=SECONDS,
        env=environ,
    )


def inspected(house: House, *more: str) -> "subprocess.CompletedProcess[str]":
    return on_newer_node(
        "mcp-inspector",
        "--cli",
        house.url,
        "--transport",
        "http",
        "--header",
        f"Authorization: Bearer {house.key}",
        *more,
    )


def test_the_inspector_finds_every_schema_portable(house: House) -> None:
    done = inspected(house, "--method", "tools/list", "--strict")
    assert done.returncode == 0, done.stdout + done.stderr
    assert [tool["name"] for tool in json.loads(done.stdout)["tools"]] == ALL


def test_the_inspector_shows_results_and_errors_as_they_are(house: House) -> None:
    called = ("--method", "tools/call", "--tool-name", "search_memory", "--tool-arg")
    good = inspected(house, *called, "query=refund")
    assert good.returncode == 0, good.stdout + good.stderr
    assert json.loads(good.stdout)["structuredContent"]["facts"]
    bad = inspected(house, *called, "query=refund", "limit=0")
    assert "validation_error" in bad.stdout + bad.stderr


@pytest.mark.parametrize("scenario", ["server-initialize", "ping", "tools-list", "dns-rebinding-protection"])
def test_the_conformance_suite_is_content(house: House, scenario: str, tmp_path: Path) -> None:
    app = house.server.app

    async def keyed(scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        # The suite cannot send a key.
        key = (b"authorization", f"Bearer {house.key}".encode())
        await app({**scope, "headers": [*scope["headers"], key]}, receive, send)

    with running(keyed) as address:
        done = on_newer_node(
            "conformance",
            "server",
            "--url",
            f"{address}/v1/mcp",
            "--scenario",
            scenario,
            "--output-dir",
            str(tmp_path),
        )
    assert done.returncode == 0, done.stdout + done.stderr
