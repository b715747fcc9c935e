"""Where a Brain API is, behind its base URL."""

from typing import Final

SEARCH_PATH: Final = "/v1/memory/search"
CONTEXT_PATH: Final = "/v1/memory/context"
TEACH_PATH: Final = "/v1/memory/facts"
ANSWERS_PATH: Final = "/v1/answers"
MCP_PATH: Final = "/v1/mcp"
