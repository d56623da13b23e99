"""Tool `get_table_schema`: everything documented about one table."""

from __future__ import annotations

from typing import Any

from tribal.capabilities.retrieval.bounded_table import bounded_table
from tribal.capabilities.retrieval.guidance import guidance_of
from tribal.capabilities.retrieval.names import find_table, name_of, partition_note
from tribal.capabilities.retrieval.paging import Page, Place, fill_page
from tribal.capabilities.retrieval.toolbox import Toolbox, open_index
from tribal.errors import IndexNotReady
from tribal.identity.locations import DOCS
from tribal_contracts import (
    ColumnDetail,
    DocumentedColumn,
    DocumentedInferredKey,
    ForeignKeyDetail,
    GetTableSchemaInput,
    GetTableSchemaOutput,
    IndexDetail,
    RelatedTable,
    TableDocument,
    TableSchema,
)

_Part = ColumnDetail | RelatedTable | ForeignKeyDetail | IndexDetail
"""The items of a page."""
_NOTES = "notes"
_GUIDANCE = "guidance"
_DEFINITION = "definition"
_DEFINITION_BYTES = 8_192
_READS = "reads"
_READ_BY = "read_by"


def get_table_schema(request: GetTableSchemaInput, toolbox: Toolbox) -> GetTableSchemaOutput:
    """Show a table: its columns, then its related tables, foreign keys and indexes, in pages.

    Every page repeats the head of the table; notes, guidance and the SQL of a view are on the first page only.

    Raises:
        TableNotFound: when no table has that name, or more than one.
        ToolInputInvalid: when the cursor belongs to another question.
        AnswerTooLong: when a part of the table alone exceeds the limit.
        IndexNotReady: when there is no finished index.

    Source: specification section 6.2.
    """
    opened = open_index(toolbox)
    entry = find_table(request.table, opened.tables)
    record = toolbox.index.records([entry.record_id]).get(entry.record_id)
    if record is None or record.structured is None:
        raise IndexNotReady(f"the index has no document of {name_of(entry)}; run `tribal index --force` to rebuild it")
    bounds, unbounded = opened.bounds, record.structured
    table = bounded_table(unbounded, bounds)
    parts = _parts(table, request)
    with_relations = "related" if request.include_relationships else None
    question = ("get_table_schema", table.name, with_relations, opened.metadata.manifest_hash)
    place = Place.of(len(parts), request.cursor, question)
    warnings = [*opened.warnings]
    if len(table.foreign_keys) < len(unbounded.foreign_keys):
        message = f"keys of {table.name} to tables that you may not see are left out"
        warnings.append(toolbox.warning("RET_ANSWER_PARTIAL", message))
    # The path of its Markdown file may not reveal the real name of the domain.
    documentation = None if record.domain in bounds.domains else DOCS + record.file_path
    if (note := partition_note(request.table, entry)) is not None:
        table = table.model_copy(update={"notes": [note, *table.notes]})

    guidance = guidance_of(entry, [column.name for column in table.columns], opened, toolbox)

    def answer(page: Page[_Part]) -> GetTableSchemaOutput:
        return GetTableSchemaOutput(
            success=True,
            tokens_used=0,
            schema_=_schema(table, page, request.include_relationships, documentation),
            total=page.total,
            returned=page.returned,
            truncated=page.truncated,
            next_cursor=page.next_cursor,
            warnings=warnings or None,
            guidance=guidance if _GUIDANCE in page.extras else None,
        )

    held = {
        _NOTES: table.notes,
        _GUIDANCE: guidance,
        _DEFINITION: table.view_definition,
        _READS: table.reads,
        _READ_BY: table.read_by,
    }
    extras = [name for name, part in held.items() if part and place.is_first]
    around = f"the head of {table.name}"
    return fill_page(place, parts[place.start :], answer, toolbox, around=around, extras=extras)


def _parts(table: TableDocument, request: GetTableSchemaInput) -> list[_Part]:
    """All paged items of a table, in order."""
    return [
        *(_column(column, request.include_samples) for column in table.columns),
        *(_related(table) if request.include_relationships else ()),
        *(
            ForeignKeyDetail(
                name=key.name,
                columns=key.columns,
                references_table=key.references_table,
                references_columns=key.references_columns,
            )
            for key in table.foreign_keys
        ),
        *(IndexDetail(**index.model_dump()) for index in table.indexes),
    ]


def _schema(
    table: TableDocument, page: Page[_Part], with_relationships: bool, documentation: str | None
) -> TableSchema:
    parts = page.items
    related = [part for part in parts if isinstance(part, RelatedTable)]
    return TableSchema(
        name=table.name,
        database=table.database,
        schema_=table.schema_,
        table=table.table,
        domain=table.domain,
        owner=table.owner,
        kind=table.kind,
        dialect=table.database_type,
        description=table.description.text,
        description_source=table.description.source,
        row_count=table.row_count,
        row_count_at=table.row_count_at,
        inherits_from=table.inherits_from,
        partition_of=table.partition_of,
        partition_strategy=table.partition_strategy,
        partition_key=table.partition_key,
        **_definition(table, page),
        **_reading(table, page),
        columns=[part for part in parts if isinstance(part, ColumnDetail)],
        primary_key=[] if table.primary_key is None else list(table.primary_key.columns),
        foreign_keys=[part for part in parts if isinstance(part, ForeignKeyDetail)],
        indexes=[part for part in parts if isinstance(part, IndexDetail)],
        related_tables=related if with_relationships else None,
        notes=table.notes if _NOTES in page.extras else None,
        documentation=documentation,
    )


def _definition(table: TableDocument, page: Page[_Part]) -> dict[str, Any]:
    """The fields about the SQL of a view."""
    if _DEFINITION not in page.extras or table.view_definition is None:
        return {}
    whole = table.view_definition.encode()
    shown = whole[:_DEFINITION_BYTES].decode(errors="ignore")
    return {"definition": shown, "definition_truncated": len(whole) > _DEFINITION_BYTES or None}


def _reading(table: TableDocument, page: Page[_Part]) -> dict[str, Any]:
    """The fields about what a view reads, and about the views that read the table."""
    names = [f"{name}{suffix}" for name in (_READS, _READ_BY) if name in page.extras for suffix in ("", "_total")]
    return {name: getattr(table, name) for name in names}


def _column(column: DocumentedColumn, with_samples: bool) -> ColumnDetail:
    return ColumnDetail(
        name=column.name,
        type=column.type,
        nullable=column.nullable,
        default_value=column.default_value,
        description=column.description.text,
        description_source=column.description.source,
        allowed_values=column.allowed_values,
        allowed_values_from=column.allowed_values_from if column.allowed_values else None,
        allowed_values_complete=column.allowed_values_complete if column.allowed_values else None,
        value_meanings=column.value_meanings,
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
