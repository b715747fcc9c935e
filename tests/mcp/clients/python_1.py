"""What the 1.x line of the official Python SDK makes of a brain: `http URL KEY`, or `stdio COMMAND...`. One JSON object."""
# The SDK is installed where this runs, not where types are checked.
# mypy: ignore-errors

import json
import sys
from typing import Any

import anyio
from mcp import ClientSession, McpError, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamablehttp_client


def transport() -> Any:
    kind, *rest = sys.argv[1:]
    if kind == "http":
        return streamablehttp_client(rest[0], headers={"Authorization": f"Bearer {rest[1]}"})
    return stdio_client(StdioServerParameters(command=rest[0], args=rest[1:], env=json.load(sys.stdin)))


async def main() -> None:
    async with transport() as streams, ClientSession(*streams[:2]) as session:
        opened = await session.initialize()
        tools = await session.list_tools()

        async def call(name: str, **arguments: Any) -> dict[str, Any]:
            result = await session.call_tool(name, arguments)
            return {
                "isError": result.isError,
                "data": result.structuredContent,
                "text": json.loads(result.content[0].text),
            }

        said = {
            "version": opened.protocolVersion,
            "tools": [tool.name for tool in tools.tools],
            "whoami": await call("whoami"),
            "search": await call("search_memory", query="refund", limit=2),
            "wrong": await call("search_memory", query="refund", limit=0),
            "answer": await call("ask_worker", input="What of refunds?", idempotency_key="one"),
            "again": await call("ask_worker", input="What of refunds?", idempotency_key="one"),
        }
        try:
            await call("no_such_tool")
        except McpError as error:
            said["unknown"] = error.error.code
        print(json.dumps(said))


anyio.run(main)
