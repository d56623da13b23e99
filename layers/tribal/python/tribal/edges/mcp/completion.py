"""Completes names in prompts and resource URIs, within the caller's scope."""

from __future__ import annotations

from collections.abc import Mapping

import mcp_types as types

from tribal.capabilities.retrieval.tools import LIST_NAMES
from tribal.edges.mcp.addresses import AS_JSON, DOMAIN_TEMPLATE, TABLE_TEMPLATE, quoted_schema
from tribal.edges.mcp.tool_client import ToolClient
from tribal.identity.table_names import format_name
from tribal_contracts import NameKind

MOST_VALUES = 100
"""The protocol's limit for one answer."""

_TEMPLATES: Mapping[str, tuple[NameKind, ...]] = {
    TABLE_TEMPLATE: ("database", "schema", "table"),
    DOMAIN_TEMPLATE: ("database", "domain"),
}
_PROMPT_ARGUMENTS: Mapping[tuple[str, str], NameKind] = {
    ("explain_table", "table"): "table",
    ("write_query", "database"): "database",
}


def complete(client: ToolClient, request: types.CompleteRequestParams) -> types.Completion:
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
        limit=MOST_VALUES,
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
