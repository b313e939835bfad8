"""Uses the memory with the official Python client: python_client.py http URL | stdio COMMAND…; prints a line per mode."""

import asyncio
import re
import sys

from mcp import Client, StdioServerParameters


def text_of(result):
    return "".join(part.text for part in result.content if part.type == "text")


async def use(server, mode):
    async with Client(server, mode=mode) as client:
        tools = (await client.list_tools()).tools
        assert "memory_search" in [tool.name for tool in tools], tools
        fact = f"The {mode} lighthouse of Python flashes every nine seconds"
        stored = text_of(await client.call_tool("memory_store", {"content": fact}))
        assert "Stored" in stored or "nown" in stored, stored
        found = text_of(await client.call_tool("memory_search", {"query": f"how often does the {mode} lighthouse of Python flash?"}))
        assert "nine seconds" in found, found
        refused = await client.call_tool("memory_get", {"id": "m999999"})
        assert refused.is_error, refused
        templates = await client.list_resource_templates()
        assert templates.resource_templates, templates
        known = re.search(r"\bm\d+\b", stored).group()
        read = await client.read_resource(f"anamne://space/core/memory/{known}")
        assert read.contents, read
        prompts = await client.list_prompts()
        assert prompts.prompts, prompts
        print(f"ok Python {mode}, revision {client.protocol_version}", flush=True)


async def main():
    kind, *rest = sys.argv[1:]
    server = rest[0] if kind == "http" else StdioServerParameters(command=rest[0], args=rest[1:])
    for mode in ["legacy", "auto", "2026-07-28"]:
        await use(server, mode)


asyncio.run(main())
