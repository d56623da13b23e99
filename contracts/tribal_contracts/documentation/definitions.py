"""Metrics, terms and verified queries: as people write them, and as a run publishes them. Extension contracts."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from tribal_contracts.core.shape import (
    ClosedContract,
    ContentHash,
    Contract,
    Count,
    FullyQualifiedTableName,
    Unset,
    optional,
)

Name = Annotated[str, Field(min_length=1, max_length=80)]
Meaning = Annotated[str, Field(min_length=1, max_length=400)]
WrittenSql = Annotated[str, Field(min_length=1, max_length=4_000)]
WrittenName = Annotated[str, Field(min_length=1, max_length=300)]
Owner = Annotated[str, Field(min_length=1, max_length=100)]
"""A person or team, in any form."""
MetricStatus = Literal["current", "stale"]
QueryStatus = Literal["current", "changed", "broken"]


class Metric(ClosedContract):
    """A number that people agree on, and the SQL that computes it."""

    name: Name = Field(description="Name of the metric.")
    description: Meaning = Field(description="Explanation of the number.")
    expression: WrittenSql = Field(description="SQL expression that computes the number from its tables.")
    tables: list[WrittenName] = Field(
        min_length=1, max_length=20, description="Tables that the number is computed from, as table or schema.table."
    )
    filters: list[WrittenSql] = Field(
        default_factory=list, max_length=20, description="SQL conditions on the rows that count."
    )
    time_column: WrittenName | Unset = optional("Column with the time of each row, to follow the number over time.")
    grain: Name | Unset = optional("What one row is about, such as `invoice`.")
    owner: Owner | Unset = optional("Person or team that is responsible for it.")
    synonyms: list[Name] = Field(default_factory=list, max_length=20, description="Other names of the metric.")


class Term(ClosedContract):
    """A word of the company, and what it means."""

    name: Name = Field(description="The word.")
    definition: Meaning = Field(description="Meaning of the word.")
    synonyms: list[Name] = Field(default_factory=list, max_length=20, description="Other words for the same.")
    tables: list[WrittenName] = Field(
        default_factory=list, max_length=20, description="Tables that it is about, as table or schema.table."
    )
    columns: list[WrittenName] = Field(
        default_factory=list, max_length=50, description="Columns that it is about, as table.column."
    )


class LocatedMetric(Metric):
    """A metric, its file and its first line."""

    file: str
    line: Count


class LocatedTerm(Term):
    """A term, its file and its first line."""

    file: str
    line: Count


class DefinitionProblem(Contract):
    """What is wrong with a definition, and the line of its file."""

    message: str
    line: Count


class TableState(Contract):
    """What of a table can make SQL over it, or words about it, wrong: when a query was verified, or a memory added."""

    name: FullyQualifiedTableName
    shape_hash: ContentHash
    """Over columns, types, keys, checks and the SQL of a view; not over comments and statistics."""
    columns: dict[str, str]
    """Types by name, with `not null` where a value is required."""


class ChangedTable(Contract):
    """What has changed in a table since then; without columns, its keys, checks or definition have."""

    name: FullyQualifiedTableName
    added: list[str] = Field(default_factory=list)
    removed: list[str] = Field(default_factory=list)
    changed: list[str] = Field(default_factory=list)
    gone: bool | Unset = optional("Whether it is no longer documented; only for memories.")


class Definition(Contract):
    """What metrics, terms and queries have in common."""

    file: str
    line: Count
    database: str | Unset = optional("The database that it is about; unset for a term of the whole catalog.")
    tables: list[FullyQualifiedTableName]
    """All documented tables that it names."""
    gone_tables: list[FullyQualifiedTableName] | Unset = optional(
        "Extension: tables that it named when they were documented, and that are no longer."
    )
    is_bounded: bool = True
    """Whether `tables` are all that it names; if not, only callers who see the whole database see it."""
    is_safe: bool = False
    """Whether its SQL only reads and computes; if not, no one but its project's owner is shown it. Earlier versions did
    not check it."""
    problems: list[DefinitionProblem] = Field(default_factory=list)


class DefinedMetric(Definition):
    """A metric, and whether its SQL fits its tables."""

    name: str
    description: str
    expression: str
    filters: list[str] = Field(default_factory=list)
    time_column: str | Unset = optional()
    grain: str | Unset = optional()
    owner: str | Unset = optional()
    synonyms: list[str] = Field(default_factory=list)
    status: MetricStatus


class DefinedTerm(Definition):
    """A term, and whether what it names exists."""

    is_safe: bool = True
    """It has no SQL."""
    name: str
    definition: str
    synonyms: list[str] = Field(default_factory=list)
    columns: list[str] = Field(default_factory=list)
    """As `database.schema.table.column`."""
    status: MetricStatus


class VerifiedQuery(Definition):
    """A query that a person keeps, and whether it is still right."""

    questions: list[str]
    sql: str
    owner: str | Unset = optional()
    verified: str | Unset = optional("The day on which a person last verified it.")
    status: QueryStatus
    changes: list[ChangedTable] = Field(default_factory=list)
    """Tables that have changed since then."""
    verified_with: list[TableState] = Field(default_factory=list)
    """Its tables as they were then."""


class UnusableFile(Contract):
    """A file with definitions that cannot be read."""

    file: str
    line: Count
    message: str


class Definitions(Contract):
    """Everything that people define about the documented tables. File: `docs/definitions.json`."""

    schema_version: Literal["1.0"]
    metrics: list[DefinedMetric] = Field(default_factory=list)
    terms: list[DefinedTerm] = Field(default_factory=list)
    queries: list[VerifiedQuery] = Field(default_factory=list)
    routines: list[str] = Field(default_factory=list)
    """Routines of the databases that only read and compute, so that SQL may call them, as `database.schema.name`."""
    unusable: list[UnusableFile] = Field(default_factory=list)
    ignored_files: Count = 0
    """SQL files without any header."""
