"""What a reader should know before using a table."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from tribal.describing.rules.column_facts import ColumnFacts
from tribal.describing.rules.phrases import whole_comment
from tribal.describing.rules.times import TIMES, event_words
from tribal.identity.table_names import format_name
from tribal.naming import split_identifier
from tribal.ports import TableContext
from tribal.rendering.words import listing, number, sentence
from tribal.sql.type_families import type_family
from tribal_contracts import CatalogForeignKey, CatalogTable, Index, TableKind

# Without words that can be a table's subject: backups, archives, copies, temperatures.
_LEFTOVERS = frozenset("tmp bak bkp bkup deprecated obsolete".split())
_NAMES_LISTED = 8
_WITH_KEYS = ("table", "partitioned_table")
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
        *_inheritance(table),
        *behaviour(table),
        *_snowflake(context),
        *_leftover(table),
        *_soft_delete(facts),
        *_nullable_keys(table),
        *_unchecked_keys(table),
        *_local_times(table),
        *_no_primary_key(table),
        *_types(table),
        *_comments_on_parts(table),
        *_no_samples(context),
    ]
    return tuple(notes)


def _kind_notes(table: CatalogTable) -> list[str]:
    if table.kind == "partitioned_table":
        count = number(table.partition_count, "partition") if table.partition_count else "partitions"
        key = f" by {table.partition_key}" if table.partition_key else ""
        return [f"The table is split into {count}{key}, documented here as one."]
    if table.kind == "table" and table.partition_count:
        children = number(table.partition_count, "table")
        return [f"Its rows lie in {children} that inherit from it too; all are documented here as one."]
    if table.kind == "materialized_view" and table.populated is False:
        return ["It was never refreshed: reading it fails until someone runs REFRESH MATERIALIZED VIEW."]
    if table.kind == "materialized_view":
        return ["Shows the data as of its last refresh, not as it is now."]
    if table.kind == "foreign_table":
        source = f", in {table.foreign_source}" if table.foreign_source else ""
        return [f"A foreign table: its rows are outside of this database{source}."]
    return _SNOWFLAKE_KINDS.get(table.kind, [])


_SNOWFLAKE_KINDS: Mapping[TableKind, list[str]] = {
    "dynamic_table": ["A dynamic table: Snowflake refreshes it from a query, so that it may lag behind its sources."],
    "external_table": ["An external table: its rows are read from files outside of the database."],
    "iceberg_table": ["An Iceberg table: its rows lie in Parquet files in external storage."],
    "hybrid_table": ["A hybrid table: it is kept by rows, and its keys and indexes are enforced."],
}


def _inheritance(table: CatalogTable) -> list[str]:
    notes = []
    if table.inherits:
        parents = listing(table.inherits, limit=_NAMES_LISTED)
        notes.append(f"Inherits from {parents}: a query of that table reads these rows too.")
    if table.inherited_by:
        children = listing(table.inherited_by, limit=_NAMES_LISTED)
        notes.append(f"Inherited by {children}: a query reads their rows too, unless it says ONLY.")
    return notes


def behaviour(table: CatalogTable) -> list[str]:
    """What a table does on its own: row-level security, triggers, and the routines that write it."""
    return [*_row_security(table), *_triggers(table), *_writers(table)]


def _row_security(table: CatalogTable) -> list[str]:
    notes = []
    policies = table.policies or []
    if table.row_security:
        notes.append(
            "Row-level security is on: each user sees only the rows that policies allow, as do samples and counts."
        )
    elif policies:
        notes.append("Row-level security is off, so that its policies have no effect.")
    if policies:
        names = listing([format_name((policy.name,)) for policy in policies], limit=_NAMES_LISTED)
        notes.append(f"{'Policy' if len(policies) == 1 else 'Policies'} of row-level security: {names}.")
    notes += [
        sentence(f"The comment on the policy {format_name((policy.name,))}: {whole_comment(policy.comment)}")
        for policy in policies[:_NAMES_LISTED]
        if policy.comment
    ]
    return notes


def _triggers(table: CatalogTable) -> list[str]:
    triggers = table.triggers or []
    notes = [
        _with_comment(
            f"The trigger {format_name((each.name,))} calls {each.routine} {each.fires}"
            f"{', and is disabled' if each.enabled is False else ''}",
            each.comment,
        )
        for each in triggers[:_NAMES_LISTED]
    ]
    left_out = len(triggers) - _NAMES_LISTED
    return [*notes, f"It has {number(left_out, 'more trigger')}."] if left_out > 0 else notes


def _writers(table: CatalogTable) -> list[str]:
    # A note each: a reader who may not see one of them is shown the others.
    routines = table.written_by or []
    notes = [_with_comment(f"Written by the routine {each.name}", each.comment) for each in routines[:_NAMES_LISTED]]
    left_out = len(routines) - _NAMES_LISTED
    return [*notes, f"Written by {number(left_out, 'more routine')}."] if left_out > 0 else notes


def _with_comment(text: str, comment: str | None) -> str:
    return sentence(f"{text}: {whole_comment(comment)}" if comment else text)


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
    named = _references(key for key in table.foreign_keys if not nullable.isdisjoint(key.columns))
    if not named:
        return []
    return [f"May be empty, so that an INNER JOIN leaves rows out: {listing(named, limit=_NAMES_LISTED)}."]


def _unchecked_keys(table: CatalogTable) -> list[str]:
    named = _references(key for key in table.foreign_keys if key.validated is False)
    if not named:
        return []
    return [f"Not validated, so that existing rows may lack their parent: {listing(named, limit=_NAMES_LISTED)}."]


def _references(keys: Iterable[CatalogForeignKey]) -> list[str]:
    """Foreign keys in words, each once although it may be declared twice."""
    return list(
        dict.fromkeys(
            f"{'/'.join(key.columns)} (to {format_name((key.references_schema, key.references_table))})" for key in keys
        )
    )


def _local_times(table: CatalogTable) -> list[str]:
    names = [column.name for column in table.columns if type_family(column.type) == "local_time"]
    if not names:
        return []
    return [f"Times without a time zone; which zone they mean is not declared: {listing(names, limit=_NAMES_LISTED)}."]


def _no_primary_key(table: CatalogTable) -> list[str]:
    if table.primary_key is not None or table.kind not in _WITH_KEYS:
        return []
    found: list[Index] = [each for each in table.indexes if each.unique]
    names = {each.name for each in found}
    # Not every database has an index for each key.
    found += [
        Index(name=key.name, columns=key.columns, unique=True) for key in table.unique_keys if key.name not in names
    ]
    if not found:
        exclusions = listing([each.name for each in table.exclusions or ()], limit=_NAMES_LISTED)
        return [f"There is no primary key: {f'rows differ as {exclusions} says' if exclusions else 'rows may repeat'}."]
    return [f"There is no primary key. Unique: {'; '.join(_unique(each, table) for each in found[:_NAMES_LISTED])}."]


def _unique(index: Index, table: CatalogTable) -> str:
    """A unique key in words, with the rows that it does not cover."""
    nullable = {column.name for column in table.columns if column.nullable}
    empty = [] if index.nulls_not_distinct else [name for name in index.columns if name in nullable]
    only = f" where {index.predicate}" if index.predicate else ""
    unless = f", unless {listing(empty, last='or')} is NULL" if empty else ""
    return f"{listing(index.columns, limit=len(index.columns))}{only}{unless}"


def _types(table: CatalogTable) -> list[str]:
    """What is known of user-defined types, once for all columns that have them."""
    columns: dict[str, list[str]] = defaultdict(list)
    said: dict[str, list[str]] = {}
    for column in table.columns:
        fields = listing([f"{each.name} ({each.type})" for each in column.fields or ()], limit=len(column.fields or ()))
        texts = [f"it has the fields {fields}"] * bool(fields) + [whole_comment(column.type_comment)]
        if any(texts):
            columns[column.type].append(column.name)
            said[column.type] = [text for text in texts if text]
    return [
        sentence(f"The type {name}, of {listing(columns[name], limit=_NAMES_LISTED)}: {'; '.join(texts)}")
        for name, texts in said.items()
    ]


def _comments_on_parts(table: CatalogTable) -> list[str]:
    """Comments on keys, checks and indexes."""
    keys = [*([table.primary_key] if table.primary_key else []), *table.unique_keys]
    parts = [
        *(("key", each.name, each.comment) for each in keys),
        *(("foreign key", each.name, each.comment) for each in table.foreign_keys),
        *(("check", each.name, each.comment) for each in table.checks),
        *(("index", each.name, each.comment) for each in table.indexes),
    ]
    return [
        sentence(f"The comment on the {what} {name}: {whole_comment(comment)}")
        for what, name, comment in parts
        if comment
    ]


def _no_samples(context: TableContext) -> list[str]:
    if context.table.selectable:
        return []
    name = format_name((context.table.schema_name, context.table.table_name))
    return [f"The user of this documentation has no SELECT privilege on {name}, so there are no sample values."]
