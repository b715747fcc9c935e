import typer

from brainctl.cli.session import Session
from brainctl.cli.tree import app_of


def serve(context: typer.Context) -> None:
    """Speak MCP on standard input and output. An agent starts it; it ends when its input does.

    \b
    Examples:
      brainctl mcp serve                       the brain of the key in use
      brainctl -p local/owner mcp serve        the brain of this profile

    Standard output carries JSON-RPC alone, one message a line; notes and errors go to standard error.
    """
    from brainctl.cli.mcp.bridge import serve as bridge

    bridge(Session.of(context))


app = app_of(serve)
