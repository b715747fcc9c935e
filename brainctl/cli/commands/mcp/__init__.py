"""Any brain as tools for an agent."""

from typing import ClassVar

from brainctl.cli.tree import Entry, LazyGroup, group_of


class McpGroup(LazyGroup):
    entries: ClassVar[dict[str, Entry]] = {
        "serve": Entry("brainctl.cli.commands.mcp.serve", "Speak MCP on standard input and output."),
        "install": Entry("brainctl.cli.commands.mcp.install", "Add the brain to an agent's settings."),
        "config": Entry("brainctl.cli.commands.mcp.config", "Print what an agent's settings need."),
    }


def mcp() -> None:
    """Give an agent the brain as tools. They speak the Model Context Protocol (MCP).

    \b
    Examples:
      brainctl mcp install --client claude-code --project
      brainctl mcp install --client cursor --dry-run
      brainctl mcp config --client codex
    """


app = group_of(McpGroup, mcp)
