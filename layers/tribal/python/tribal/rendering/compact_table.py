"""A table as a compact `CREATE TABLE`: what someone who writes SQL needs to know of it."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Collection, Sequence

from tribal.identity.table_names import TableIdentity
from tribal.joins.outline import row_keys
from tribal.rendering.markdown import one_line
from tribal.rendering.quotations import defuse
from tribal.rendering.words import further_meanings, lists_values, rows_phrase, shorten
from tribal.sql.dialect import legible_identifier, legible_table
from tribal.sql.type_families import TypeFamily, short_type, type_family
from tribal_contracts import Description, DocumentedColumn, TableDocument

COMMENT_CHARS = 120
"""Source: docs/contracts.md, Query context."""
MAX_DETAILED = 24
"""The most columns with a line of their own. By judgement: more would crowd out other tables."""
MAX_NAMED = 60
"""The most other columns whose names are listed. By judgement: some 200 tokens."""
MAX_INDEXES = 5
"""The most unique indexes. By judgement: tables rarely have more."""
MAX_VALUES = 20
"""The most allowed values of a column."""
_MEASURES: frozenset[TypeFamily] = frozenset(("number",))
_DATES: frozenset[TypeFamily] = frozenset(("date", "instant", "local_time"))
_VIEWS = ("view", "materialized_view", "dynamic_table")


def compact_table(
    table: TableDocument, is_named: Callable[[DocumentedColumn], bool] = lambda _: False, *, brief: bool = False
) -> str:
    """A table as SQL: a line each for its keys, named columns, columns of allowed values, measures and dates.

    The other columns are listed by name. Keys of several columns follow the columns.

    Args:
        table: its document.
        is_named: whether a question names a column.
        brief: only keys and named columns have a line, and the table no description.
    """
    kind = table.database_type
    detailed = _detailed(table, is_named, _BRIEF_RANKS if brief else _RANKS)
    parts = [_column(column, table) for column in table.columns if column.name in detailed]
    constraints = [(text, "") for text in _constraints(table)]
    lines = _separated([*parts, *constraints])
    others = [legible_identifier(column.name, kind) for column in table.columns if column.name not in detailed]
    if others:
        left = f" and {len(others) - MAX_NAMED} more" if len(others) > MAX_NAMED else ""
        lines.append(f"  -- also: {', '.join(map(one_line, others[:MAX_NAMED]))}{left}")
    what = "VIEW" if table.kind in _VIEWS else "TABLE"
    name = legible_table(table.server_database or table.database, table.schema_, table.table, kind)
    about = [] if brief else _about(table)
    return "\n".join([*about, f"CREATE {what} {name} (", *lines, ");", *_unique_indexes(table, name)])


def _unique_indexes(table: TableDocument, name: str) -> list[str]:
    """The unique indexes that are no whole keys: only some rows or expressions are unique, or NULL is too."""
    by_columns = {column.name: legible_identifier(column.name, table.database_type) for column in table.columns}
    found = []
    for index in table.indexes:
        if index.unique and (index.predicate or index.nulls_not_distinct or not set(index.columns) <= set(by_columns)):
            parts = ", ".join(by_columns.get(part, part) for part in index.columns)
            nulls = " NULLS NOT DISTINCT" if index.nulls_not_distinct else ""
            where = f" WHERE {index.predicate}" if index.predicate else ""
            found.append(one_line(f"CREATE UNIQUE INDEX ON {name} ({parts}){nulls}{where};"))
    return found[:MAX_INDEXES]


def _about(table: TableDocument) -> list[str]:
    """Comments above the table: what it is, and its description in at most two lines."""
    facts = [] if table.kind == "table" else [table.kind.replace("_", " ")]
    if table.kind != "view" and table.row_count >= 0:
        facts.append(rows_phrase(table.row_count))
    said = "" if repeats_keys(table.description) else defuse(one_line(table.description.text))
    text = shorten(said, 2 * COMMENT_CHARS - 20)
    lines = textwrap.wrap(text, COMMENT_CHARS, break_on_hyphens=False)
    return [f"-- {line}" for line in [*lines, ", ".join(facts)] if line]


def repeats_keys(said: Description) -> bool:
    """Whether a description only says which keys there are."""
    return said.source == "derived" and {each.of for each in said.evidence or ()} <= {"foreign key", "primary key"}


_RANKS, _BRIEF_RANKS = 6, 2


def _detailed(table: TableDocument, is_named: Callable[[DocumentedColumn], bool], ranks: int) -> Collection[str]:
    """Names of the columns with a line of their own, the most important ones if there are too many."""
    keys = {name for columns in row_keys(table) for name in columns}

    def place(column: DocumentedColumn) -> int:
        family = type_family(column.base_type or column.type)
        facts = (
            is_named(column),
            column.is_primary_key or column.is_foreign_key,
            bool(column.allowed_values),
            column.name in keys,
            family in _DATES,
            family in _MEASURES,
        )
        return facts.index(True) if True in facts else len(facts)

    ranked = sorted(((place(column), number) for number, column in enumerate(table.columns)))
    return {table.columns[number].name for rank, number in ranked[:MAX_DETAILED] if rank < ranks}


def _column(column: DocumentedColumn, table: TableDocument) -> tuple[str, str]:
    """The definition of a column, and the comment behind it."""
    kind = table.database_type
    words = [legible_identifier(column.name, kind), short_type(column.type)]
    if table.primary_key and table.primary_key.columns == [column.name]:
        words.append("PRIMARY KEY")
    elif not column.nullable:
        words.append("NOT NULL")
    if any(key.columns == [column.name] for key in table.unique_keys):
        words.append("UNIQUE")
    words += [
        f"REFERENCES {_table_name(key.references_table, table)} ({legible_identifier(key.references_columns[0], kind)})"
        for key in table.foreign_keys
        if key.columns == [column.name] and len(key.references_columns) == 1
    ]
    comment = _column_comment(column)
    if values := column.allowed_values:
        is_number = type_family(column.base_type or column.type) == "number"
        shown = dict(zip(values, map(one_line if is_number else _literal, values[:MAX_VALUES]), strict=False))
        said = column.description
        meanings = further_meanings(column.value_meanings, said.source)
        explained = [f"{text} = {meanings[value].text}" if value in meanings else text for value, text in shown.items()]
        is_said = bool(column.value_meanings) and lists_values(said.text, said.source, values, column.value_meanings)
        facts = "" if is_said else defuse(one_line(", ".join(explained)))
        if column.allowed_values_complete is not False and len(values) <= MAX_VALUES:
            words.append(f"CHECK ({words[0]} IN ({', '.join(shown.values())}))")
            facts = facts if meanings else ""
        elif facts:
            facts = f"values such as {facts}"
        comment = shorten(". ".join(filter(None, (facts, comment))), COMMENT_CHARS)
    return one_line(" ".join(words)), comment


def _column_comment(column: DocumentedColumn) -> str:
    said = column.description
    # What rules say of keys and allowed values is in the definition already.
    repeats = column.is_primary_key or column.is_foreign_key or column.allowed_values or _is_read_from_name(said)
    if said.source == "derived" and repeats:
        return ""
    return shorten(defuse(one_line(said.text)), COMMENT_CHARS)


def _is_read_from_name(said: Description) -> bool:
    return all(each.kind == "read" or each.of.startswith("unique") for each in said.evidence or ())


def _constraints(table: TableDocument) -> list[str]:
    kind = table.database_type

    def listed(columns: Sequence[str]) -> str:
        return ", ".join(legible_identifier(column, kind) for column in columns)

    found = []
    if table.primary_key and len(table.primary_key.columns) > 1:
        found.append(f"PRIMARY KEY ({listed(table.primary_key.columns)})")
    found += [f"UNIQUE ({listed(key.columns)})" for key in table.unique_keys if len(key.columns) > 1]
    found += [
        f"FOREIGN KEY ({listed(key.columns)}) REFERENCES {_table_name(key.references_table, table)}"
        f" ({listed(key.references_columns)})"
        for key in table.foreign_keys
        if len(key.columns) > 1
    ]
    return list(map(one_line, found))


def _separated(parts: Sequence[tuple[str, str]]) -> list[str]:
    """Lines with a comma after all but the last, each followed by its comment."""
    last = len(parts) - 1
    return [
        f"  {text}{',' if number < last else ''}{f' -- {comment}' if comment else ''}"
        for number, (text, comment) in enumerate(parts)
    ]


def _table_name(name: str, table: TableDocument) -> str:
    identity = TableIdentity.parse(name)
    return legible_table(table.server_database or table.database, identity.schema, identity.table, table.database_type)


def _literal(value: str) -> str:
    return "'" + one_line(value).replace("'", "''") + "'"
