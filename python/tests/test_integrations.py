"""Calls of FastMCP and LangChain, checked by the gateway at TOUCHSTONE_URL. Skipped where those are not installed."""

import asyncio
import importlib.util
import os
import sys
import unittest
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent / "src"))

from touchstone_gateway import CheckUnavailable, Touchstone  # noqa: E402

GATEWAY = Touchstone(os.environ["TOUCHSTONE_URL"])
NOBODY = Touchstone("http://127.0.0.1:1")
WRONG = "Change /city: must be a string"


def _has(name: str) -> bool:
    return importlib.util.find_spec(name) is not None


@unittest.skipUnless(_has("fastmcp"), "fastmcp is not installed")
class FastMCPServer(unittest.TestCase):
    def call(self, gateway: Touchstone, arguments: dict[str, Any], result: dict[str, Any]) -> Any:
        from fastmcp import Client, FastMCP
        from touchstone_gateway.fastmcp import TouchstoneMiddleware

        server = FastMCP("weather", middleware=[TouchstoneMiddleware("weather", gateway)])
        self.calls = calls = []

        @server.tool(output_schema=None)
        def get_weather(city: Any, units: Any = "celsius") -> dict[str, Any]:
            calls.append(city)
            return result

        async def run() -> Any:
            async with Client(server) as client:
                return await client.call_tool("get_weather", arguments, raise_on_error=False)

        return asyncio.run(run()), calls

    def test_passes_what_is_valid(self):
        result, calls = self.call(GATEWAY, {"city": "Oslo"}, {"city": "Oslo", "temperature": 18})
        self.assertFalse(result.is_error)
        self.assertEqual(calls, ["Oslo"])

    def test_blocks_arguments_before_the_tool_runs(self):
        result, calls = self.call(GATEWAY, {"city": 5}, {})
        self.assertTrue(result.is_error)
        self.assertIn(WRONG, result.content[0].text)
        self.assertEqual(calls, [])

    def test_blocks_results(self):
        result, calls = self.call(GATEWAY, {"city": "Oslo"}, {"city": "Oslo", "temperature": "18"})
        self.assertTrue(result.is_error)
        self.assertEqual(calls, ["Oslo"])

    def test_runs_nothing_unchecked(self):
        # What raises in a server is an error of the protocol to its client.
        with self.assertRaisesRegex(Exception, "Internal server error|cannot ask"):
            self.call(NOBODY, {"city": "Oslo"}, {})
        self.assertEqual(self.calls, [])


@unittest.skipUnless(_has("langchain_mcp_adapters"), "langchain-mcp-adapters is not installed")
class LangChainInterceptor(unittest.TestCase):
    def call(self, gateway: Touchstone, args: dict[str, Any], temperature: Any = 18) -> Any:
        from langchain_mcp_adapters.interceptors import MCPToolCallRequest
        from mcp.types import CallToolResult
        from touchstone_gateway.langchain import TouchstoneInterceptor

        seen: list[Any] = []

        async def handler(request: Any) -> Any:
            seen.append(request.args)
            structured = {"city": "Oslo", "temperature": temperature}
            return CallToolResult.model_validate({"content": [], "structuredContent": structured})

        request = MCPToolCallRequest(name="get_weather", args=args, server_name="client")
        interceptor = TouchstoneInterceptor(gateway, {"client": "weather"})
        result = asyncio.run(interceptor(request, handler))
        return result.model_dump(mode="json", by_alias=True), seen

    def test_passes_what_is_valid(self):
        result, seen = self.call(GATEWAY, {"city": "Oslo"})
        self.assertEqual(result["structuredContent"], {"city": "Oslo", "temperature": 18})
        self.assertEqual(seen, [{"city": "Oslo"}])

    def test_blocks_arguments_before_the_tool_runs(self):
        result, seen = self.call(GATEWAY, {"city": 5})
        self.assertTrue(result["isError"])
        self.assertIn(WRONG, result["content"][0]["text"])
        self.assertEqual(seen, [])

    def test_blocks_results(self):
        result, _ = self.call(GATEWAY, {"city": "Oslo"}, "18")
        self.assertTrue(result["isError"])

    def test_runs_nothing_unchecked(self):
        with self.assertRaises(CheckUnavailable):
            self.call(NOBODY, {"city": "Oslo"})


if __name__ == "__main__":
    unittest.main()
