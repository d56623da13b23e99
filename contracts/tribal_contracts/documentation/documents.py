"""The documents that a run writes, and the annotations with which people correct them. Extension contracts."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from tribal_contracts.core.shape import (
    ClosedContract,
    ContentHash,
    Contract,
    Count,
    DatabaseType,
    DomainName,
    FullyQualifiedTableName,
    ISOTimestamp,
    RowCount,
    UnitInterval,
    Unset,
    optional,
)
from tribal_contracts.documentation.catalog import Index, TableCopy, TableKind
from tribal_contracts.documentation.definitions import Metric, Owner, Term
from tribal_contracts.documentation.keys import DocumentedInferredKey, InferredKey, KeyIdentifies
from tribal_contracts.documentation.lineage import ReadColumn, ValueMeaning

DescriptionSource = Literal["human", "comment", "model", "derived"]
ValuesFrom = Literal["enum", "check", "domain_check", "lookup", "human", "comment", "view"]
"""The source of a column's values: its enum type, a check of its table or domain type, a look-up table, or a text or
view that explains some of them."""
PartitionStrategy = Literal["range", "list", "hash"]
EvidenceKind = Literal["declared", "seen", "read", "told"]


class Evidence(Contract):
    """What a sentence rests on.

    It is declared by the catalog, seen in samples, read from a name, or told by a person or a comment. Extension.
    """

    kind: EvidenceKind
    of: str
    """What of the table, such as `foreign key` or `name`."""


class Description(Contract):
    """A text, where it comes from, and how far it can be trusted."""

    text: str
    """Empty when nothing is known that the name does not say; the confidence is then 0."""
    source: DescriptionSource
    confidence: UnitInterval
    evidence: list[Evidence] | Unset = optional("What it rests on; where rules made it, sentence by sentence.")


class DocumentedColumn(Contract):
    """A column and everything known about it."""

    name: str
    type: str
    nullable: bool
    default_value: str | None
    description: Description
    is_primary_key: bool
    is_foreign_key: bool
    identity: str | Unset = optional()
    generated: str | Unset = optional()
    base_type: str | Unset = optional("Extension: the type that a domain is based on, at last.")
    allowed_values: list[str] | Unset = optional(
        "Extension: the values that the type, a check or a look-up table allows, or that have a meaning; at most 50."
    )
    allowed_values_from: ValuesFrom | Unset = optional("Extension: what allows them.")
    allowed_values_complete: bool | Unset = optional("Extension: whether no other value is allowed.")
    value_meanings: dict[str, ValueMeaning] | Unset = optional("Extension: what values mean, by value.")
    samples: list[str] | Unset = optional("Values that are safe to show.")
    sample_patterns: list[str] | Unset = optional("The shapes of values that are masked.")
    sensitive: str | Unset = optional("The kind of personal or secret data that the column seems to hold.")
    hidden: bool | Unset = optional("Extension: true where sampled values are not shown.")
    marked: str | Unset = optional("Extension: what the database marks the column by as sensitive.")


class DocumentedKey(Contract):
    """A primary or unique key."""

    name: str
    columns: list[str]


class DocumentedForeignKey(Contract):
    """A foreign key of the table."""

    name: str
    columns: list[str]
    references_table: FullyQualifiedTableName
    references_columns: list[str]
    nullable: bool
    """Whether a row may lack its parent: a column may be NULL, or existing rows were not checked."""
    on_update: str | Unset = optional()
    on_delete: str | Unset = optional()
    validated: bool | Unset = optional("False when existing rows were not checked, so that they may lack their parent.")


class DocumentedIndex(Index):
    """An index of the table."""


class DocumentedCheck(Contract):
    """A check constraint of the table."""

    name: str
    expression: str
    validated: bool | Unset = optional("False when existing rows were not checked, so that they may violate it.")


class DocumentedRelation(Contract):
    """A table that this one is joined to by a key."""

    name: FullyQualifiedTableName
    relationship: Literal["references", "referenced_by"]
    via_columns: list[str]
    """Columns of this table, whatever the direction of the key."""
    other_columns: list[str]
    path: str
    """The other table's Markdown file, relative to `docs/`."""
    description: str
    nullable: bool | Unset = optional("Whether a row of the table that holds the key may lack its parent.")


class TableDocument(Contract):
    """Everything known about one table. File: `docs/{output_directory}/{table}.json`, with a Markdown twin."""

    schema_version: Literal["1.0"]
    name: FullyQualifiedTableName
    database: str
    database_type: DatabaseType
    server_database: str | Unset = optional("The database's name on the server, which Snowflake's SQL needs.")
    schema_: str = Field(alias="schema")
    table: str
    domain: DomainName
    owner: Owner | Unset = optional("Extension: the person or team that owns the table or, without one, its domain.")
    kind: TableKind
    description: Description
    notes: list[str] = Field(default_factory=list)
    """Things to know before using the table: pitfalls, and limits of this documentation."""
    row_count: RowCount
    row_count_at: ISOTimestamp | Unset = optional("Extension: when the server was asked for the number of rows.")
    columns: list[DocumentedColumn]
    primary_key: DocumentedKey | None
    unique_keys: list[DocumentedKey]
    foreign_keys: list[DocumentedForeignKey]
    indexes: list[DocumentedIndex]
    checks: list[DocumentedCheck]
    relations: list[DocumentedRelation]
    inferred_keys: list[DocumentedInferredKey] = Field(default_factory=list)
    """Extension. Likely keys from and to this table; none of them is in any other field."""
    view_definition: str | Unset = optional()
    partition_count: Count | Unset = optional()
    partitions: list[FullyQualifiedTableName] | Unset = optional(
        "Extension: the partitions that are documented here, also those of partitions; at most 5,000."
    )
    partition_strategy: PartitionStrategy | Unset = optional("Extension: how a partitioned table is split.")
    partition_key: str | Unset = optional("Extension: the columns or expressions by which it is split.")
    partition_of: FullyQualifiedTableName | Unset = optional("Extension: of a partition, the partitioned table.")
    inherits_from: list[FullyQualifiedTableName] | Unset = optional("Extension.")
    reads: list[FullyQualifiedTableName] | Unset = optional("Extension: of a view, the tables it reads; at most 50.")
    reads_total: Count | Unset = optional("Extension: how many tables the view reads.")
    read_by: list[FullyQualifiedTableName] | Unset = optional("Extension: the views that read the table; at most 50.")
    read_by_total: Count | Unset = optional("Extension: how many views read the table.")
    lineage: list[ReadColumn] | Unset = optional(
        "Extension: of a view, the columns it reads, and what becomes of them."
    )
    lineage_problem: str | Unset = optional("Extension: why `lineage` lacks columns.")
    copy_of: TableCopy | Unset = optional(
        "Extension: the table that this one seems to repeat, which searching prefers."
    )
    samples_taken: bool
    annotation_line: Count | Unset = optional("Line of the annotations file where a person's words of the table begin.")
    documented_at: ISOTimestamp
    input_hash: ContentHash
    metadata_hash: ContentHash


class Relationship(Contract):
    """One foreign key and the join that follows from it."""

    name: str
    from_table: FullyQualifiedTableName
    from_columns: list[str]
    from_domain: DomainName
    to_table: FullyQualifiedTableName
    to_columns: list[str]
    to_domain: DomainName
    nullable: bool
    source: Literal["declared", "inferred"]
    description: str
    identifies: KeyIdentifies | Unset = optional("Extension.")


class RelationshipsDocument(Contract):
    """Every key that leaves a table of one domain. File: `docs/{database}/{domain}/relationships.json`."""

    schema_version: Literal["1.0"]
    database: str
    domain: DomainName
    relationships: list[Relationship]
    inferred_keys: list[InferredKey] = Field(default_factory=list)
    """Extension. Likely keys that leave a table of the domain; none of them is in `relationships`."""


class DomainTable(Contract):
    """A table as its domain's overview lists it."""

    name: FullyQualifiedTableName
    description: str
    row_count: RowCount
    column_count: Count
    path: str


class DomainLink(Contract):
    """Keys between this domain and another."""

    domain: DomainName
    keys: Count


class DomainDocument(Contract):
    """Overview of one domain of one database. File: `docs/{database}/{domain}/domain.json`."""

    schema_version: Literal["1.0"]
    database: str
    database_type: DatabaseType
    domain: DomainName
    title: str
    owner: Owner | Unset = optional("Extension: the person or team that owns the domain.")
    description: str
    description_source: DescriptionSource | Unset = optional("Where the description comes from.")
    description_confidence: UnitInterval | Unset = optional("How far a model's description can be trusted.")
    tables: list[DomainTable]
    er_diagram: str
    common_joins: list[str]
    links: list[DomainLink]
    annotation_line: int | Unset = optional("Line of the annotations file where a person's words on it begin.")
    input_hash: ContentHash | Unset = optional("What the domain's files were made from.")


class OverviewDomain(Contract):
    """A domain as an overview lists it."""

    domain: DomainName
    title: str
    description: str
    database: str
    table_count: Count
    path: str


class OverviewDocument(Contract):
    """Overview of a database or of the whole catalog. Files: `docs/{database}/overview.json`, `docs/overview.json`."""

    schema_version: Literal["1.0"]
    scope: Literal["catalog", "database"]
    name: str
    description: str
    databases: list[str]
    table_count: Count
    domains: list[OverviewDomain]
    annotation_line: int | Unset = optional("Line of the annotations file with a person's words on the database.")


class TableAnnotation(ClosedContract):
    """A person's words about a table and its columns."""

    description: str | Unset = optional()
    owner: Owner | Unset = optional("A person or team.")
    columns: dict[str, str] = Field(default_factory=dict)


class DomainAnnotation(ClosedContract):
    """A person's words about a domain."""

    title: str | Unset = optional()
    description: str | Unset = optional()
    owner: Owner | Unset = optional("A person or team; of its tables too, unless they have their own.")


class Annotations(ClosedContract):
    """Corrections by people, which always win. File: `annotations/{database}.yaml`; tables are `schema.table`."""

    schema_version: Literal["1.0"] = "1.0"
    description: str | Unset = optional("What the database is for.")
    domains: dict[DomainName, DomainAnnotation] = Field(default_factory=dict)
    tables: dict[str, TableAnnotation] = Field(default_factory=dict)
    metrics: list[Metric] = Field(default_factory=list, max_length=1_000)
    terms: list[Term] = Field(default_factory=list, max_length=1_000)
