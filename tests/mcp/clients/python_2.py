"""What the 2.x line of the official Python SDK makes of a brain: `http URL KEY`, or `stdio COMMAND...`. One JSON object.

The connection is the default one, which tries a newer version of MCP first and falls back.
"""
# The SDK is installed where this runs, not where types are checked.
# mypy: ignore-errors

import json
import sys
from typing import Any

import anyio
import httpx2
from mcp import Client, MCPError
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client


def transport() -> Any:
    kind, *rest = sys.argv[1:]
    if kind == "http":
        # A client of one's own gives a silent server up after five seconds.
        client = httpx2.AsyncClient(headers={"Authorization": f"Bearer {rest[1]}"})
        return streamable_http_client(rest[0], http_client=client)
    return stdio_client(StdioServerParameters(command=rest[0], args=rest[1:], env=json.load(sys.stdin)))


async def main() -> None:
    async with Client(transport()) as client:
        tools = await client.list_tools()

        async def call(name: str, **arguments: Any) -> dict[str, Any]:
            result = await client.call_tool(name, arguments)
            return {
                "isError": result.is_error,
                "data": result.structured_content,
                "text": json.loads(result.content[0].text),
            }

        said = {
            "version": client.protocol_version,
            "tools": [tool.name for tool in tools.tools],
            "whoami": await call("whoami"),
            "search": await call("search_memory", query="refund", limit=2),
            "wrong": await call("search_memory", query="refund", limit=0),
            "answer": await call("ask_worker", input="What of refunds?", idempotency_key="one"),
            "again": await call("ask_worker", input="What of refunds?", idempotency_key="one"),
        }
        # Longer than a client of this kind bears silence.
        said["out"] = (await call("ask_worker", input="slow", timeout_seconds=9))["data"]
        try:
            await call("no_such_tool")
        except MCPError as error:
            said["unknown"] = error.error.code
        print(json.dumps(said))


anyio.run(main)
