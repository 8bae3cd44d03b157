"""Checks the calls of a FastMCP server: `server.add_middleware(TouchstoneMiddleware("weather"))`."""

from __future__ import annotations

from typing import Any

from fastmcp.exceptions import ToolError
from fastmcp.server.middleware import CallNext, Middleware, MiddlewareContext

from .check import Touchstone


class TouchstoneMiddleware(Middleware):
    """Asks a gateway before and after each call. A blocked call or result becomes an error that the model reads.

    server: the name that the gateway's configuration gives to this server
    gateway: whom to ask; defaults to `Touchstone()`, which raises while it is unreachable
    """

    def __init__(self, server: str, gateway: Touchstone | None = None) -> None:
        self._server = server
        self._gateway = gateway or Touchstone()

    async def on_call_tool(self, context: MiddlewareContext[Any], call_next: CallNext[Any, Any]) -> Any:
        call = context.message
        arguments = call.arguments or {}
        before = await self._gateway.acheck(self._server, call.name, arguments)
        if before.decision == "blocked":
            raise ToolError(before.text)
        if before.arguments is not None:
            arguments = dict(before.arguments)
            context = context.copy(message=call.model_copy(update={"arguments": arguments}))
        result = await call_next(context)
        after = await self._gateway.acheck(self._server, call.name, arguments, _as_mcp(result))
        if after.decision == "blocked":
            raise ToolError(after.text)
        return result


def _as_mcp(result: Any) -> dict[str, Any]:
    """Returns a tool's result as it goes over the wire."""
    made = result.to_mcp_result()
    if hasattr(made, "model_dump"):
        return made.model_dump(mode="json", by_alias=True, exclude_none=True)
    content, structured = made if isinstance(made, tuple) else (made, None)
    wire: dict[str, Any] = {
        "content": [block.model_dump(mode="json", by_alias=True, exclude_none=True) for block in content]
    }
    if structured is not None:
        wire["structuredContent"] = structured
    return wire
