from typing import Annotated

import typer

from brainctl.cli.commands.mcp.install import SERVER_DEFAULT
from brainctl.cli.session import Session
from brainctl.cli.tree import app_of


def config(
    context: typer.Context,
    client_name: Annotated[
        str,
        typer.Option(
            "--client",
            metavar="claude-code|claude-desktop|cursor|vscode|windsurf|codex|gemini|zed|opencode",
            help="The agent.",
        ),
    ],
    http: Annotated[bool, typer.Option("--http", help="The agent calls the brain's address itself.")] = False,
    stdio: Annotated[
        bool, typer.Option("--stdio", help="The agent starts brainctl, which calls the brain.")
    ] = False,
    name: Annotated[str, typer.Option("--name", metavar="NAME", help="The server's name.")] = SERVER_DEFAULT,
) -> None:
    """Print what an agent's settings need. Nothing is changed, and no key is shown.

    \b
    Examples:
      brainctl mcp config --client cursor
      brainctl mcp config --client codex --http
    """
    from brainctl.cli.mcp.clients import installing
    from brainctl.cli.mcp.clients.clients import client_named

    session = Session.of(context)
    output = session.checked_output()
    client = client_named(client_name)
    transport = installing.transport_of(http=http, stdio=stdio)
    want = installing.wanted(session, client, name, transport, inline=False)
    text = installing.snippet(client, want)
    path = installing.settings_path(client, installing.place_of(session), project=False)
    data = {
        "client": client.name,
        "server": name,
        "transport": want.transport,
        "file": path,
        "entry": want.entry,
        "text": text,
    }
    output.result(data, plain=lambda: text)
    output.note(f"It belongs in {path}; `brainctl mcp install --client {client.name}` puts it there.")


app = app_of(config)
