"""Files of a documentation run: its plan in parts, and the results of its units. Extension contracts."""

from __future__ import annotations

from typing import Literal

from tribal_contracts.core.models import ModelUsage
from tribal_contracts.core.shape import (
    AgentError,
    AgentStatus,
    ContentHash,
    Contract,
    Count,
    DomainName,
    FullyQualifiedTableName,
    ISOTimestamp,
    Unset,
    optional,
)
from tribal_contracts.documentation.plan import DatabaseAnalysis
from tribal_contracts.documentation.progress import IndexableFile


class WrittenFile(Contract):
    """A file that a stage wrote; `path` is relative to `docs/`."""

    path: str
    content_hash: ContentHash
    size_bytes: Count
    modified_at: ISOTimestamp


class TableResult(Contract):
    """How one table ended."""

    name: FullyQualifiedTableName
    status: Literal["documented", "failed"]
    input_hash: ContentHash | Unset = optional("What the files were made from; unset where the table failed.")
    files: list[WrittenFile]
    indexable: IndexableFile | Unset = optional()
    unlinked: list[FullyQualifiedTableName] | Unset = optional(
        "Neighbours of which no document could be made, so that the files do not lead to them."
    )
    error: AgentError | Unset = optional()
    usage: ModelUsage | Unset = optional("What the model used for the table in the run that wrote its files.")
    left_to_rules: str | Unset = optional("Why the model's answer says nothing of the table itself.")


class HandedBack(Contract):
    """What a run has finished of a unit that it handed back early, so that it documents no table twice."""

    run_id: str
    tables: list[FullyQualifiedTableName]


class UnitResult(Contract):
    """The checkpoint and the result of one work unit. File: `progress/work_units/{id}/result.json`."""

    schema_version: Literal["1.0"]
    work_unit_id: str
    database: str
    domain: DomainName
    output_directory: str
    status: AgentStatus
    tables: list[TableResult]
    departed: list[WrittenFile] | Unset = optional("Files of tables that left the unit, until Finish removes them.")
    handed_back: HandedBack | Unset = optional("Only while the status is `running`, and the time was up.")


class OutlineUnit(Contract):
    """A work unit without its tables."""

    id: str
    database: str
    domain: DomainName
    tables: Count
    tables_to_document: Count | Unset = optional("Tables that had work when the plan was made.")
    depends_on: list[str]


class RunOutline(Contract):
    """A run's plan without its work units, which are separate files. File: `progress/runs/{run_id}/outline.json`.

    The units are at `progress/runs/{run_id}/units/{unit_id}.json`, so that the whole plan need never be in memory.
    """

    schema_version: Literal["1.0"]
    run_id: str
    plan_hash: ContentHash
    config_hash: ContentHash
    databases: list[DatabaseAnalysis]
    units: list[OutlineUnit]
    """In the order in which they will be documented."""
    errors: list[AgentError]
    plan_file_hash: ContentHash | Unset = optional("Hash of the plan file that the units were cut from.")

    @property
    def unit_ids(self) -> list[str]:
        """The ids of `units`, in the same order."""
        return [unit.id for unit in self.units]


class FinishCheckpoint(Contract):
    """What Finish had written when it ran out of time. File: `progress/runs/{run_id}/finish.json`."""

    schema_version: Literal["1.0"]
    files: list[IndexableFile]
    usage: ModelUsage | Unset = optional("What the model has used for the domains so far.")
