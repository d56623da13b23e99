"""Tables and domains as resources, derived from the tools' answers, so that the same scope applies."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from typing import Any, Literal, get_args

import mcp_types as types
from mcp.shared.exceptions import MCPError
from pydantic import TypeAdapter, ValidationError

from tribal.capabilities.retrieval.tools import LIST_NAMES
from tribal.edges.mcp.tool_client import ToolClient
from tribal.identity.addresses import AS_JSON, DOMAIN_TEMPLATE, TABLE_TEMPLATE, Address, read_address
from tribal.identity.table_names import format_name
from tribal.identity.table_states import change_text
from tribal.rendering.markdown import cell_code, code_span, escape_text, fence, list_section, page, table
from tribal.rendering.words import row_figure
from tribal_contracts import (
    AgentError,
    ColumnDetail,
    DescriptionSource,
    GetDomainOverviewOutput,
    GetTableSchemaOutput,
    GuidanceItem,
    RelatedTable,
    TableSchema,
)

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
    text = _domain_markdown(answer) if address.kind == "domain" else _table_markdown(answer)
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


_WORDS_OF: dict[DescriptionSource | None, str] = {
    "human": "",
    "comment": "",
    "derived": " _(derived by rules)_",
    "model": " _(written by a model)_",
    None: "",
}


def _table_markdown(answer: GetTableSchemaOutput) -> str:
    """The page of a table."""
    shown = answer.schema_
    assert shown is not None
    return page(
        [
            f"# {escape_text(shown.name)}",
            *_warnings(answer.warnings),
            _said(shown.description, shown.description_source),
            f"Domain {code_span(shown.domain)}, {_rows(shown.row_count)}.",
            list_section("## Notes", [escape_text(note) for note in shown.notes or ()]),
            list_section(
                "## Decided", [_guidance_line(each) for each in answer.guidance or () if each.kind != "memory"]
            ),
            list_section(
                "## Remembered by others",
                [_guidance_line(each) for each in answer.guidance or () if each.kind == "memory"],
            ),
            _columns(shown),
            _related(shown.related_tables or ()),
            list_section(
                "## Indexes",
                [
                    f"{code_span(each.name)} on {_names(each.columns)}{', unique' * each.unique} "
                    f"{code_span(each.terms) if each.terms else ''}".rstrip()
                    for each in shown.indexes
                ],
            ),
        ]
    )


def _domain_markdown(answer: GetDomainOverviewOutput) -> str:
    """The page of a domain."""
    rows = [
        (escape_text(each.name), row_figure(each.row_count), _said(each.description, each.description_source))
        for each in answer.tables
    ]
    return page(
        [
            f"# {escape_text(answer.domain)}",
            *_warnings(answer.warnings),
            _said(answer.description, answer.description_source),
            table(("Table", "Rows, about", "Description"), rows, right=(1,)),
            "## Diagram\n\n" + fence(answer.er_diagram, "mermaid") if answer.er_diagram else "",
            "## Common joins\n\n" + fence("\n\n".join(answer.common_joins), "sql") if answer.common_joins else "",
        ]
    )


def _said(text: str, source: DescriptionSource | None) -> str:
    return escape_text(text) + _WORDS_OF[source] if text else ""


def _guidance_line(item: GuidanceItem) -> str:
    which = "" if item.kind == "memory" else f"{item.kind} {item.id}, "
    since = [f"since then, {change_text(each)}" for each in item.changed_tables or ()]
    said = "; ".join([f"{which}{item.layer}, by {item.author}, {item.age} ago", *since])
    return f"{escape_text(item.text)} _({escape_text(said)})_"


def _rows(count: int) -> str:
    return f"about {row_figure(count)} rows" if count >= 0 else "number of rows unknown"


def _warnings(warnings: Sequence[AgentError] | None) -> list[str]:
    return [f"> {escape_text(warning.message)}" for warning in warnings or ()]


def _columns(shown: TableSchema) -> str:
    references = {
        column: f"references {escape_text(f'{key.references_table} ({target})')}"
        for key in shown.foreign_keys
        for column, target in zip(key.columns, key.references_columns, strict=False)
    }
    rows = [_column(column, shown.primary_key, references.get(column.name, "")) for column in shown.columns]
    return "## Columns\n\n" + table(("Column", "Type", "Null", "Key", "Default", "Description"), rows)


def _column(column: ColumnDetail, primary_key: Sequence[str], reference: str) -> tuple[str, ...]:
    key = ", ".join(filter(None, ("primary" if column.name in primary_key else "", reference)))
    return (
        cell_code(column.name),
        cell_code(column.type),
        "yes" if column.nullable else "no",
        key,
        "" if column.default_value is None else cell_code(column.default_value),
        _said(column.description, column.description_source),
    )


def _related(tables: Sequence[RelatedTable]) -> str:
    if not tables:
        return ""
    rows = [
        (
            escape_text(each.name),
            each.relationship.replace("_", " "),
            _names(each.via_columns),
            "likely, not declared" if each.source == "inferred" else "declared",
            _said(each.description, each.description_source),
        )
        for each in tables
    ]
    return "## Related tables\n\n" + table(("Table", "Relationship", "By", "Key", "Description"), rows)


def _names(names: Sequence[str]) -> str:
    return ", ".join(cell_code(name) for name in names)
