"""What a reader should know before using a table."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tribal.catalog.identity import format_name
from tribal.catalog.type_families import type_family
from tribal.describing.rules.column_facts import ColumnFacts
from tribal.describing.rules.numeric_columns import holds_cents
from tribal.describing.rules.temporal_columns import is_soft_delete_mark
from tribal.naming import split_identifier
from tribal.ports import TableContext
from tribal.rendering.words import listing, number
from tribal_contracts import CatalogTable

_LEFTOVER_STARTS = frozenset("tmp temp temporary bak copy old deprecated obsolete unused zz scratch".split())
# `backup_job` is a table about backups, `orders_backup` is one.
_LEFTOVER_ENDS = _LEFTOVER_STARTS | {"bkp", "bkup", "backup"}
_DATED_COPY = re.compile(r"(?:19|20)\d{2}[01]\d[0-3]\d")
_NAMES_LISTED = 8


def looks_like_a_leftover(table_name: str) -> bool:
    """Whether the name is typical of copies that people forget to drop."""
    words = split_identifier(table_name)
    marked = bool(words) and (words[0] in _LEFTOVER_STARTS or words[-1] in _LEFTOVER_ENDS)
    return marked or bool(_DATED_COPY.search(table_name))


def table_notes(context: TableContext, facts: Sequence[ColumnFacts]) -> tuple[str, ...]:
    """Pitfalls of a table, the most important first, as plain text."""
    table = context.table
    notes = [
        *_kind_notes(table),
        *_leftover(table),
        *_soft_delete(facts),
        *_nullable_keys(table),
        *_cents(facts),
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
        return ["The rows lie on another server; queries may be slow."]
    return []


def _leftover(table: CatalogTable) -> list[str]:
    if not looks_like_a_leftover(table.table_name):
        return []
    return ["Looks like a backup or temporary table by its name: make sure before relying on it."]


def _soft_delete(facts: Sequence[ColumnFacts]) -> list[str]:
    notes = []
    for fact in facts:
        if is_soft_delete_mark(fact):
            live = f"NOT {fact.column.name}" if fact.family == "boolean" else f"{fact.column.name} IS NULL"
            notes.append(f"Deleted rows stay in the table: keep only those where {live} unless you want them too.")
    return notes


def _nullable_keys(table: CatalogTable) -> list[str]:
    nullable = {column.name for column in table.columns if column.nullable}
    keys = [key for key in table.foreign_keys if not nullable.isdisjoint(key.columns)]
    if not keys:
        return []
    named = [
        f"{'/'.join(key.columns)} (to {format_name((key.references_schema, key.references_table))})" for key in keys
    ]
    return [f"May be empty, so that an INNER JOIN loses rows: {listing(named, limit=_NAMES_LISTED)}."]


def _cents(facts: Sequence[ColumnFacts]) -> list[str]:
    names = [fact.column.name for fact in facts if holds_cents(fact)]
    return [f"Money in cents; divide by 100: {listing(names, limit=_NAMES_LISTED)}."] if names else []


def _local_times(table: CatalogTable) -> list[str]:
    names = [column.name for column in table.columns if type_family(column.type) == "local_time"]
    if not names:
        return []
    return [f"Times without a time zone; which zone they mean is not recorded: {listing(names, limit=_NAMES_LISTED)}."]


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
