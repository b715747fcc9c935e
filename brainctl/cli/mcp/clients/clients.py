"""The agents: where their settings lie on each system, and what they can be told."""

import os
from collections.abc import Callable, Mapping
from typing import Final, Literal, NamedTuple

from brainctl.cli.mcp.clients import entries
from brainctl.cli.mcp.clients.entries import Entry
from brainctl.contract.errors import BrainError

KEY_INPUT: Final = "alfera-key"
"""By this name VS Code knows the key that it asks for."""

GEMINI_EXPANDS: Final = (
    "`gemini mcp add` rewrites this file with the value of every variable in it, the key too, and readable by all: "
    "add other servers by hand, or save the key as a profile."
)


class Place(NamedTuple):
    """This machine: its variables, its system (as `sys.platform` says it) and the user's home folder."""

    environ: Mapping[str, str]
    platform: str
    home: str

    def settings(self, *, mac_and_linux: bool = False) -> str:
        """Where programs keep a user's settings; `mac_and_linux` for one that does on a Mac as it does on Linux."""
        if self.platform == "win32":
            return self.environ.get("APPDATA") or os.path.join(self.home, "AppData", "Roaming")
        if self.platform == "darwin" and not mac_and_linux:
            return os.path.join(self.home, "Library", "Application Support")
        named = self.environ.get("XDG_CONFIG_HOME", "")
        return named if os.path.isabs(named) else os.path.join(self.home, ".config")


class Client(NamedTuple):
    """An agent.

    `servers` is where in its settings the servers stand. `http` or `stdio` make an entry; where `http` is None,
    `no_http` says why. `reference` is how its settings name a variable; None where they cannot.
    `project` is the file of a project, below its folder.
    """

    name: str
    title: str
    user: Callable[[Place], str]
    project: str | None
    servers: str
    http: Entry | None
    stdio: Entry
    reference: str | None
    form: Literal["json", "toml"] = "json"
    no_http: str = ""
    notes: tuple[str, ...] = ()
    project_notes: tuple[str, ...] = ()
    variable_notes: tuple[str, ...] = ()


def _at_home(*parts: str) -> Callable[[Place], str]:
    return lambda place: os.path.join(place.home, *parts)


def _claude_code(place: Place) -> str:
    return os.path.join(place.environ.get("CLAUDE_CONFIG_DIR") or place.home, ".claude.json")


def _windsurf(place: Place) -> str:
    folder = os.path.join(place.home, ".codeium")
    beside = os.path.join(folder, "mcp_config.json")
    # The plugin for other editors keeps its own, one folder higher.
    if os.path.exists(beside) and not os.path.isdir(os.path.join(folder, "windsurf")):
        return beside
    return os.path.join(folder, "windsurf", "mcp_config.json")


def _codex(place: Place) -> str:
    return os.path.join(place.environ.get("CODEX_HOME") or os.path.join(place.home, ".codex"), "config.toml")


def _zed(place: Place) -> str:
    name = "Zed" if place.platform == "win32" else "zed"
    return os.path.join(place.settings(mac_and_linux=True), name, "settings.json")


def _opencode(place: Place) -> str:
    named = place.environ.get("XDG_CONFIG_HOME", "")
    folder = os.path.join(named if os.path.isabs(named) else os.path.join(place.home, ".config"), "opencode")
    with_comments = os.path.join(folder, "opencode.jsonc")
    return with_comments if os.path.exists(with_comments) else os.path.join(folder, "opencode.json")


CLIENTS: Final = {
    client.name: client
    for client in (
        Client(
            "claude-code",
            "Claude Code",
            _claude_code,
            ".mcp.json",
            "mcpServers",
            entries.http("url", type="http"),
            entries.stdio(type="stdio"),
            "${%s}",
            project_notes=("Claude Code asks once whether to trust a project's servers.",),
        ),
        Client(
            "claude-desktop",
            "Claude Desktop",
            lambda place: os.path.join(place.settings(), "Claude", "claude_desktop_config.json"),
            None,
            "mcpServers",
            None,
            entries.stdio(),
            None,
            no_http="its file takes no addresses; a Connector in the app does",
            notes=("Claude Desktop reads its file when it starts.",),
        ),
        Client(
            "cursor",
            "Cursor",
            _at_home(".cursor", "mcp.json"),
            os.path.join(".cursor", "mcp.json"),
            "mcpServers",
            entries.http("url"),
            entries.stdio(),
            "${env:%s}",
        ),
        Client(
            "vscode",
            "VS Code",
            lambda place: os.path.join(place.settings(), "Code", "User", "mcp.json"),
            os.path.join(".vscode", "mcp.json"),
            "servers",
            entries.http("url", type="http"),
            entries.stdio(type="stdio"),
            f"${{input:{KEY_INPUT}}}",
            variable_notes=("VS Code asks for the key once, and keeps it.",),
        ),
        Client(
            "windsurf",
            "Windsurf",
            _windsurf,
            None,
            "mcpServers",
            entries.http("serverUrl"),
            entries.stdio(),
            "${env:%s}",
        ),
        Client(
            "codex",
            "Codex",
            _codex,
            os.path.join(".codex", "config.toml"),
            "mcp_servers",
            entries.codex_http,
            entries.codex_stdio,
            "%s",
            form="toml",
            project_notes=("Codex reads a project's file only where the project is trusted.",),
        ),
        Client(
            "gemini",
            "Gemini CLI",
            _at_home(".gemini", "settings.json"),
            os.path.join(".gemini", "settings.json"),
            "mcpServers",
            entries.http("httpUrl"),
            entries.stdio(),
            "$%s",
            project_notes=("Gemini CLI reads a project's file only where the folder is trusted.",),
            variable_notes=(GEMINI_EXPANDS,),
        ),
        Client(
            "zed",
            "Zed",
            _zed,
            os.path.join(".zed", "settings.json"),
            "context_servers",
            None,
            entries.stdio(source="custom"),
            None,
            no_http="its headers take no variables, so the key would stand in the file",
        ),
        Client(
            "opencode",
            "opencode",
            _opencode,
            "opencode.json",
            "mcp",
            entries.opencode_http,
            entries.opencode_stdio,
            "{env:%s}",
        ),
    )
}


def client_named(name: str) -> Client:
    """Raises a usage error that names them all."""
    if name not in CLIENTS:
        raise BrainError("usage", f"--client is one of {', '.join(CLIENTS)}; got {name!r}.")
    return CLIENTS[name]
