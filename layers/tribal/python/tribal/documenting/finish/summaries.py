"""Summaries of table documents, so that overviews do not keep whole documents in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tribal.documenting.finish.collected_documents import TableEntry
from tribal.identity.table_names import TableIdentity, format_name
from tribal.joins.outline import identifies, row_keys
from tribal.joins.statements import SqlTable
from tribal.rendering.mermaid import ErColumn, ErTable
from tribal.rendering.words import relation_sentence, shorten
from tribal_contracts import (
    DatabaseType,
    Description,
    DomainTable,
    InferredKey,
    KeyIdentifies,
    Relationship,
    TableDocument,
)

LISTED_DESCRIPTION_CHARS = 300
"""Longest description shown in a list of tables."""


@dataclass(frozen=True, slots=True)
class TableSummary:
    """The parts of a table document that its domain's overview shows."""

    listed: DomainTable
    database_type: DatabaseType
    sql: SqlTable
    diagram: ErTable
    keys: tuple[Relationship, ...]
    """Foreign keys from this table to documented tables."""
    referenced_by: tuple[str, ...]
    """Tables that reference this one, one entry per key."""
    inferred_keys: tuple[InferredKey, ...] = ()
    """Likely keys from this table to documented tables."""

    @property
    def degree(self) -> int:
        """Number of foreign keys from and to this table."""
        return len(self.keys) + len(self.referenced_by)


def listed_description(said: Description) -> str:
    """A table's description as shown in a list of tables."""
    return shorten(said.text, LISTED_DESCRIPTION_CHARS)


def summarize(document: TableDocument, entry: TableEntry, domains: Mapping[str, str]) -> TableSummary:
    """Reduce a document to its summary; `domains` maps every documented table to its domain."""
    key_columns = [column for column in document.columns if column.is_primary_key or column.is_foreign_key]
    return TableSummary(
        listed=DomainTable(
            name=document.name,
            description=listed_description(document.description),
            row_count=document.row_count,
            column_count=len(document.columns),
            path=entry.page_path,
        ),
        database_type=document.database_type,
        sql=SqlTable(document.schema_, document.table, document.server_database or document.database),
        diagram=ErTable(
            document.name,
            format_name((document.schema_, document.table)),
            tuple(ErColumn(c.name, c.type, c.is_primary_key, c.is_foreign_key) for c in key_columns),
        ),
        keys=_keys(document, domains),
        referenced_by=tuple(r.name for r in document.relations if r.relationship == "referenced_by"),
        inferred_keys=tuple(
            InferredKey(
                **key.model_dump(exclude={"path", "identifies"}), identifies=_identifies(key.from_columns, document)
            )
            for key in document.inferred_keys
            if key.from_table == document.name and key.to_table in domains
        ),
    )


def _identifies(columns: Sequence[str], document: TableDocument) -> KeyIdentifies | None:
    leaving = [key.columns for key in document.foreign_keys]
    leaving += [key.from_columns for key in document.inferred_keys if key.from_table == document.name]
    return identifies(columns, leaving, row_keys(document))


def _keys(document: TableDocument, domains: Mapping[str, str]) -> tuple[Relationship, ...]:
    targets = [key.references_table for key in document.foreign_keys]
    return tuple(
        Relationship(
            name=key.name,
            from_table=document.name,
            from_columns=key.columns,
            from_domain=document.domain,
            to_table=key.references_table,
            to_columns=key.references_columns,
            to_domain=domains[key.references_table],
            nullable=key.nullable,
            source="declared",
            description=relation_sentence(
                document.table,
                TableIdentity.parse(key.references_table).table,
                nullable=key.nullable,
                columns=tuple(key.columns) if targets.count(key.references_table) > 1 else (),
            ),
            identifies=_identifies(key.columns, document),
        )
        for key in document.foreign_keys
        if key.references_table in domains
    )
