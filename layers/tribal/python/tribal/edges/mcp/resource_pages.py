"""Renders answers of the tools as Markdown resources."""

from __future__ import annotations

from collections.abc import Sequence

from tribal.rendering.markdown import cell_code, code_span, escape_text, fence, page, table
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

_WORDS_OF: dict[DescriptionSource | None, str] = {
    "human": "",
    "comment": "",
    "derived": " _(derived by rules)_",
    "model": " _(written by a model)_",
    None: "",
}


def table_markdown(answer: GetTableSchemaOutput) -> str:
    """The page of a table."""
    shown = answer.schema_
    assert shown is not None
    return page(
        [
            f"# {escape_text(shown.name)}",
            *_warnings(answer.warnings),
            _said(shown.description, shown.description_source),
            f"Domain {code_span(shown.domain)}, {_rows(shown.row_count)}.",
            _listed("## Notes", [escape_text(note) for note in shown.notes or ()]),
            _listed("## Decided", [_told(each) for each in answer.guidance or () if each.kind != "memory"]),
            _listed(
                "## Remembered by others", [_told(each) for each in answer.guidance or () if each.kind == "memory"]
            ),
            _columns(shown),
            _related(shown.related_tables or ()),
            _listed(
                "## Indexes",
                [
                    f"{code_span(each.name)} on {_names(each.columns)}{', unique' * each.unique}"
                    for each in shown.indexes
                ],
            ),
        ]
    )


def domain_markdown(answer: GetDomainOverviewOutput) -> str:
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


def _told(item: GuidanceItem) -> str:
    which = "" if item.kind == "memory" else f"{item.kind} {item.id}, "
    return f"{escape_text(item.text)} _({escape_text(f'{which}{item.layer}, by {item.author}, {item.age} ago')})_"


def _rows(count: int) -> str:
    return f"about {row_figure(count)} rows" if count >= 0 else "number of rows unknown"


def _warnings(warnings: Sequence[AgentError] | None) -> list[str]:
    return [f"> {escape_text(warning.message)}" for warning in warnings or ()]


def _listed(heading: str, lines: Sequence[str]) -> str:
    return heading + "\n\n" + "\n".join(f"- {line}" for line in lines) if lines else ""


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
