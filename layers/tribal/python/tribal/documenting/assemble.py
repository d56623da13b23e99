"""The document of one table, from its slice, its samples, its description and the words of people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tribal.catalog.identity import TableIdentity
from tribal.documenting.sampling import Samples
from tribal.masking import MaskedSamples, detect_by_name, redact_text
from tribal.ports import TableContext, TableDescription
from tribal.rendering import relation_sentence
from tribal_contracts import (
    CatalogColumn,
    CatalogForeignKey,
    CatalogKey,
    Description,
    DocumentedCheck,
    DocumentedColumn,
    DocumentedForeignKey,
    DocumentedIndex,
    DocumentedKey,
    DocumentedRelation,
    TableAnnotation,
    TableDocument,
    TableSpec,
)

_WHOLE_NUMBERS = ("smallint", "integer", "bigint", "NUMBER", "number")


@dataclass(frozen=True, slots=True)
class Provenance:
    """What a document says of its own making."""

    server_database: str
    page: str
    """The table's Markdown file, relative to `docs/`."""
    documented_at: str
    input_hash: str


def apply_annotation(description: TableDescription, annotation: TableAnnotation | None) -> TableDescription:
    """Put a person's words in place of the describer's; what they do not speak of stays."""
    if annotation is None:
        return description
    columns = {
        name: _human(annotation.columns[name]) if annotation.columns.get(name, "").strip() else said
        for name, said in description.columns.items()
    }
    table = description.table
    if annotation.description and annotation.description.strip():
        table = _human(annotation.description)
    return TableDescription(table=table, columns=columns, notes=description.notes)


def _human(text: str) -> Description:
    return Description(text=text.strip(), source="human", confidence=1.0)


def assemble_document(
    context: TableContext,
    spec: TableSpec,
    description: TableDescription,
    samples: Samples,
    provenance: Provenance,
) -> TableDocument:
    """Make the document; texts of the server are redacted here, names stay as they are."""
    table = context.table
    own = TableIdentity(context.database, table.schema_name, table.table_name)
    return TableDocument(
        schema_version="1.0",
        name=str(own),
        database=context.database,
        database_type=context.database_type,
        server_database=provenance.server_database,
        schema_=table.schema_name,
        table=table.table_name,
        domain=context.domain,
        kind=table.kind,
        description=description.table,
        notes=list(description.notes),
        row_count=spec.row_count_approx,
        columns=[_column(column, context, description, samples.by_column) for column in table.columns],
        primary_key=_key(table.primary_key),
        unique_keys=[DocumentedKey(name=key.name, columns=key.columns) for key in table.unique_keys],
        foreign_keys=[_foreign_key(key, context) for key in table.foreign_keys],
        indexes=[
            DocumentedIndex(
                name=index.name,
                columns=[redact_text(column) for column in index.columns],
                unique=index.unique,
                predicate=_redacted(index.predicate),
            )
            for index in table.indexes
        ],
        checks=[DocumentedCheck(name=check.name, expression=redact_text(check.expression)) for check in table.checks],
        relations=_relations(context, own, provenance.page),
        view_definition=_redacted(table.view_definition),
        partition_count=table.partition_count,
        samples_taken=samples.taken,
        documented_at=provenance.documented_at,
        input_hash=provenance.input_hash,
        metadata_hash=spec.metadata_hash,
    )


def _redacted(text: str | None) -> str | None:
    return None if text is None else redact_text(text)


def _key(key: CatalogKey | None) -> DocumentedKey | None:
    return None if key is None else DocumentedKey(name=key.name, columns=key.columns)


def _column(
    column: CatalogColumn,
    context: TableContext,
    description: TableDescription,
    samples: Mapping[str, MaskedSamples],
) -> DocumentedColumn:
    table = context.table
    masked = samples.get(column.name, MaskedSamples())
    is_key = any(column.name in key.columns for key in (table.primary_key, *table.foreign_keys) if key)
    kind = masked.kind or detect_by_name(column.name, table.table_name)
    if is_key and column.type.startswith(_WHOLE_NUMBERS):
        # `address_id` is the number of an address, not an address.
        kind = None
    return DocumentedColumn(
        name=column.name,
        type=column.type,
        nullable=column.nullable,
        default_value=_redacted(column.default_value),
        description=description.columns[column.name],
        is_primary_key=table.primary_key is not None and column.name in table.primary_key.columns,
        is_foreign_key=any(column.name in key.columns for key in table.foreign_keys),
        identity=column.identity,
        generated=_redacted(column.generated),
        enum_values=[redact_text(value) for value in column.enum_values] if column.enum_values else None,
        samples=list(masked.values) or None,
        sample_patterns=list(masked.patterns) or None,
        sensitive=str(kind) if kind is not None else None,
    )


def _foreign_key(key: CatalogForeignKey, context: TableContext) -> DocumentedForeignKey:
    nullable = {column.name for column in context.table.columns if column.nullable}
    return DocumentedForeignKey(
        name=key.name,
        columns=key.columns,
        references_table=str(TableIdentity(context.database, key.references_schema, key.references_table)),
        references_columns=key.references_columns,
        nullable=not nullable.isdisjoint(key.columns),
        on_update=key.on_update,
        on_delete=key.on_delete,
    )


def _relations(context: TableContext, own: TableIdentity, page: str) -> list[DocumentedRelation]:
    """Tables that this one is joined to, those that it references first; a key to an undocumented table has none."""
    outgoing = [_foreign_key(key, context) for key in context.table.foreign_keys]
    targets = [key.references_table for key in outgoing]
    relations = []
    for key in outgoing:
        path = page if key.references_table == str(own) else _path(context, key.references_table)
        if path is None:
            continue
        sentence = relation_sentence(
            own.table,
            TableIdentity.parse(key.references_table).table,
            nullable=key.nullable,
            columns=_telling(key.columns, targets.count(key.references_table)),
        )
        relations.append(
            DocumentedRelation(
                name=key.references_table,
                relationship="references",
                via_columns=key.columns,
                other_columns=key.references_columns,
                path=path,
                description=sentence,
                nullable=key.nullable,
            )
        )
    return relations + _incoming(context, own)


def _incoming(context: TableContext, own: TableIdentity) -> list[DocumentedRelation]:
    sources = [key.from_table for key in context.incoming]
    relations = []
    for incoming in sorted(context.incoming, key=lambda key: (key.from_table, key.key.name, key.key.columns)):
        path = _path(context, incoming.from_table)
        if path is None or incoming.from_table == str(own):
            continue
        relations.append(
            DocumentedRelation(
                name=incoming.from_table,
                relationship="referenced_by",
                via_columns=incoming.key.references_columns,
                other_columns=incoming.key.columns,
                path=path,
                description=relation_sentence(
                    TableIdentity.parse(incoming.from_table).table,
                    own.table,
                    nullable=incoming.nullable,
                    columns=_telling(incoming.key.columns, sources.count(incoming.from_table)),
                ),
                nullable=incoming.nullable,
            )
        )
    return relations


def _path(context: TableContext, name: str) -> str | None:
    neighbour = context.neighbours.get(name)
    return neighbour.path if neighbour else None


def _telling(columns: Sequence[str], keys_between: int) -> tuple[str, ...]:
    return tuple(columns) if keys_between > 1 else ()
