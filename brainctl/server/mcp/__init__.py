"""A brain as MCP tools."""
