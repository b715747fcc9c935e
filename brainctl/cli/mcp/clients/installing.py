"""Adding a brain to an agent's settings, and taking it out again."""

import json
import os
import re
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from brainctl.cli.mcp.clients import jsonc, toml_table
from brainctl.cli.mcp.clients.clients import KEY_INPUT, Client, Place
from brainctl.cli.mcp.clients.entries import FIELDS, VARIABLE, Connection, is_ours
from brainctl.contract.errors import BrainError
from brainctl.contract.keys import secret_problem
from brainctl.contract.paths import MCP_PATH

if TYPE_CHECKING:
    from brainctl.cli.session import Session

Transport = Literal["http", "stdio"]

_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,32}")
_INPUT: Final = {
    "type": "promptString",
    "id": KEY_INPUT,
    "description": "Key of the Brain API",
    "password": True,
}


class Wanted(NamedTuple):
    """A server as an agent's settings are to hold it."""

    name: str
    transport: Transport
    entry: dict[str, Any]
    connection: Connection
    holds_secret: bool

    def __repr__(self) -> str:
        return f"Wanted({self.name!r}, {self.transport!r})"


def check_name(name: str, client: Client) -> str:
    """The server's name. Raises a usage error where agents could not make tool names of it."""
    if not _NAME.fullmatch(name):
        raise BrainError("usage", "--name is 1 to 32 letters, digits, - and _.")
    if name == "workspace" and client.name == "claude-code":
        raise BrainError("usage", "Claude Code keeps the name workspace for itself: choose another --name.")
    return name


def transport_of(*, http: bool, stdio: bool) -> Transport | None:
    """What two flags ask for; None where neither was given. Raises a usage error where both were."""
    if http and stdio:
        raise BrainError("usage", "--http and --stdio contradict each other: give one.")
    return "http" if http else "stdio" if stdio else None


def place_of(session: "Session") -> Place:
    home = session.environ.get("USERPROFILE" if sys.platform == "win32" else "HOME") or os.path.expanduser(
        "~"
    )
    return Place(session.environ, sys.platform, home)


def settings_path(client: Client, place: Place, *, project: bool) -> str:
    """The file to change. Raises a usage error where the agent knows no files of projects."""
    if not project:
        return client.user(place)
    if client.project is None:
        raise BrainError("usage", f"{client.title} has no settings of a project: leave --project out.")
    return os.path.abspath(client.project)


def wanted(
    session: "Session", client: Client, name: str, transport: Transport | None, *, inline: bool
) -> Wanted:
    """The entry for the key in use. Raises a usage error where the agent cannot be told it.

    Without a choice a saved key goes over our bridge, so that the settings hold neither key nor variable; a key
    that comes from ALFERA_API_KEY goes over HTTP where the agent takes that.
    """
    chosen: Transport = transport or ("stdio" if session.access.profile or client.http is None else "http")
    connection = _connection(session, client, chosen, inline=inline)
    make = client.http if chosen == "http" else client.stdio
    assert make is not None
    entry = make(connection, client.reference or "")
    return Wanted(check_name(name, client), chosen, entry, connection, connection.secret is not None)


def _connection(session: "Session", client: Client, transport: Transport, *, inline: bool) -> Connection:
    access = session.access
    profile = access.profile
    variable = VARIABLE if profile is None else profile.place.variable
    if transport == "http":
        if client.http is None:
            raise BrainError("usage", f"{client.title} goes over --stdio only: {client.no_http}.")
        if access.base_url is None:
            raise BrainError("usage", "This brain is opened where it is stored: leave --http out.")
        if inline and client.form == "toml":
            raise BrainError(
                "usage",
                f"{client.title} refuses a file with a key in it: leave --inline-key out, and set {variable or VARIABLE}.",
            )
        secret = access.secret() if inline else None
        return Connection(_url(access.base_url), (), {}, variable or VARIABLE, secret)
    if inline:
        if access.base_url is None:
            raise BrainError("usage", "The key of a brain of your own stays here: leave --inline-key out.")
        return Connection(
            "", (*own_command(), "mcp", "serve"), _address(access.base_url), None, access.secret()
        )
    if variable is not None and client.reference is None:
        raise BrainError(
            "usage",
            f"{client.title} does not hand {variable} on: save the key with `brainctl keys add NAME`, and run again.",
        )
    if profile is None:
        return Connection("", (*own_command(), "mcp", "serve"), _address(access.base_url), variable, None)
    home = session.environ.get("BRAINCTL_HOME")
    environment = {"BRAINCTL_HOME": os.path.abspath(home)} if home else {}
    return Connection("", (*own_command(), "-p", profile.slot, "mcp", "serve"), environment, variable, None)


def _url(base_url: str) -> str:
    return base_url.rstrip("/") + MCP_PATH


def _address(base_url: str | None) -> dict[str, str]:
    from brainctl.profiles.addresses import PRODUCTION_URL

    return {} if base_url in {None, PRODUCTION_URL} else {"BRAINCTL_BASE_URL": str(base_url)}


def own_command() -> tuple[str, ...]:
    """The words that start this very brainctl from anywhere: another program of its name may be on the path."""
    for path in (sys.argv[0], os.path.join(os.path.dirname(sys.executable), "brainctl")):
        # On Windows nobody but a shell can start a script, and a file without a suffix looks like a program.
        for candidate in (f"{path}.exe",) if os.name == "nt" and not path.endswith(".exe") else (path,):
            named = os.path.splitext(os.path.basename(candidate))[0] == "brainctl"
            if named and os.path.isfile(candidate) and os.access(candidate, os.X_OK):
                return (os.path.abspath(candidate),)
    # -P: nothing of the folder that it happens to be started in is to be taken for a part of it.
    return (os.path.abspath(sys.executable), "-P", "-m", "brainctl")


# Texts


def with_server(client: Client, text: str, want: Wanted) -> str:
    """The settings with our server. Raises `EditError`; `usage` where the name is another server's."""
    path = (client.servers, want.name)
    refuse_foreign(client, server_in(client, text, want.name), want.name)
    if client.form == "toml":
        return toml_table.with_fields(text, path, want.entry, FIELDS)
    text = jsonc.with_fields(text, path, want.entry, FIELDS)
    if _asks(want.entry):
        inputs = jsonc.value_of(text).get("inputs")
        if not any(isinstance(each, dict) and each.get("id") == KEY_INPUT for each in inputs or ()):
            text = jsonc.with_item(text, ("inputs",), _INPUT)
    return text


def without_server(client: Client, text: str, name: str) -> str:
    """The settings without our server. Raises `EditError`; `usage` where the name is another server's."""
    entry = server_in(client, text, name)
    if entry is None:
        return text
    refuse_foreign(client, entry, name)
    if client.form == "toml":
        return toml_table.without_table(text, (client.servers, name))
    text = jsonc.without_member(text, (client.servers, name))
    if _asks(entry) and not _asks(jsonc.value_of(text).get(client.servers)):
        text = jsonc.without_item(text, ("inputs",), _INPUT)
    return text


def server_in(client: Client, text: str, name: str) -> Any:
    """The entry of a server in an agent's settings; None where there is none. Raises `EditError`."""
    document = toml_table.value_of(text) if client.form == "toml" else jsonc.value_of(text)
    servers = document.get(client.servers) if isinstance(document, Mapping) else None
    return servers.get(name) if isinstance(servers, Mapping) else None


def refuse_foreign(client: Client, entry: Any, name: str) -> None:
    """Raises a usage error for an entry that is not ours."""
    if entry is not None and not is_ours(entry):
        raise BrainError(
            "usage",
            f"{client.title} has a server {name} already that is not a brain: choose another --name.",
        )


def snippet(client: Client, want: Wanted) -> str:
    """The settings of somebody who has no other server."""
    return with_server(client, "", want)


def _asks(entry: Any) -> bool:
    return f"${{input:{KEY_INPUT}}}" in json.dumps(entry)


# What to tell


def cautions(session: "Session", client: Client, want: Wanted, path: str, *, project: bool) -> list[str]:
    """What a person should know of the change, in sentences."""
    told = list(client.notes)
    if project:
        told += client.project_notes
    variable = want.connection.variable
    if variable is None or want.holds_secret:
        return told
    told += client.variable_notes
    if client.reference is not None and "input:" in client.reference:
        return told
    value = session.environ.get(variable)
    if not value:
        told.append(f"{variable} is not set now: it must be where {client.title} starts.")
    elif problem := secret_problem(value):
        told.append(f"The key in {variable} cannot be used: {problem}.")
    if project and _is_tracked(path):
        told.append(f"{path} is in git: whoever has it needs a {variable} of their own.")
    return told


def refuse_work_tree(path: str) -> None:
    """Raises a usage error where a key would lie in a folder that git keeps."""
    folder = os.path.dirname(os.path.realpath(path))
    while True:
        if os.path.exists(os.path.join(folder, ".git")):
            raise BrainError(
                "usage",
                f"{path} lies in a git work tree ({folder}), and a key in it may be committed: leave --inline-key out.",
            )
        above = os.path.dirname(folder)
        if above == folder:
            return
        folder = above


def _is_tracked(path: str) -> bool:
    import subprocess

    try:
        asked = subprocess.run(  # noqa: S603 - a fixed command, and the path is an argument of its own
            ["git", "ls-files", "--error-unmatch", "--", os.path.basename(path)],  # noqa: S607 - the user's own git
            cwd=os.path.dirname(path),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=10,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return asked.returncode == 0
