"""Tables and domains as resources, derived from the tools' answers, so that the same scope applies."""

from __future__ import annotations

import base64
import json
from typing import Any, Literal, get_args

import mcp_types as types
from mcp.shared.exceptions import MCPError
from pydantic import TypeAdapter, ValidationError

from tribal.capabilities.retrieval.tools import LIST_NAMES
from tribal.edges.mcp.addresses import AS_JSON, DOMAIN_TEMPLATE, TABLE_TEMPLATE, Address, read_address
from tribal.edges.mcp.resource_pages import domain_markdown, table_markdown
from tribal.edges.mcp.tool_client import ToolClient
from tribal.identity.table_names import format_name

NEEDED = frozenset({"get_table_schema", "get_domain_overview"})
"""The tools that resources need; without both there are no resources."""
RESOURCES_A_PAGE = 100
"""By judgement: about 4,000 tokens."""

MARKDOWN, JSON = "text/markdown", "application/json"

Kind = Literal["domain", "table"]
_KINDS: tuple[Kind, ...] = get_args(Kind)
_CURSOR = TypeAdapter[tuple[Kind, list[str] | None]](tuple[Kind, list[str] | None])


def resource_templates() -> list[types.ResourceTemplate]:
    """The URI templates of tables and domains, as Markdown and as JSON."""
    return [
        types.ResourceTemplate(
            name=f"{kind}{'' if media == MARKDOWN else '-json'}",
            title=f"{title}{'' if media == MARKDOWN else ' as JSON'}",
            uri_template=template + ("" if media == MARKDOWN else AS_JSON),
            description=description,
            mime_type=media,
        )
        for kind, title, template, description in (
            ("table", "Table", TABLE_TEMPLATE, "Columns, keys, related tables and pitfalls of a table."),
            ("domain", "Business domain", DOMAIN_TEMPLATE, "Tables, diagram and common joins of a business domain."),
        )
        for media in (MARKDOWN, JSON)
    ]


def list_resources(client: ToolClient, cursor: str | None) -> types.ListResourcesResult:
    """A page of the domains and tables that the caller may see.

    Raises:
        MCPError: when the cursor is invalid, or the names cannot be read.
    """
    first, after = (_KINDS[0], None) if cursor is None else _read_cursor(cursor)
    resources: list[types.Resource] = []
    following: tuple[Kind, list[str] | None] | None = None
    for kind in _KINDS[_KINDS.index(first) :]:
        if len(resources) == RESOURCES_A_PAGE:
            following = (kind, None)
            break
        answer = client.ask(LIST_NAMES, kind=kind, after=after, limit=RESOURCES_A_PAGE - len(resources))
        resources += [_resource(kind, tuple(name)) for name in answer.names]
        after = None
        if answer.truncated:
            following = (kind, answer.names[-1])
            break
    return types.ListResourcesResult(
        resources=resources, next_cursor=None if following is None else _write_cursor(following)
    )


def read_resource(client: ToolClient, uri: str) -> types.TextResourceContents:
    """The content of a table or domain.

    Raises:
        MCPError: when it does not exist, or the caller may not see it.
    """
    try:
        address = read_address(uri)
    except ValueError as exc:
        raise MCPError(types.INVALID_PARAMS, f"no such resource: {exc}", {"uri": uri}) from None
    if address.kind == "domain":
        database, domain = address.parts
        answer: Any = client.ask_all_pages("get_domain_overview", domain=domain, database=database)
    else:
        answer = client.ask_all_pages("get_table_schema", table=format_name(address.parts))
    if address.as_json:
        return types.TextResourceContents(uri=uri, mime_type=JSON, text=answer.to_compact_json().decode())
    text = domain_markdown(answer) if address.kind == "domain" else table_markdown(answer)
    return types.TextResourceContents(uri=uri, mime_type=MARKDOWN, text=text)


def _resource(kind: Kind, parts: tuple[str, ...]) -> types.Resource:
    return types.Resource(name=format_name(parts), uri=str(Address(kind, parts)), mime_type=MARKDOWN)


def _write_cursor(place: tuple[Kind, list[str] | None]) -> str:
    return base64.urlsafe_b64encode(json.dumps(place).encode()).decode()


def _read_cursor(cursor: str) -> tuple[Kind, list[str] | None]:
    try:
        return _CURSOR.validate_json(base64.urlsafe_b64decode(cursor))
    except (ValueError, ValidationError):
        raise MCPError(
            types.INVALID_PARAMS, "the cursor is not valid for this list; list again without a cursor"
        ) from None
