"""An MCP server over a registry of tools; a thin layer over `call_tool`."""

from __future__ import annotations

import json
from typing import Any

import anyio
import mcp_types as types
from anyio import CapacityLimiter, to_thread
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from tribal import __version__
from tribal.edges.mcp.stdio import json_lines
from tribal.errors import code_outcome
from tribal.ports.application import Application
from tribal.ports.caller import Caller
from tribal.ports.tool import ToolSpec
from tribal.tools.call import call_tool
from tribal.tools.registry import REGISTRY, Registry
from tribal.tools.schemas import input_schema, output_schema

CALLS_AT_ONCE = 4
"""Maximum concurrent calls; others wait."""

_NAMED_CHARS = 100


def serve(app: Application, caller: Caller, reading: int, writing: int, tools: Registry = REGISTRY) -> None:
    """Serve over two file descriptors until the input ends or nobody reads the answers."""

    async def run() -> None:
        server = build_server(app, caller, tools)
        async with json_lines(reading, writing) as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())

    anyio.run(run)


def build_server(app: Application, caller: Caller, tools: Registry = REGISTRY) -> Server[Any]:
    """Build a server that answers this caller from the application's state at the time of each call."""
    listed = [_tool(spec, tools) for spec in tools.tools.values()]
    limiter = CapacityLimiter(CALLS_AT_ONCE)

    async def list_tools(
        _: ServerRequestContext[Any], request: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        if request is not None and request.cursor is not None:
            raise MCPError(types.INVALID_PARAMS, "the list of tools has one page; ask without a cursor")
        return types.ListToolsResult(tools=listed)

    async def call(_: ServerRequestContext[Any], request: types.CallToolRequestParams) -> types.CallToolResult:
        if request.name not in tools.tools:
            raise MCPError(
                types.INVALID_PARAMS,
                f"there is no tool {request.name[:_NAMED_CHARS]!r}; there are {', '.join(tools.tools)}",
            )
        arguments = request.arguments or {}
        answer = await to_thread.run_sync(call_tool, request.name, arguments, caller, app, tools, limiter=limiter)
        error = tools.capability_of(request.name).error_of(answer)
        text = answer.to_compact_json().decode()
        return types.CallToolResult(
            content=[types.TextContent(type="text", text=text)],
            structured_content=json.loads(text),
            is_error=error is not None and code_outcome(error.code).is_tool_error,
        )

    return Server(
        "tribal-knowledge",
        version=__version__,
        title="Tribal Knowledge",
        instructions="\n\n".join(each.instructions for each in tools.capabilities if each.instructions),
        on_list_tools=list_tools,
        on_call_tool=call,
    )


def _tool(spec: ToolSpec, tools: Registry) -> types.Tool:
    effect = spec.effect
    return types.Tool(
        name=spec.name,
        title=spec.title,
        description=spec.description,
        input_schema=input_schema(spec),
        output_schema=output_schema(spec, tools),
        annotations=types.ToolAnnotations(
            title=spec.title,
            read_only_hint=effect.read_only,
            destructive_hint=effect.destructive,
            idempotent_hint=effect.idempotent,
            open_world_hint=effect.open_world,
        ),
    )
