"""An MCP server for a registry of tools; a thin layer over `call_tool`."""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Mapping
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any, TypeVar

import anyio
import mcp_types as types
from anyio import CapacityLimiter, to_thread
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from tribal import __version__
from tribal.capabilities.retrieval.tools import LIST_NAMES
from tribal.edges.mcp.caller_slots import CallerSlots
from tribal.edges.mcp.prompts import fill_prompt, offered_prompts
from tribal.edges.mcp.resources import NEEDED, list_resources, read_resource, resource_templates
from tribal.edges.mcp.stdio import json_lines
from tribal.edges.mcp.tool_client import CallTool, ToolClient, local_calls
from tribal.edges.mcp.waiting_threads import WaitingThreads
from tribal.errors import TooManyRequests
from tribal.identity.addresses import AS_JSON, DOMAIN_TEMPLATE, TABLE_TEMPLATE, quoted_schema
from tribal.identity.table_names import format_name
from tribal.ports.application import Application
from tribal.ports.caller import Caller
from tribal.ports.remembering.identity import is_identifier
from tribal.ports.tool import ToolSpec
from tribal.tools.listing import input_schema, listed_output_schema
from tribal.tools.registry import REGISTRY, Registry
from tribal_contracts import NameKind

CALLS_AT_ONCE = 4
"""Maximum concurrent calls; others wait."""
RETRY_SECONDS = "tribal.retry_seconds"
"""Scope key, set when too many calls are waiting for a model: the seconds after which to retry."""

_NAMED_CHARS = 100

Context = ServerRequestContext[Any]
CallerOf = Callable[[Context], Caller]
"""Returns the caller of a request."""
SlotOf = Callable[[Context], Hashable]
"""Returns what identifies requests that share threads."""
Page = types.PaginatedRequestParams | None
Result = TypeVar("Result")


def serve(app: Application, caller: Caller, reading: int, writing: int, tools: Registry = REGISTRY) -> None:
    """Serve over two file descriptors until the input ends or the client stops reading."""

    async def run() -> None:
        server = build_server(local_calls(app, tools), lambda context: with_agent(caller, context), tools)
        async with json_lines(reading, writing) as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())

    anyio.run(run)


def build_server(
    call: CallTool,
    caller_of: CallerOf,
    tools: Registry = REGISTRY,
    slot_of: SlotOf | None = None,
    waiting: WaitingThreads | None = None,
) -> Server[Any]:
    """Build a server that calls the tools for the caller of each request.

    With `slot_of`, no caller occupies more than half of the threads.
    """
    answers = _Answers(call, caller_of, tools, slot_of, waiting or WaitingThreads())
    with_resources = tools.tools.keys() >= NEEDED
    with_prompts = bool(answers.prompts)
    return Server(
        "tribal-knowledge",
        version=__version__,
        title="Tribal Knowledge",
        instructions="\n\n".join(each.instructions for each in tools.groups if each.instructions),
        on_list_tools=answers.list_tools,
        on_call_tool=answers.call_tool,
        on_list_resources=answers.list_resources if with_resources else None,
        on_list_resource_templates=answers.list_templates if with_resources else None,
        on_read_resource=answers.read_resource if with_resources else None,
        on_list_prompts=answers.list_prompts if with_prompts else None,
        on_get_prompt=answers.get_prompt if with_prompts else None,
        on_completion=answers.complete if with_resources or with_prompts else None,
    )


class _Answers:
    """Answers each kind of request."""

    def __init__(
        self,
        call: CallTool,
        caller_of: CallerOf,
        tools: Registry,
        slot_of: SlotOf | None,
        waiting: WaitingThreads,
    ) -> None:
        self._call = call
        self._caller_of = caller_of
        self._tools = tools
        self._limiter = CapacityLimiter(CALLS_AT_ONCE)
        self._slot_of = slot_of
        self._slots = CallerSlots(CALLS_AT_ONCE)
        self._waiting = waiting
        self.prompts = offered_prompts(frozenset(tools.tools))

    async def list_tools(self, _: Context, request: Page) -> types.ListToolsResult:
        _require_first_page(request, "tools")
        return types.ListToolsResult(tools=list(_listed(self._tools)))

    async def call_tool(self, context: Context, request: types.CallToolRequestParams) -> types.CallToolResult:
        tools = self._tools
        if request.name not in tools.tools:
            raise MCPError(
                types.INVALID_PARAMS,
                f"unknown tool {request.name[:_NAMED_CHARS]!r}; the tools are {', '.join(tools.tools)}",
            )
        caller = self._caller_of(context)
        work = partial(self._call, request.name, request.arguments or {}, caller)
        if tools.tools[request.name].asks_model_for(caller):
            answer = await self._in_waiting_thread(context, work)
        else:
            answer = await self._in_thread(context, work)
        error = tools.group_of(request.name).error_of(answer)
        text = answer.to_compact_json().decode()
        return types.CallToolResult(
            content=[types.TextContent(type="text", text=text)],
            structured_content=json.loads(text),
            is_error=error is not None,
        )

    async def list_resources(self, context: Context, request: Page) -> types.ListResourcesResult:
        cursor = None if request is None else request.cursor
        return await self._in_thread(context, partial(list_resources, self._asker(context), cursor))

    async def list_templates(self, _: Context, request: Page) -> types.ListResourceTemplatesResult:
        _require_first_page(request, "resource templates")
        return types.ListResourceTemplatesResult(resource_templates=resource_templates())

    async def read_resource(
        self, context: Context, request: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        contents = await self._in_thread(context, partial(read_resource, self._asker(context), request.uri))
        return types.ReadResourceResult(contents=[contents])

    async def list_prompts(self, _: Context, request: Page) -> types.ListPromptsResult:
        _require_first_page(request, "prompts")
        return types.ListPromptsResult(prompts=[prompt.listed for prompt in self.prompts.values()])

    async def get_prompt(self, context: Context, request: types.GetPromptRequestParams) -> types.GetPromptResult:
        prompt = self.prompts.get(request.name)
        if prompt is None:
            names = ", ".join(self.prompts)
            raise MCPError(
                types.INVALID_PARAMS, f"unknown prompt {request.name[:_NAMED_CHARS]!r}; the prompts are {names}"
            )
        return await self._in_thread(
            context, partial(fill_prompt, prompt, self._asker(context), request.arguments or {})
        )

    async def complete(self, context: Context, request: types.CompleteRequestParams) -> types.CompleteResult:
        completion = await self._in_thread(context, partial(_complete, self._asker(context), request))
        return types.CompleteResult(completion=completion)

    def _asker(self, context: Context) -> ToolClient:
        return ToolClient(self._call, self._tools, self._caller_of(context))

    async def _in_thread(self, context: Context, work: Callable[[], Result]) -> Result:
        if self._slot_of is None:
            return await to_thread.run_sync(work, limiter=self._limiter)
        async with self._slots.of(self._slot_of(context)):
            return await to_thread.run_sync(work, limiter=self._limiter)

    async def _in_waiting_thread(self, context: Context, work: Callable[[], Result]) -> Result:
        caller = None if self._slot_of is None else self._slot_of(context)
        try:
            return await self._waiting.run(work, caller)
        except TooManyRequests as error:
            if context.request is not None:
                context.request.scope[RETRY_SECONDS] = error.retry_seconds
            data = {"code": error.code, "retry_after_seconds": error.retry_seconds}
            raise MCPError(types.INTERNAL_ERROR, error.message, data) from error


def _require_first_page(request: Page, listed: str) -> None:
    if request is not None and request.cursor is not None:
        raise MCPError(types.INVALID_PARAMS, f"the list of {listed} has only one page; list again without a cursor")


@lru_cache(maxsize=8)
def _listed(tools: Registry) -> tuple[types.Tool, ...]:
    return tuple(_tool(spec, tools) for spec in tools.tools.values())


def _tool(spec: ToolSpec, tools: Registry) -> types.Tool:
    effect = spec.effect
    return types.Tool(
        name=spec.name,
        title=spec.title,
        description=spec.description,
        input_schema=input_schema(spec),
        output_schema=listed_output_schema(spec, tools),
        annotations=types.ToolAnnotations(
            read_only_hint=effect.read_only,
            destructive_hint=effect.destructive,
            idempotent_hint=effect.idempotent,
            open_world_hint=effect.open_world,
        ),
    )


_MOST_VALUES = 100
"""The protocol's limit for one answer."""

_TEMPLATES: Mapping[str, tuple[NameKind, ...]] = {
    TABLE_TEMPLATE: ("database", "schema", "table"),
    DOMAIN_TEMPLATE: ("database", "domain"),
}
_PROMPT_ARGUMENTS: Mapping[tuple[str, str], NameKind] = {
    ("explain_table", "table"): "table",
    ("write_query", "database"): "database",
}


def _complete(client: ToolClient, request: types.CompleteRequestParams) -> types.Completion:
    """The names that start with the argument's value; empty for an argument that is not a name.

    Raises:
        MCPError: when the names cannot be read.
    """
    kind = _kind(request)
    if kind is None:
        return types.Completion(values=[], total=0, has_more=False)
    given = (request.context.arguments if request.context else None) or {}
    answer = client.ask(
        LIST_NAMES,
        kind=kind,
        prefix=request.argument.value[:500],
        database=None if kind == "database" else given.get("database"),
        schema=given.get("schema") if kind == "table" else None,
        limit=_MOST_VALUES,
    )
    full_name = isinstance(request.ref, types.PromptReference) and kind == "table"
    values = [format_name(name) if full_name else _part(kind, name[-1]) for name in answer.names]
    return types.Completion(values=list(dict.fromkeys(values)), total=answer.total, has_more=answer.truncated)


def _kind(request: types.CompleteRequestParams) -> NameKind | None:
    name = request.argument.name
    if isinstance(request.ref, types.PromptReference):
        return _PROMPT_ARGUMENTS.get((request.ref.name, name))
    known = _TEMPLATES.get(request.ref.uri.removesuffix(AS_JSON), ())
    return next((kind for kind in known if kind == name), None)


def _part(kind: NameKind, text: str) -> str:
    return quoted_schema(text) if kind == "schema" else text


def with_agent(caller: Caller, context: ServerRequestContext[Any]) -> Caller:
    """The caller with the client's name as its agent, unless it has an agent or the name is invalid."""
    params = context.session.client_params
    identity = caller.identity
    if params is None or identity.agent is not None or identity.user is None:
        return caller
    name = params.client_info.name.strip()
    return replace(caller, identity=replace(identity, agent=name)) if is_identifier(name) else caller
