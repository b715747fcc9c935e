"""Claude Code's own settings are the live state of a running program, so it is asked to change them itself."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from brainctl.cli.mcp.clients import jsonc
from brainctl.cli.mcp.clients.clients import Client
from brainctl.cli.mcp.clients.installing import Wanted, refuse_foreign, server_in
from brainctl.contract.errors import BrainError

SECONDS = 60


def commands_to_add(client: Client, path: str, want: Wanted) -> list[list[str]]:
    """What to run so that the user's settings hold the server; empty where they do. Raises `usage`."""
    there = _server(client, path, want.name)
    if there == want.entry:
        return []
    refuse_foreign(client, there, want.name)
    add = ["claude", "mcp", "add-json", "--scope", "user", want.name, json.dumps(want.entry)]
    return [add] if there is None else [_removal(want.name), add]


def commands_to_remove(client: Client, path: str, name: str) -> list[list[str]]:
    """What to run so that they do not hold it; empty where they do not. Raises `usage`."""
    there = _server(client, path, name)
    refuse_foreign(client, there, name)
    return [] if there is None else [_removal(name)]


def run(commands: Sequence[Sequence[str]], environ: Mapping[str, str]) -> None:
    """Run them. Raises `usage` where Claude Code is not there, or refuses."""
    import shutil
    import subprocess

    program = shutil.which("claude", path=environ.get("PATH"))
    if program is None:
        raise BrainError(
            "usage",
            "The command `claude` is not on the PATH, and its settings are not to be changed by others: "
            "install it, or use --project.",
        )
    for command in commands:
        try:
            done = subprocess.run(  # noqa: S603 - words of ours, and no shell
                [program, *command[1:]],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                env=dict(environ),
                check=False,
                timeout=SECONDS,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise BrainError(
                "usage", f"`claude` cannot be run ({type(error).__name__}): use --project."
            ) from None
        if done.returncode:
            said = (done.stderr or done.stdout).decode("utf-8", "replace").strip().splitlines()
            raise BrainError("usage", f"`claude mcp` refused: {said[-1] if said else 'it said nothing'}")


def _removal(name: str) -> list[str]:
    return ["claude", "mcp", "remove", "--scope", "user", name]


def _server(client: Client, path: str, name: str) -> Any:
    try:
        with open(path, "rb") as file:
            return server_in(client, file.read().decode("utf-8-sig"), name)
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError, jsonc.EditError):
        raise BrainError("usage", f"{path} cannot be read: start Claude Code once to mend it.") from None
