"""Progress of documenting, and the manifest that passes its results to indexing. Source: specification section 4."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from tribal_contracts.core.models import ModelUsage
from tribal_contracts.core.shape import (
    AgentError,
    AgentStatus,
    ContentHash,
    Contract,
    Count,
    DatabaseType,
    DomainName,
    FullyQualifiedTableName,
    ISOTimestamp,
    Unset,
    optional,
)


class WorkUnitProgress(Contract):
    """Progress of one work unit. File: `progress/work_units/{id}/progress.json`. Source: specification section 4.2."""

    work_unit_id: str
    status: AgentStatus
    started_at: ISOTimestamp | Unset = optional()
    completed_at: ISOTimestamp | Unset = optional()
    processor_pid: int | Unset = optional()
    tables_total: Count
    tables_completed: Count
    tables_failed: Count
    tables_skipped: Count
    current_table: FullyQualifiedTableName | Unset = optional()
    errors: list[AgentError]
    output_files: list[str]
    db_query_time_ms: Count | Unset = optional("Extension: time that the unit's samples took.")
    usage: ModelUsage | Unset = optional("Extension: what the model used for the unit under this plan.")
    left_to_rules: dict[FullyQualifiedTableName, str] | Unset = optional(
        "Extension: tables of which the model said nothing, and why."
    )


class DocumenterStats(Contract):
    """Totals of a documenting run. Source: specification section 4.3."""

    total_tables: Count
    completed_tables: Count
    failed_tables: Count
    skipped_tables: Count
    llm_tokens_used: Count
    llm_time_ms: Count
    db_query_time_ms: Count


class DocumenterProgress(Contract):
    """How far documenting has come. File: `progress/documenter-progress.json`. Source: specification section 4.1."""

    schema_version: Literal["1.0"]
    started_at: ISOTimestamp
    completed_at: ISOTimestamp | None
    status: AgentStatus
    plan_file: str
    plan_hash: ContentHash
    work_units: dict[str, WorkUnitProgress]
    stats: DocumenterStats
    last_checkpoint: ISOTimestamp
    errors: list[AgentError]
    finish_usage: ModelUsage | Unset = optional("Extension: what the model used for domains under this plan.")


class DatabaseManifest(Contract):
    """One database of the manifest. Source: specification section 4.4."""

    name: str
    type: DatabaseType
    docs_directory: str
    tables_documented: Count
    tables_failed: Count
    domains: list[str]
    last_read: ISOTimestamp | Unset = optional("Extension: when a database that did not answer was read last.")


class WorkUnitManifest(Contract):
    """How one work unit ended. Source: specification section 4.4."""

    id: str
    status: Literal["completed", "failed", "partial"]
    output_directory: str
    files_generated: Count
    output_hash: ContentHash
    reprocessable: bool
    errors: list[AgentError] | Unset = optional()


class IndexableFile(Contract):
    """One file that indexing reads. Source: specification section 4.4."""

    path: str
    type: Literal["table", "domain", "overview", "relationship"]
    database: str
    schema_: str | Unset = Field(default=None, alias="schema", exclude_if=lambda value: value is None)
    table: str | Unset = optional()
    domain: DomainName | Unset = optional()
    content_hash: ContentHash
    size_bytes: Count
    modified_at: ISOTimestamp
    work_unit: str | Unset = optional("Extension: the work unit that wrote the file.")


class DocumentationManifest(Contract):
    """Everything that is documented. File: `docs/documentation-manifest.json`. Source: specification section 4.4."""

    schema_version: Literal["1.0"]
    completed_at: ISOTimestamp
    plan_hash: ContentHash
    status: Literal["complete", "partial"]
    databases: list[DatabaseManifest]
    work_units: list[WorkUnitManifest]
    total_files: Count
    indexable_files: list[IndexableFile]
