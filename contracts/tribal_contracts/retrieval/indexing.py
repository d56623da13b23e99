"""Progress of indexing, and the contents of the index. Source: specification section 5."""

from __future__ import annotations

from typing import Literal

from tribal_contracts.core.shape import (
    AgentError,
    AgentStatus,
    ContentHash,
    Contract,
    Count,
    DomainName,
    FullyQualifiedTableName,
    ISOTimestamp,
    UnitInterval,
    Unset,
    optional,
)
from tribal_contracts.documentation.documents import DomainDocument, TableDocument
from tribal_contracts.documentation.keys import KeyEvidence, KeyIdentifies

DocType = Literal["table", "column", "domain", "relationship"]


class IndexerProgress(Contract):
    """How far indexing has come. File: `progress/indexer-progress.json`. Source: specification section 5.1."""

    schema_version: Literal["1.0"]
    started_at: ISOTimestamp
    completed_at: ISOTimestamp | None
    status: AgentStatus
    manifest_file: str
    manifest_hash: ContentHash
    files_total: Count
    files_indexed: Count
    files_failed: Count
    files_skipped: Count
    current_file: str | Unset = optional()
    embeddings_generated: Count
    last_checkpoint: ISOTimestamp
    errors: list[AgentError]
    index_version: str | Unset = optional("Extension: the version of the index that is built.")
    embedding_model: str | Unset = optional("Extension: the model whose vectors the index that is built holds.")


class IndexMetadata(Contract):
    """What the index was built from. Source: specification section 5.2."""

    last_full_index: ISOTimestamp
    manifest_hash: ContentHash
    document_count: Count
    embedding_count: Count
    index_version: str
    embedding_model: str
    embedding_dimensions: Count
    last_read: dict[str, ISOTimestamp] | Unset = optional(
        "Extension: when the databases that did not answer the last run were read before."
    )


class DocumentRecord(Contract):
    """One document of the index. Source: specification section 5.3."""

    id: Count
    doc_type: DocType
    database_name: str
    schema_name: str | None
    table_name: str | None
    column_name: str | None
    domain: DomainName | None
    content: str
    summary: str
    keywords: str
    file_path: str
    content_hash: ContentHash
    indexed_at: ISOTimestamp
    source_modified_at: ISOTimestamp
    source_path: str | Unset = optional("Extension: the indexable file, relative to `docs/`, that the record is from.")
    structured: TableDocument | Unset = optional("Extension: of a table record, the whole document of the table.")
    structured_domain: DomainDocument | Unset = optional(
        "Extension: of a domain record, the whole document of the domain."
    )


class KeyEdge(Contract):
    """Extension: one foreign key, from the table that holds it to the table that it references."""

    name: str
    from_table: FullyQualifiedTableName
    from_columns: list[str]
    to_table: FullyQualifiedTableName
    to_columns: list[str]
    nullable: bool
    """Whether a row may lack a parent: at least one of the key's columns may be null."""
    source: Literal["declared", "inferred"]
    confidence: UnitInterval | Unset = optional("Of an inferred key, how likely it is, 0 to 1.")
    evidence: list[KeyEvidence] | Unset = optional("Of an inferred key, what it rests on.")
    identifies: KeyIdentifies | Unset = optional()


class KeyGraph(Contract):
    """Extension: every foreign key of the index, as one versioned object."""

    schema_version: Literal["1.0"]
    manifest_hash: ContentHash
    edges: list[KeyEdge]
