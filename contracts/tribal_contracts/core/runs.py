"""The record of a run, what it was made from, and the lease that allows it to write. Extension contracts."""

from __future__ import annotations

from typing import Literal

from tribal_contracts.core.models import ModelQuote, ModelUsage, WrittenTexts
from tribal_contracts.core.shape import (
    AgentError,
    AgentStatus,
    ContentHash,
    Contract,
    Count,
    DomainName,
    ISOTimestamp,
    Unset,
    optional,
)


class DescribedCount(Contract):
    """How many items need a description, and how many have one, by the source of its text."""

    n: Count
    by: dict[str, Count]


class DomainCoverage(Contract):
    """How much of a domain is described."""

    database: str
    domain: DomainName
    tables: DescribedCount
    columns: DescribedCount


class CatalogCoverage(Contract):
    """How much of everything documented is described, in all and by domain."""

    tables: DescribedCount
    columns: DescribedCount
    domains: list[DomainCoverage]


class CoverageRecord(CatalogCoverage):
    """Coverage counted by the last run that published documents. File: `progress/coverage.json`."""

    schema_version: Literal["1.0"]
    made_from: ContentHash
    """Hash of the documents that were counted."""


class RunRecord(Contract):
    """One run of a command. File: `progress/runs/{run_id}/run.json`."""

    schema_version: Literal["1.0"]
    run_id: str
    command: str
    status: AgentStatus
    started_at: ISOTimestamp
    completed_at: ISOTimestamp | None
    plan_file: str | Unset = optional("The run's own copy of the plan, relative to the root.")
    plan_hash: ContentHash | Unset = optional()
    tables_documented: Count
    tables_unchanged: Count
    tables_failed: Count
    errors: list[AgentError]
    usage: ModelUsage | Unset = optional("What the run's calls of the model used.")
    texts: WrittenTexts | Unset = optional("Extension: what the model wrote in this run, and how much was unsupported.")
    quote: ModelQuote | Unset = optional("Extension: what its plan expected the model to use.")
    coverage: CatalogCoverage | Unset = optional("Extension: how much was described when it published its documents.")


class SourceRecord(Contract):
    """What the documents of a folder without `databases.yaml` were made from. File: `progress/source.json`."""

    schema_version: Literal["1.0"]
    dsn: str
    """As it was given, with what the environment added to it, and without the password."""


class LeaseRecord(Contract):
    """Who may write. File: `progress/lease.json`, changed only by conditional put."""

    schema_version: Literal["1.0"]
    run_id: str
    holder: str
    """Host and process of the holder."""
    fencing_token: Count
    """Incremented for every new holder; a holder with an older token must not publish."""
    acquired_at: ISOTimestamp
    renewed_at: ISOTimestamp
    expires_at: ISOTimestamp
    released: bool
