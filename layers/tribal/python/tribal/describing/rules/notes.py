"""What a reader should know before using a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tribal.describing.rules.column_facts import ColumnFacts
from tribal.describing.rules.times import TIMES, event_words
from tribal.identity.table_names import format_name
from tribal.naming import split_identifier
from tribal.ports import TableContext
from tribal.rendering.words import listing, number
from tribal.sql.type_families import type_family
from tribal_contracts import CatalogTable, TableKind

# Without words that can be a table's subject: backups, archives, copies, temperatures.
_LEFTOVERS = frozenset("tmp bak bkp bkup deprecated obsolete".split())
_NAMES_LISTED = 8
_KEEPS_HISTORY = frozenset("archive audit deleted history journal log logs trail".split())


def looks_like_a_leftover(table_name: str) -> bool:
    """Whether the name suggests a copy that someone forgot to drop."""
    words = split_identifier(table_name)
    return not _LEFTOVERS.isdisjoint({*words[:1], *words[-1:]}) or (len(words) > 1 and words[-1] == "old")


def table_notes(context: TableContext, facts: Sequence[ColumnFacts]) -> tuple[str, ...]:
    """Pitfalls of a table, the most important first, as plain text."""
    table = context.table
    notes = [
        *_kind_notes(table),
        *_snowflake(context),
        *_leftover(table),
        *_soft_delete(facts),
        *_nullable_keys(table),
        *_local_times(table),
        *_no_primary_key(table),
        *_no_samples(context),
    ]
    return tuple(notes)


def _kind_notes(table: CatalogTable) -> list[str]:
    if table.kind == "partitioned_table":
        count = f"{table.partition_count} partitions" if table.partition_count else "partitions"
        return [f"The table is split into {count}, which are documented here as one."]
    if table.kind == "table" and table.partition_count:
        children = number(table.partition_count, "table")
        return [f"Its rows lie in {children} that inherit from it too; all are documented here as one."]
    if table.kind == "materialized_view":
        return ["Shows the data as of its last refresh, not as it is now."]
    if table.kind == "foreign_table":
        return ["A foreign table: its rows lie outside of this database."]
    return _SNOWFLAKE_KINDS.get(table.kind, [])


_SNOWFLAKE_KINDS: Mapping[TableKind, list[str]] = {
    "dynamic_table": ["A dynamic table: Snowflake refreshes it from a query, so that it may lag behind its sources."],
    "external_table": ["An external table: its rows are read from files outside of the database."],
    "iceberg_table": ["An Iceberg table: its rows lie in Parquet files in external storage."],
    "hybrid_table": ["A hybrid table: it is kept by rows, and its keys and indexes are enforced."],
}


def _snowflake(context: TableContext) -> list[str]:
    """Snowflake's own properties, and constraints that it does not enforce."""
    table = context.table
    if context.database_type != "snowflake":
        return []
    notes = []
    if table.kind != "hybrid_table" and (table.primary_key or table.unique_keys or table.foreign_keys):
        notes.append("Its keys are declared, and Snowflake does not enforce them: rows may repeat or lack a parent.")
    for key in table.keys_elsewhere or ():
        other = format_name((key.references_database, key.references_schema, key.references_table))
        notes.append(f"{_columns(key.columns)} references {other}, in another database.")
    if table.clustering_key:
        notes.append(f"Clustered by {table.clustering_key}: filters on that read less.")
    if table.transient:
        notes.append("A transient table: Snowflake keeps no fail-safe copy of it.")
    if table.secure:
        notes.append("A secure view: only its owner sees its definition.")
    return notes


def _columns(names: Sequence[str]) -> str:
    return listing([format_name((name,)) for name in names])


def _leftover(table: CatalogTable) -> list[str]:
    if not looks_like_a_leftover(table.table_name):
        return []
    return ["By its name, a temporary table or an old copy: make sure before relying on it."]


def _soft_delete(facts: Sequence[ColumnFacts]) -> list[str]:
    notes = []
    for fact in facts:
        if _is_soft_delete_mark(fact):
            column = format_name((fact.column.name,))
            live = f"NOT {column}" if fact.family == "boolean" else f"{column} IS NULL"
            notes.append(f"By its name, {column} marks deleted rows that stay in the table: the others have {live}.")
    return notes


def _is_soft_delete_mark(fact: ColumnFacts) -> bool:
    if not _KEEPS_HISTORY.isdisjoint(split_identifier(fact.context.table.table_name)):
        return False
    words = [word for word in event_words(fact.tokens) if word not in ("is", "flag")]
    return words == ["deleted"] and (fact.family == "boolean" or (fact.family in TIMES and fact.column.nullable))


def _nullable_keys(table: CatalogTable) -> list[str]:
    nullable = {column.name for column in table.columns if column.nullable}
    keys = [key for key in table.foreign_keys if not nullable.isdisjoint(key.columns)]
    if not keys:
        return []
    named = [
        f"{'/'.join(key.columns)} (to {format_name((key.references_schema, key.references_table))})" for key in keys
    ]
    return [f"May be empty, so that an INNER JOIN leaves rows out: {listing(named, limit=_NAMES_LISTED)}."]


def _local_times(table: CatalogTable) -> list[str]:
    names = [column.name for column in table.columns if type_family(column.type) == "local_time"]
    if not names:
        return []
    return [f"Times without a time zone; which zone they mean is not declared: {listing(names, limit=_NAMES_LISTED)}."]


def _no_primary_key(table: CatalogTable) -> list[str]:
    if table.primary_key is not None or table.kind not in ("table", "partitioned_table"):
        return []
    if table.unique_keys:
        return ["There is no primary key, only unique keys."]
    return ["There is no primary key: rows may repeat."]


def _no_samples(context: TableContext) -> list[str]:
    if context.table.selectable:
        return []
    name = format_name((context.table.schema_name, context.table.table_name))
    return [f"The user of this documentation has no SELECT privilege on {name}, so there are no sample values."]
