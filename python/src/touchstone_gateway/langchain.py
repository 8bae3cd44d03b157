"""Checks the calls that LangChain makes: `MultiServerMCPClient(..., tool_interceptors=[TouchstoneInterceptor()])`."""

from __future__ import annotations

from typing import Any, Awaitable, Callable

from langchain_mcp_adapters.interceptors import MCPToolCallRequest
from mcp.types import CallToolResult

from .check import Touchstone


class TouchstoneInterceptor:
    """Asks a gateway before and after each call. The model reads the gateway's text instead of what is blocked.

    gateway: whom to ask; defaults to `Touchstone()`, which raises while it is unreachable
    servers: the gateway's name of a server, by the client's, where they differ
    """

    def __init__(
        self, gateway: Touchstone | None = None, servers: dict[str, str] | None = None
    ) -> None:
        self._gateway = gateway or Touchstone()
        self._servers = servers or {}

    async def __call__(
        self,
        request: MCPToolCallRequest,
        handler: Callable[[MCPToolCallRequest], Awaitable[Any]],
    ) -> Any:
        server = self._servers.get(request.server_name, request.server_name)
        arguments = dict(request.args or {})
        before = await self._gateway.acheck(server, request.name, arguments)
        if before.decision == "blocked":
            return _refusal(before.text)
        if before.arguments is not None:
            arguments = dict(before.arguments)
            request = request.override(args=arguments)
        result = await handler(request)
        # Another interceptor may return a message or a command of LangChain's, which is no result of a tool.
        if not isinstance(result, CallToolResult):
            return result
        wire = result.model_dump(mode="json", by_alias=True, exclude_none=True)
        after = await self._gateway.acheck(server, request.name, arguments, wire)
        return _refusal(after.text) if after.decision == "blocked" else result


def _refusal(text: str) -> CallToolResult:
    # By the names of the protocol: those of the attributes differ between the SDK's versions.
    return CallToolResult.model_validate(
        {"content": [{"type": "text", "text": text}], "isError": True}
    )
