"""The catalog of a database as `read_catalog` stores it, and the slices for work units. Extension contracts."""

from __future__ import annotations

from collections.abc import Container
from typing import Literal

from pydantic import Field

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
    Unset,
    optional,
)
from tribal_contracts.documentation.keys import InferredKey
from tribal_contracts.documentation.lineage import ValueMeaning, ViewReads

TableKind = Literal[
    "table",
    "partitioned_table",
    "partition",
    "view",
    "materialized_view",
    "foreign_table",
    "dynamic_table",
    "external_table",
    "iceberg_table",
    "hybrid_table",
]
"""The last four are Snowflake's. A `partition` is documented on its own; most are documented with their table."""


class CompositeField(Contract):
    """A field of a composite type."""

    name: str
    type: str


class CatalogColumn(Contract):
    """A column as the database declares it."""

    name: str
    type: str
    """The type as the server writes it, for example `numeric(10,2)`."""
    nullable: bool
    default_value: str | None
    comment: str | Unset = optional()
    identity: Literal["always", "by default"] | Unset = optional()
    generated: str | Unset = optional("The expression of a generated column.")
    base_type: str | Unset = optional("Extension: the type that a domain is based on, at last.")
    type_comment: str | Unset = optional("Extension: the comment on the type, which every column of the type shares.")
    enum_values: list[str] | Unset = optional("The labels of an enum type, in their order.")
    fields: list[CompositeField] | Unset = optional("Extension: the fields of a composite type, in their order.")
    sensitive: str | Unset = optional("What the database marks it by, such as the name of its masking policy or tag.")


class CatalogKey(Contract):
    """A primary or unique key."""

    name: str
    columns: list[str]
    comment: str | Unset = optional()


class CatalogForeignKey(Contract):
    """A foreign key; `columns` and `references_columns` pair up by position."""

    name: str
    columns: list[str]
    references_schema: str
    references_table: str
    references_columns: list[str]
    on_update: str | Unset = optional("The action when it is not NO ACTION.")
    on_delete: str | Unset = optional("The action when it is not NO ACTION.")
    validated: bool | Unset = optional("False when existing rows were not checked, so that they may lack their parent.")
    comment: str | Unset = optional()

    def may_lack_parent(self, nullable: Container[str]) -> bool:
        """Whether a row may have no parent: one of the columns is nullable, or existing rows were not checked."""
        return self.validated is False or any(column in nullable for column in self.columns)


class KeyElsewhere(Contract):
    """A foreign key to a table of another database."""

    name: str
    columns: list[str]
    references_database: str
    """As it is called on the server."""
    references_schema: str
    references_table: str
    references_columns: list[str]


class Index(Contract):
    """An index; a member of `columns` is a column's name or, for an expression, its text."""

    name: str
    columns: list[str]
    unique: bool
    predicate: str | Unset = optional("The condition of a partial index: rows that do not meet it are not in it.")
    include: list[str] | Unset = optional("Extension: columns that are stored in the index and are no part of its key.")
    nulls_not_distinct: bool | Unset = optional("Extension: true when a unique index allows NULL only once.")
    deferrable: bool | Unset = optional("Extension: true when uniqueness may be checked at the end of a transaction.")

    @property
    def terms(self) -> str:
        """Its other declared properties, such as "nulls not distinct where (NOT deleted)"; empty if it has none."""
        found = (
            "nulls not distinct" if self.nulls_not_distinct else "",
            "deferrable" if self.deferrable else "",
            f"including {', '.join(self.include)}" if self.include else "",
            f"where {self.predicate}" if self.predicate else "",
        )
        return " ".join(filter(None, found))


class CatalogIndex(Index):
    """An index as the database declares it."""

    comment: str | Unset = optional()


class CatalogCheck(Contract):
    """A check constraint."""

    name: str
    expression: str
    validated: bool | Unset = optional("False when existing rows were not checked, so that they may violate it.")
    comment: str | Unset = optional()
    domain: str | Unset = optional("Extension: the domain type that the check belongs to.")


class CatalogExclusion(Contract):
    """An exclusion constraint: no two rows may be equal, or overlap, as its operators say."""

    name: str
    definition: str
    """As the server writes it, for example `EXCLUDE USING gist (room WITH =, during WITH &&)`."""


class CatalogTrigger(Contract):
    """A trigger. Extension."""

    name: str
    fires: str
    """When, for example `before INSERT or UPDATE, for each row`."""
    routine: str
    """The function that it calls, as `schema.name`."""
    enabled: bool | Unset = optional("False for a disabled trigger.")
    comment: str | Unset = optional()


class CatalogPolicy(Contract):
    """A policy of row-level security. Extension."""

    name: str
    comment: str | Unset = optional()


class CatalogRoutine(Contract):
    """A function or procedure that writes a table. Extension."""

    name: str
    """As `schema.name`."""
    comment: str | Unset = optional()


class CatalogTable(Contract):
    """A table or view of any kind, without its row counts."""

    schema_name: str
    table_name: str
    kind: TableKind
    comment: str | Unset = optional()
    columns: list[CatalogColumn]
    primary_key: CatalogKey | None
    unique_keys: list[CatalogKey]
    foreign_keys: list[CatalogForeignKey]
    indexes: list[CatalogIndex]
    checks: list[CatalogCheck]
    view_definition: str | Unset = optional()
    view_query: str | Unset = optional(
        "The query of a view whose definition is a person's text: names as they are stored, no values except "
        "labelled ones."
    )
    depends_on: list[str] | Unset = optional(
        "Extension: the tables that the catalog records a view to read, as `schema.table`."
    )
    exclusions: list[CatalogExclusion] | Unset = optional("Extension: exclusion constraints.")
    partition_count: Count | Unset = optional("How many partitions are folded into their parent.")
    partitions: list[str] | Unset = optional("Extension: the folded partitions, as `schema.table`; at most 5,000.")
    partition_key: str | Unset = optional("Extension: strategy and key, for example `RANGE (at)`.")
    inherits: list[FullyQualifiedTableName] | Unset = optional("Extension: the tables that this one inherits from.")
    inherited_by: list[FullyQualifiedTableName] | Unset = optional("Extension: the tables that inherit from this one.")
    partition_of: FullyQualifiedTableName | Unset = optional("Extension: of a partition, the partitioned table.")
    triggers: list[CatalogTrigger] | Unset = optional("Extension.")
    policies: list[CatalogPolicy] | Unset = optional("Extension: policies of row-level security.")
    written_by: list[CatalogRoutine] | Unset = optional("Extension: routines whose bodies write the table.")
    row_security: bool | Unset = optional("Extension: true when policies decide which rows a user sees.")
    populated: bool | Unset = optional("Extension: false for a materialized view that was never refreshed.")
    foreign_source: str | Unset = optional("Extension: where the rows of a foreign table are.")
    clustering_key: str | Unset = optional("The expressions that Snowflake clusters the table by, as it writes them.")
    transient: bool | Unset = optional("True for a table that Snowflake keeps no fail-safe copy of.")
    secure: bool | Unset = optional("True for a view whose text and plan Snowflake hides from others than its owner.")
    keys_elsewhere: list[KeyElsewhere] | Unset = optional("Foreign keys to tables of other databases.")
    selectable: bool
    """False when this user may see the table's structure but may not select from it."""


class TableCopy(Contract):
    """The table that another one repeats, recognised by names and columns. Extension."""

    kind: Literal["copy", "part", "view"]
    """A copy or history; a partition, shard or backup of the same layout; a view or export named after it."""
    of: FullyQualifiedTableName


class CatalogSchema(Contract):
    """A schema of the database."""

    name: str
    comment: str | Unset = optional()


class CatalogSnapshot(Contract):
    """First line of `catalog/{database}/snapshots/{schema_hash}.jsonl`; every further line is a `CatalogTable`.

    Lines are in order of schema and table, so that a reader of 50,000 tables needs the memory of one.
    """

    schema_version: Literal["1.0"]
    database: str
    type: DatabaseType
    server_database: str
    schema_hash: ContentHash
    schemas: list[CatalogSchema]
    table_count: Count


class TableStatistics(Contract):
    """Sizes of a table as the server estimates them."""

    row_count: RowCount
    size_bytes: RowCount
    read_at: ISOTimestamp | Unset = optional("Extension: when it was read, if that is later than the file says.")


class CatalogStatistics(Contract):
    """File: `catalog/{database}/statistics.json`, refreshed when it is older than its maximum age."""

    schema_version: Literal["1.0"]
    database: str
    read_at: ISOTimestamp
    tables: dict[FullyQualifiedTableName, TableStatistics]


class ExpandedDatabases(Contract):
    """The databases that entries with a list or a glob matched last. File: `catalog/databases.json`."""

    schema_version: Literal["1.0"]
    databases: dict[str, list[str]]
    """Names of databases on the server, by the name of the entry."""


class CatalogReading(Contract):
    """What one `read_catalog` found. File: `progress/runs/{run_id}/catalog/{database}.json`."""

    schema_version: Literal["1.0"]
    database: str
    type: DatabaseType
    status: Literal["reachable", "unreachable"]
    server_version: str
    schema_hash: ContentHash
    snapshot_file: str | Unset = optional(
        "Key of the snapshot, relative to the root; unset when nothing was ever read."
    )
    snapshot_hash: ContentHash | Unset = optional("Extension. SHA-256 of the snapshot's bytes.")
    table_count: Count
    schema_count: Count
    unreadable_schemas: list[str]
    gone_tables: list[FullyQualifiedTableName]
    excluded_tables: list[FullyQualifiedTableName]
    errors: list[AgentError]
    costs: list[str] | Unset = optional("Extension: what sampling costs, with the arithmetic.")
    made_with: str | Unset = optional(
        "Extension: the format version of documents when it was read. A later version may read more of a database."
    )
    routines: list[str] | Unset = optional("Extension: routines that only read and compute, as `database.schema.name`.")


class SliceNeighbour(Contract):
    """What a table's documentation needs to know about a table that it is joined to."""

    name: FullyQualifiedTableName
    schema_name: str
    table_name: str
    kind: TableKind
    domain: DomainName
    path: str
    """The neighbour's Markdown file, relative to `docs/`."""
    comment: str | Unset = optional()


class IncomingKey(Contract):
    """A foreign key of another table that references a table of the slice."""

    table: FullyQualifiedTableName
    """The table of the slice that is referenced."""
    from_table: FullyQualifiedTableName
    key: CatalogForeignKey
    nullable: bool


class CatalogSlice(Contract):
    """What one work unit needs of the catalog. File: `catalog/{database}/slices/{sha256}.json`."""

    schema_version: Literal["1.0"]
    database: str
    type: DatabaseType
    server_database: str
    tables: list[CatalogTable]
    incoming: list[IncomingKey] = Field(default_factory=list)
    neighbours: dict[FullyQualifiedTableName, SliceNeighbour]
    inferred_keys: list[InferredKey] = Field(default_factory=list)
    """Extension. Keys that are not declared but likely, from or to tables of the slice."""
    lookup_tables: list[CatalogTable] = Field(default_factory=list)
    """Extension. Small tables that single-column keys of the slice reference, with only what reading them needs."""
    lineage: list[ViewReads] = Field(default_factory=list)
    """Extension. What the views of the slice read."""
    read_by: dict[FullyQualifiedTableName, list[FullyQualifiedTableName]] = Field(default_factory=dict)
    """Extension. The views that read each table of the slice."""
    value_meanings: dict[FullyQualifiedTableName, dict[str, dict[str, ValueMeaning]]] = Field(default_factory=dict)
    """Extension. What values mean by views, by table and column."""
