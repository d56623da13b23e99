"""Assembles what was read into tables. Pure: rows in, contracts out, in a deterministic order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tribal.adapters.snowflake.account_usage import Marks
from tribal.adapters.snowflake.reading.columns import Columns
from tribal.adapters.snowflake.reading.keys import CHANGED, Keys
from tribal.adapters.snowflake.reading.listing import Listing
from tribal.adapters.snowflake.reading.questions import Questions
from tribal.adapters.snowflake.rows import TableRow, ViewRow, is_yes, number, text
from tribal.identity.table_names import format_name
from tribal.ports import CatalogContents, SchemaAndTable
from tribal_contracts import CatalogColumn, CatalogIndex, CatalogSchema, CatalogTable, TableKind, TableStatistics

UNKNOWN = -1
_TRANSIENT = "TRANSIENT"
_NO_KEYS = Keys()


@dataclass(frozen=True)
class Parts:
    """What was read of a database."""

    version: str
    listing: Listing
    columns: Columns
    keys: Mapping[SchemaAndTable, Keys]
    indexes: Mapping[SchemaAndTable, list[CatalogIndex]] = field(default_factory=dict)
    selectable: frozenset[SchemaAndTable] | None = None
    """`None` where the grants are not known: then selecting is tried, and a refusal reported."""
    hidden_schemas: tuple[str, ...] = ()
    marks: Marks = field(default_factory=Marks)
    dependencies: Mapping[SchemaAndTable, frozenset[SchemaAndTable]] = field(default_factory=dict)


def assemble(questions: Questions, parts: Parts) -> CatalogContents:
    """Build the contents of a database, without tables of which something is unknown."""
    heads = parts.listing.heads()
    tables: list[CatalogTable] = []
    for name, head in heads.items():
        if name in questions.unread_tables or name not in parts.columns:
            # A table without columns was dropped since it was listed: there are no columns to read.
            continue
        table = _table(head, parts)
        if _agrees(table):
            tables.append(table)
        else:
            questions.leave_out([name], f"the table {'.'.join(name)!r}", CHANGED)
    return CatalogContents(
        server_database=questions.database,
        server_version=parts.version,
        schemas=tuple(CatalogSchema(name=row.name, comment=text(row.comment)) for row in parts.listing.schemas),
        unreadable_schemas=parts.hidden_schemas,
        tables=tuple(_with_queries(tables, questions.database)),
        statistics={
            (table.schema_name, table.table_name): _statistics(heads[table.schema_name, table.table_name])
            for table in tables
        },
        unread=tuple(questions.unread),
        unread_tables=frozenset(questions.unread_tables),
    )


def _with_queries(tables: list[CatalogTable], database: str) -> list[CatalogTable]:
    """The same, with the query of each view whose text can be parsed; of others, with the tables that are recorded.

    The record lags behind, so that it would change what is known of a view hours after the view changed.
    """
    if not any(table.view_definition for table in tables):
        return tables
    # The parser is loaded only where there is something to parse.
    from tribal.sql.lineage import ViewQueries

    columns = {(table.schema_name, table.table_name): [each.name for each in table.columns] for table in tables}
    queries = ViewQueries(database, columns)

    def with_query(table: CatalogTable) -> CatalogTable:
        query = queries.read(table.view_definition, table.schema_name) if table.view_definition else None
        return table if query is None else table.model_copy(update={"view_query": query, "depends_on": None})

    return [with_query(table) for table in tables]


def _agrees(table: CatalogTable) -> bool:
    """Whether the keys are over columns that the table has: else it was changed in between."""
    columns = {column.name for column in table.columns}
    keys = [*([table.primary_key] if table.primary_key else []), *table.unique_keys, *table.foreign_keys]
    return all(columns.issuperset(key.columns) for key in (*keys, *(table.keys_elsewhere or ())))


def _table(head: TableRow | ViewRow, parts: Parts) -> CatalogTable:
    name = (head.schema_name, head.name)
    keys = parts.keys.get(name, _NO_KEYS)
    return CatalogTable(
        schema_name=head.schema_name,
        table_name=head.name,
        kind=kind_of(head),
        comment=text(head.comment),
        columns=[_marked(column, parts.marks.of(*name, column.name)) for column in parts.columns[name]],
        primary_key=keys.primary,
        unique_keys=keys.unique,
        foreign_keys=keys.foreign,
        indexes=parts.indexes.get(name, []),
        checks=[],
        view_definition=(head.text or "").strip() or None if isinstance(head, ViewRow) else None,
        depends_on=[format_name(each) for each in sorted(parts.dependencies.get(name, ()))] or None,
        clustering_key=None if isinstance(head, ViewRow) else text(head.cluster_by),
        transient=True if isinstance(head, TableRow) and head.kind == _TRANSIENT else None,
        secure=True if isinstance(head, ViewRow) and is_yes(head.is_secure) else None,
        keys_elsewhere=keys.elsewhere or None,
        selectable=parts.selectable is None or name in parts.selectable,
    )


def _marked(column: CatalogColumn, mark: str | None) -> CatalogColumn:
    return column if mark is None else column.model_copy(update={"sensitive": mark})


def kind_of(head: TableRow | ViewRow) -> TableKind:
    """What kind of table a row of `SHOW` is about."""
    if isinstance(head, ViewRow):
        return "materialized_view" if is_yes(head.is_materialized) else "view"
    kinds: tuple[tuple[str | None, TableKind], ...] = (
        (head.is_external, "external_table"),
        (head.is_dynamic, "dynamic_table"),
        (head.is_hybrid, "hybrid_table"),
        (head.is_iceberg, "iceberg_table"),
    )
    return next((kind for flag, kind in kinds if is_yes(flag)), "table")


def _statistics(head: TableRow | ViewRow) -> TableStatistics:
    if isinstance(head, ViewRow):
        return TableStatistics(row_count=UNKNOWN, size_bytes=UNKNOWN)
    rows, size = number(head.rows), number(head.bytes)
    return TableStatistics(row_count=UNKNOWN if rows is None else rows, size_bytes=UNKNOWN if size is None else size)
