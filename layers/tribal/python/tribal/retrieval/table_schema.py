"""Tool `get_table_schema`: everything documented about one table."""

from __future__ import annotations

from tribal.catalog.locations import DOCS
from tribal.errors import IndexNotReady
from tribal.retrieval.names import find_table, name_of
from tribal.retrieval.paging import Page, page_of
from tribal.retrieval.scoping.bounds import Bounds
from tribal.retrieval.scoping.tables import bounded_table
from tribal.retrieval.toolbox import Toolbox, open_index
from tribal_contracts import (
    AgentError,
    ColumnDetail,
    DocumentedColumn,
    DocumentedInferredKey,
    DocumentRecord,
    ForeignKeyDetail,
    GetTableSchemaInput,
    GetTableSchemaOutput,
    IndexDetail,
    RelatedTable,
    TableDocument,
    TableSchema,
)

COLUMNS_A_PAGE = 100
MAX_RELATED_TABLES = 200


def get_table_schema(request: GetTableSchemaInput, toolbox: Toolbox) -> GetTableSchemaOutput:
    """Show a table; its columns are paged, and every page repeats everything else.

    Raises:
        TableNotFound: when no table has that name, or more than one.
        ToolInputInvalid: when the cursor belongs to another question.
        IndexNotReady: when there is no finished index.

    Source: specification section 6.2.
    """
    opened = open_index(toolbox)
    entry = find_table(request.table, opened.tables)
    record = toolbox.index.records([entry.record_id]).get(entry.record_id)
    if record is None or record.structured is None:
        raise IndexNotReady(f"the index holds no document of {name_of(entry)}; `tribal index --force` rebuilds it")
    bounds, unbounded = opened.bounds, record.structured
    table = bounded_table(unbounded, bounds)
    question = ("get_table_schema", table.name, opened.metadata.manifest_hash)
    page = page_of(table.columns, COLUMNS_A_PAGE, request.cursor, question)
    related = _related(table) if request.include_relationships else None
    warnings = [
        *opened.warnings,
        *_left_out(table, len(table.foreign_keys) < len(unbounded.foreign_keys), related, toolbox),
    ]
    shown = None if related is None else related[:MAX_RELATED_TABLES]
    return GetTableSchemaOutput(
        success=True,
        tokens_used=0,
        schema_=_schema(table, page, shown, request.include_samples, _page_of(record, bounds)),
        total=page.total,
        returned=len(page.items),
        truncated=page.truncated or shown != related,
        next_cursor=page.next_cursor,
        warnings=warnings or None,
    )


def _page_of(record: DocumentRecord, bounds: Bounds) -> str | None:
    """The table's Markdown file, whose path holds the real name of its domain; its text is for readers who see all."""
    return None if record.domain in bounds.domains else DOCS + record.file_path


def _schema(
    table: TableDocument,
    page: Page[DocumentedColumn],
    related: list[RelatedTable] | None,
    with_samples: bool,
    documentation: str | None,
) -> TableSchema:
    return TableSchema(
        name=table.name,
        database=table.database,
        schema_=table.schema_,
        table=table.table,
        domain=table.domain,
        description=table.description.text,
        description_source=table.description.source,
        row_count=table.row_count,
        columns=[_column(column, with_samples) for column in page.items],
        primary_key=[] if table.primary_key is None else list(table.primary_key.columns),
        foreign_keys=[
            ForeignKeyDetail(
                name=key.name,
                columns=key.columns,
                references_table=key.references_table,
                references_columns=key.references_columns,
            )
            for key in table.foreign_keys
        ],
        indexes=[IndexDetail(name=index.name, columns=index.columns, unique=index.unique) for index in table.indexes],
        related_tables=related,
        notes=table.notes or None,
        documentation=documentation,
    )


def _column(column: DocumentedColumn, with_samples: bool) -> ColumnDetail:
    return ColumnDetail(
        name=column.name,
        type=column.type,
        nullable=column.nullable,
        default_value=column.default_value,
        description=column.description.text,
        description_source=column.description.source,
        samples=(column.samples or []) if with_samples else None,
    )


def _related(table: TableDocument) -> list[RelatedTable]:
    return [
        RelatedTable(
            name=relation.name,
            relationship=relation.relationship,
            via_columns=relation.via_columns,
            description=relation.description,
            description_source="derived",
        )
        for relation in table.relations
    ] + [_likely_relation(table, key) for key in table.inferred_keys]


def _likely_relation(table: TableDocument, key: DocumentedInferredKey) -> RelatedTable:
    outgoing = key.from_table == table.name
    return RelatedTable(
        name=key.to_table if outgoing else key.from_table,
        relationship="references" if outgoing else "referenced_by",
        via_columns=key.from_columns if outgoing else key.to_columns,
        description="",
        description_source="derived",
        source="inferred",
        confidence=key.confidence,
        evidence=key.evidence,
    )


def _left_out(
    table: TableDocument, lacks_keys: bool, related: list[RelatedTable] | None, toolbox: Toolbox
) -> list[AgentError]:
    warnings: list[AgentError] = []
    if lacks_keys:
        message = f"keys of {table.name} to tables that you may not see are left out"
        warnings.append(toolbox.warning("RET_ANSWER_PARTIAL", message))
    if related is not None and len(related) > MAX_RELATED_TABLES:
        message = f"{MAX_RELATED_TABLES} of {len(related)} related tables are shown; get_join_path finds the others"
        warnings.append(toolbox.warning("RET_ANSWER_PARTIAL", message))
    return warnings
