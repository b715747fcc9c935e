"""What is said of our server in an agent's settings, in each agent's own words."""

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from brainctl.contract.paths import MCP_PATH

VARIABLE: Final = "ALFERA_API_KEY"


class Connection(NamedTuple):
    """How an agent reaches the brain.

    `url` is the MCP route, `command` the words that start our bridge and `environment` the variables it needs.
    `variable` is the one that holds the key where the key comes from the environment; `secret` is the key itself
    where it is to stand in the file.
    """

    url: str
    command: tuple[str, ...]
    environment: Mapping[str, str]
    variable: str | None
    secret: str | None

    def __repr__(self) -> str:
        return f"Connection({self.url!r}, {self.command!r})"

    def bearer(self, reference: str) -> dict[str, str]:
        """The header with the key; `reference` is how the agent's settings name a variable, `%s` being its name."""
        return {"Authorization": f"Bearer {self._key(reference)}"}

    def variables(self, reference: str) -> dict[str, str]:
        """The environment of the bridge, with the key where it comes from there."""
        if self.secret is None and self.variable is None:
            return dict(self.environment)
        return {**self.environment, self.variable or VARIABLE: self._key(reference)}

    def _key(self, reference: str) -> str:
        return self.secret or reference.replace("%s", self.variable or VARIABLE)


Entry = Callable[[Connection, str], dict[str, Any]]
"""Makes a server's entry. The text is how the agent's settings name a variable."""

FIELDS: Final = (
    "type",
    "url",
    "serverUrl",
    "httpUrl",
    "headers",
    "source",
    "command",
    "args",
    "env",
    "env_vars",
    "environment",
    "bearer_token",
    "bearer_token_env_var",
    "env_http_headers",
    "http_headers",
    "oauth",
)
"""The fields by which agents say how a server is reached: ours to set and to take away. Any other is the user's."""


def http(field: str, **more: Any) -> Entry:
    """An entry whose address stands in `field`."""
    return lambda connection, reference: {
        **more,
        field: connection.url,
        "headers": connection.bearer(reference),
    }


def stdio(**more: Any) -> Entry:
    def entry(connection: Connection, reference: str) -> dict[str, Any]:
        command, *arguments = connection.command
        variables = connection.variables(reference)
        return {**more, "command": command, "args": arguments, **({"env": variables} if variables else {})}

    return entry


def codex_http(connection: Connection, reference: str) -> dict[str, Any]:
    return {"url": connection.url, "bearer_token_env_var": connection.variable or VARIABLE}


def codex_stdio(connection: Connection, reference: str) -> dict[str, Any]:
    command, *arguments = connection.command
    entry: dict[str, Any] = {"command": command, "args": arguments}
    if connection.secret is None and connection.variable is not None:
        entry["env_vars"] = [connection.variable]
        variables = dict(connection.environment)
    else:
        variables = connection.variables(reference)
    return {**entry, "env": variables} if variables else entry


def opencode_http(connection: Connection, reference: str) -> dict[str, Any]:
    # Else a refused key sends it looking for a login page, with the key in hand.
    return {
        "type": "remote",
        "url": connection.url,
        "enabled": True,
        "oauth": False,
        "headers": connection.bearer(reference),
    }


def opencode_stdio(connection: Connection, reference: str) -> dict[str, Any]:
    variables = connection.variables(reference)
    entry = {"type": "local", "command": list(connection.command), "enabled": True}
    return {**entry, "environment": variables} if variables else entry


def is_ours(entry: Any) -> bool:
    """Whether an entry leads to a brain: by our bridge, or by the API's own route."""
    if not isinstance(entry, Mapping):
        return False
    words = entry.get("command")
    arguments = entry.get("args")
    said = [
        *(words if isinstance(words, list) else [words]),
        *(arguments if isinstance(arguments, list) else []),
    ]
    if said[-2:] == ["mcp", "serve"] and any("brainctl" in str(word) for word in said):
        return True
    addresses = (entry.get(field) for field in ("url", "serverUrl", "httpUrl"))
    return any(isinstance(url, str) and url.rstrip("/").endswith(MCP_PATH) for url in addresses)
