"""The official clients, each installed once into a folder of its own and kept for the next run."""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest

from brainctl.profiles.files import locked

CACHE: Final = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "brainctl-tests"
SECONDS: Final = 600

PYTHON_1: Final = "mcp-1.30.0"
PYTHON_2: Final = "mcp-2.3.0"
TYPESCRIPT_1: Final = "sdk-1.32.2"
TYPESCRIPT_2: Final = "client-2.4.0"
INSPECTOR: Final = "inspector-2.12.0"
"""Holds the conformance suite too, and the Node that both need."""

_PACKAGES: Final = {
    PYTHON_1: ["mcp==1.30.0"],
    PYTHON_2: ["mcp==2.3.0"],
    TYPESCRIPT_1: ["@modelcontextprotocol/sdk@1.32.2"],
    TYPESCRIPT_2: ["@modelcontextprotocol/client@2.4.0"],
    INSPECTOR: [
        "@modelcontextprotocol/inspector@2.12.0",
        "@modelcontextprotocol/conformance@0.1.16",
        "node@22",
    ],
}


def installed(name: str) -> Path:
    """The folder of a client. Skips the test where no registry can be reached to get it from."""
    folder = CACHE / name
    ready = folder / ".ready"
    with locked(str(folder), timeout=SECONDS):
        if not ready.exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            if name.startswith("mcp-"):
                _install_python(folder, _PACKAGES[name])
            else:
                _install_node(folder, _PACKAGES[name])
            ready.touch()
    return folder


def python_of(folder: Path) -> str:
    return str(folder / ("Scripts" if os.name == "nt" else "bin") / "python")


def node() -> str:
    found = shutil.which("node")
    if found is None:
        pytest.skip("Node is not installed")
    return found


def _install_python(folder: Path, packages: Sequence[str]) -> None:
    _run([sys.executable, "-m", "venv", str(folder)], folder)
    pip = [python_of(folder), "-m", "pip", "--disable-pip-version-check"]
    if _run([*pip, "install", "-q", *packages], folder) is None:
        return
    if _run([*pip, "download", "-q", "--no-deps", "-d", str(folder / "probe"), "anyio"], folder) is not None:
        pytest.skip("the package index cannot be reached")
    pytest.fail(f"{packages} cannot be installed")


def _install_node(folder: Path, packages: Sequence[str]) -> None:
    node()
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm is not installed")
    (folder / "package.json").write_text("{}")
    if _run([npm, "install", "--no-audit", "--no-fund", *packages], folder) is None:
        return
    if _run([npm, "view", "zod", "version"], folder) is not None:
        pytest.skip("the npm registry cannot be reached")
    pytest.fail(f"{packages} cannot be installed")


def _run(command: Sequence[str], folder: Path) -> str | None:
    """None where it went well, else what it said."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=SECONDS)
    return None if done.returncode == 0 else done.stdout + done.stderr
