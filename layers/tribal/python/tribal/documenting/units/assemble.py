"""Assemble a table's document from its slice, samples, description and annotation."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from tribal.documenting.relations import documented_key, inferred_keys_of, relations_of
from tribal.documenting.units.column_values import values_of_column
from tribal.documenting.units.sampling import Samples
from tribal.identity.table_names import TableIdentity, parse_name
from tribal.masking import MaskedSamples, SensitiveKind, detect_by_name
from tribal.ports import TableContext, TableDescription
from tribal.sql.type_families import TypeFamily, type_family
from tribal_contracts import (
    CatalogColumn,
    CatalogKey,
    CatalogTable,
    Description,
    DocumentedCheck,
    DocumentedColumn,
    DocumentedIndex,
    DocumentedKey,
    Evidence,
    InferredKey,
    TableAnnotation,
    TableDocument,
    TableSpec,
)

_ONLY_TEXT = frozenset(
    {
        SensitiveKind.ADDRESS,
        SensitiveKind.EMAIL,
        SensitiveKind.FREE_TEXT,
        SensitiveKind.IBAN,
        SensitiveKind.IDENTITY_DOCUMENT,
        SensitiveKind.PERSON_NAME,
        SensitiveKind.USERNAME,
    }
)
"""Kinds that numbers and UUIDs cannot be, whatever their names say."""
_FLAGS = frozenset({SensitiveKind.PERSONAL_TRAIT})
_TIMES = frozenset({SensitiveKind.BIRTH_DATE, SensitiveKind.DEATH_DATE, SensitiveKind.PERSONAL_TRAIT})
_ONLY: dict[TypeFamily, frozenset[SensitiveKind]] = {
    "boolean": _FLAGS,
    "date": _TIMES,
    "instant": _TIMES,
    "local_time": _TIMES,
}
"""The only kinds that values of a type can be."""
_MOST_READERS = 50
"""Source: the contract of `reads` and `read_by`."""
_NUMBERED = ("smallint", "integer", "bigint", "numeric", "NUMBER", "number", "uuid")
"""Types of surrogate keys."""


@dataclass(frozen=True, slots=True)
class Provenance:
    """The origin of a document."""

    server_database: str
    page: str
    """The table's Markdown file, relative to `docs/`."""
    documented_at: str
    input_hash: str
    annotation_line: int | None = None
    """First line of the table's annotation in the annotations file."""
    owner: str | None = None


def apply_annotation(
    description: TableDescription, annotation: TableAnnotation | None, table: CatalogTable
) -> TableDescription:
    """Replace the describer's texts with those of the annotation, where it has any.

    A text that the database says too, as a comment, keeps the comment as its source.
    """
    if annotation is None:
        return description
    comments = {column.name: column.comment for column in table.columns}
    columns = {
        name: _preferred(annotation.columns.get(name), said, comments.get(name))
        for name, said in description.columns.items()
    }
    return replace(
        description, table=_preferred(annotation.description, description.table, table.comment), columns=columns
    )


def _preferred(text: str | None, said: Description, comment: str | None) -> Description:
    if text is None or not text.strip():
        return said
    if said.source == "comment" and comment is not None and comment.split() == text.split():
        return said
    evidence = [Evidence(kind="told", of="person")]
    return Description(text=text.strip(), source="human", confidence=1.0, evidence=evidence)


def assemble_document(
    context: TableContext,
    spec: TableSpec,
    description: TableDescription,
    samples: Samples,
    provenance: Provenance,
    inferred_keys: Iterable[InferredKey] = (),
) -> TableDocument:
    """Assemble the document of a redacted table; `inferred_keys` may include keys of other tables."""
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
        owner=provenance.owner,
        kind=table.kind,
        description=description.table,
        notes=list(description.notes),
        row_count=spec.row_count_approx,
        row_count_at=spec.row_count_at,
        columns=[_column(column, context, description, samples.by_column) for column in table.columns],
        primary_key=_key(table.primary_key),
        unique_keys=[DocumentedKey(name=key.name, columns=key.columns) for key in table.unique_keys],
        foreign_keys=[documented_key(key, table, context.database) for key in table.foreign_keys],
        indexes=[DocumentedIndex(**index.model_dump()) for index in table.indexes],
        checks=[
            DocumentedCheck(name=check.name, expression=check.expression, validated=check.validated)
            for check in table.checks
        ]
        + [DocumentedCheck(name=each.name, expression=each.definition) for each in table.exclusions or ()],
        relations=relations_of(table, context.database, context.incoming, context.neighbours, provenance.page),
        inferred_keys=inferred_keys_of(str(own), inferred_keys, context.neighbours, provenance.page),
        view_definition=table.view_definition,
        **_reading(context),
        partition_count=table.partition_count,
        partitions=[str(TableIdentity(context.database, *parse_name(name))) for name in table.partitions or ()] or None,
        partition_of=table.partition_of,
        inherits_from=[str(TableIdentity(context.database, *parse_name(name))) for name in table.inherits or ()]
        or None,
        **_partitioning(table),
        copy_of=spec.copy_of,
        samples_taken=samples.taken,
        annotation_line=provenance.annotation_line,
        documented_at=provenance.documented_at,
        input_hash=provenance.input_hash,
        metadata_hash=spec.metadata_hash,
    )


def _reading(context: TableContext) -> dict[str, Any]:
    """The fields about what a view reads, and about the views that read the table."""
    reads = context.reads.reads if context.reads else ()
    fields: dict[str, Any] = {}
    for name, tables in (("reads", reads), ("read_by", context.read_by)):
        if tables:
            fields |= {name: list(tables[:_MOST_READERS]), f"{name}_total": len(tables)}
    if context.reads is not None:
        fields |= {"lineage": context.reads.columns or None, "lineage_problem": context.reads.problem}
    return fields


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
    if is_key and column.type.startswith(_NUMBERED):
        # `address_id` identifies an address and is not one.
        kind = None
    elif kind is not None and not _can_hold(column.base_type or column.type, kind):
        kind = None
    return DocumentedColumn(
        name=column.name,
        type=column.type,
        nullable=column.nullable,
        default_value=column.default_value,
        description=description.columns[column.name],
        is_primary_key=table.primary_key is not None and column.name in table.primary_key.columns,
        is_foreign_key=any(column.name in key.columns for key in table.foreign_keys),
        identity=column.identity,
        generated=column.generated,
        base_type=column.base_type,
        **values_of_column(column, context, description.columns[column.name], hidden=kind is not None),
        samples=list(masked.values) or None,
        sample_patterns=list(masked.patterns) or None,
        sensitive=str(kind) if kind is not None else None,
        hidden=masked.masked or None,
        marked=column.sensitive,
    )


_PARTITIONED = re.compile(r"(RANGE|LIST|HASH) \((.*)\)", re.DOTALL)


def _partitioning(table: CatalogTable) -> dict[str, Any]:
    """The fields about how a partitioned table is split."""
    found = _PARTITIONED.fullmatch(table.partition_key or "")
    return {"partition_strategy": found[1].lower(), "partition_key": found[2]} if found else {}


def _can_hold(type_name: str, kind: SensitiveKind) -> bool:
    family = type_family(type_name)
    if family in _ONLY:
        return kind in _ONLY[family]
    is_text = family in ("text", "json", "list", "other") and type_name != "uuid"
    return is_text or kind not in _ONLY_TEXT
