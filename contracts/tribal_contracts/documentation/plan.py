"""The plan, which planning passes to documenting. Source: specification section 3."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from tribal_contracts.core.models import ModelQuote
from tribal_contracts.core.shape import (
    AgentError,
    ContentHash,
    Contract,
    Count,
    DatabaseType,
    DomainName,
    FullyQualifiedTableName,
    ISOTimestamp,
    RowCount,
    TablePriority,
    Unset,
    optional,
)
from tribal_contracts.documentation.catalog import TableCopy

Minutes = Annotated[float, Field(ge=0.0)]
Complexity = Literal["simple", "moderate", "complex"]


class TableSpec(Contract):
    """One table to be documented. Source: specification section 3.4."""

    fully_qualified_name: FullyQualifiedTableName
    schema_name: str
    table_name: str
    domain: DomainName
    priority: TablePriority
    column_count: Count
    row_count_approx: RowCount
    row_count_at: ISOTimestamp | Unset = optional("Extension: when the server was asked for the number of rows.")
    incoming_fk_count: Count
    outgoing_fk_count: Count
    metadata_hash: ContentHash
    existing_comment: str | Unset = optional()
    inferred_keys_hash: ContentHash | Unset = optional(
        "Extension: hash of the likely keys from and to the table, without counts; unset if it has no likely keys."
    )
    lineage_hash: ContentHash | Unset = optional(
        "Extension: hash of what the table reads and of the views that read it; unset if there is neither."
    )
    copy_of: TableCopy | Unset = optional("Extension: the table that this one seems to repeat.")
    file_name: str | Unset = optional(
        "Extension: name of its files without ending, if it has capitals and no other name differs only in case."
    )
    has_work: bool | Unset = optional("Extension: false where nothing this table's documentation depends on changed.")


class WorkUnit(Contract):
    """A self-contained piece of work for one documenter. Source: specification section 3.3."""

    id: Annotated[str, Field(min_length=1)]
    database: str
    domain: DomainName
    tables: list[TableSpec]
    estimated_time_minutes: Minutes
    output_directory: str
    priority_order: int
    depends_on: list[str]
    content_hash: ContentHash
    slice_file: str | Unset = optional("Extension: key of the `CatalogSlice` of this unit, relative to the root.")
    has_work: bool | Unset = optional("Extension: false where no table of the unit has anything to do.")
    quote: ModelQuote | Unset = optional("Extension: what the model would cost; unset where none would be asked.")


class DatabaseAnalysis(Contract):
    """What planning found in one database. Source: specification section 3.2."""

    name: str
    type: DatabaseType
    status: Literal["reachable", "unreachable"]
    connection_error: AgentError | Unset = optional()
    table_count: Count
    schema_count: Count
    estimated_time_minutes: Minutes
    domains: dict[DomainName, list[FullyQualifiedTableName]]
    schema_hash: ContentHash
    domain_titles: dict[DomainName, str] | Unset = optional("Extension: the human form of each domain's name.")
    chosen_domains: list[DomainName] | Unset = optional(
        "Extension: domains that the configuration names; their titles are kept."
    )
    domains_named_by_hand: list[DomainName] | Unset = optional(
        "Extension: domains that a person named in the plan; their titles are kept."
    )
    domain_rules: int | Unset = optional("Extension: the version of the rules by which its domains were inferred.")
    unreadable_schemas: list[str] | Unset = optional("Extension: schemas that exist but may not be read.")
    gone_tables: list[FullyQualifiedTableName] | Unset = optional(
        "Extension: documented tables that a positive check found dropped."
    )
    costs: list[str] | Unset = optional("Extension: what sampling the database costs, with the arithmetic.")
    excluded_tables: list[FullyQualifiedTableName] | Unset = optional(
        "Extension: documented tables that the configuration now leaves out."
    )


class PlanSummary(Contract):
    """Totals of a plan. Source: specification section 3.5."""

    total_databases: Count
    reachable_databases: Count
    total_tables: Count
    total_work_units: Count
    domain_count: Count
    total_estimated_minutes: Minutes
    recommended_parallelism: Annotated[int, Field(ge=1)]


class DomainMove(Contract):
    """Extension: a table whose domain differs from the one in the last plan."""

    table: FullyQualifiedTableName
    from_domain: DomainName
    to_domain: DomainName


class DocumentationPlan(Contract):
    """The plan of a documentation run. File: `progress/documentation-plan.json`. Source: specification section 3.1."""

    schema_version: Literal["1.0"]
    generated_at: ISOTimestamp
    config_hash: ContentHash
    complexity: Complexity
    databases: list[DatabaseAnalysis]
    work_units: Annotated[list[WorkUnit], Field(min_length=1)]
    summary: PlanSummary
    errors: list[AgentError]
    moves: list[DomainMove] | Unset = optional("Extension: tables that changed their domain since the last plan.")
