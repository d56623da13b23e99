"""Reads the keys of all tables, which Snowflake declares and never enforces, and the indexes of hybrid tables."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import NamedTuple, TypeVar

from tribal.adapters.snowflake import statements
from tribal.adapters.snowflake.names import split_name
from tribal.adapters.snowflake.reading.listing import Listing
from tribal.adapters.snowflake.reading.questions import Questions
from tribal.adapters.snowflake.rows import ImportedKeyRow, IndexRow, KeyRow, is_yes, number
from tribal.ports import SchemaAndTable
from tribal_contracts import CatalogForeignKey, CatalogIndex, CatalogKey, KeyElsewhere

RowT = TypeVar("RowT", bound=NamedTuple)
_NO_ACTION = "NO ACTION"


@dataclass
class Keys:
    """The keys of one table, each kind in order of the names."""

    primary: CatalogKey | None = None
    unique: list[CatalogKey] = field(default_factory=list)
    foreign: list[CatalogForeignKey] = field(default_factory=list)
    elsewhere: list[KeyElsewhere] = field(default_factory=list)
    """Foreign keys to other databases."""


def read_keys(questions: Questions, tables: dict[str, list[SchemaAndTable]]) -> dict[SchemaAndTable, Keys]:
    """The keys of each table that has any.

    Args:
        tables: of each schema, without views.
    """
    found: dict[SchemaAndTable, Keys] = defaultdict(Keys)
    primary = _rows(questions, statements.PRIMARY_KEYS, tables, "primary keys", KeyRow)
    for table, name, rows in _keys(questions, _by_key(primary, 0, 1, 4)):
        found[table].primary = CatalogKey(name=name, columns=[row.column_name for row in rows])
    unique = _rows(questions, statements.UNIQUE_KEYS, tables, "unique keys", KeyRow)
    for table, name, rows in _keys(questions, _by_key(unique, 0, 1, 4)):
        found[table].unique.append(CatalogKey(name=name, columns=[row.column_name for row in rows]))
    imported = _rows(questions, statements.IMPORTED_KEYS, tables, "foreign keys", ImportedKeyRow)
    own = [row for row in imported if row.fk_database_name == questions.database]
    for table, name, pairs in _keys(questions, _by_key(own, 5, 6, 9)):
        _take_foreign(found[table], name, pairs, questions.database)
    return found


def _rows(
    questions: Questions, template: str, tables: dict[str, list[SchemaAndTable]], what: str, kind: type[RowT]
) -> list[RowT]:
    rows = questions.of_database(template, kind)
    if rows is not None:
        return rows
    found: list[RowT] = []
    parts = questions.together(lambda schema: questions.of_schema(template, schema, kind), list(tables))
    for names, rows in zip(tables.values(), parts, strict=True):
        if rows is None:
            rows = [row for _, own in questions.singly(template, names, kind, what) for row in own]
        found.extend(rows)
    return found


_Group = tuple[SchemaAndTable, str]


def _by_key(rows: Iterable[RowT], schema: int, table: int, name: int) -> dict[_Group, list[RowT]]:
    """The rows of each key, by the table and the name of the key, in order of these."""
    found: dict[_Group, list[RowT]] = defaultdict(list)
    for row in rows:
        found[(row[schema], row[table]), row[name]].append(row)
    return dict(sorted(found.items(), key=lambda item: item[0]))


def _keys(questions: Questions, groups: dict[_Group, list[RowT]]) -> Iterable[tuple[SchemaAndTable, str, list[RowT]]]:
    """Each key with its rows in order of the columns; one that lacks a column leaves its table out."""
    for (table, name), rows in groups.items():
        place = rows[0]._fields.index("key_sequence")
        in_order = sorted(rows, key=lambda row: number(row[place]) or 0)
        if [number(row[place]) for row in in_order] == list(range(1, len(in_order) + 1)):
            yield table, name, in_order
        elif table not in questions.unread_tables:
            questions.leave_out([table], f"the key {name!r} of {'.'.join(table)!r}", CHANGED)


CHANGED = "It was changed while it was read, or an answer was not whole. Run again."


def _take_foreign(keys: Keys, name: str, pairs: Sequence[ImportedKeyRow], database: str) -> None:
    first = pairs[0]
    own, other = [pair.fk_column_name for pair in pairs], [pair.pk_column_name for pair in pairs]
    if first.pk_database_name != database:
        keys.elsewhere.append(
            KeyElsewhere(
                name=name,
                columns=own,
                references_database=first.pk_database_name,
                references_schema=first.pk_schema_name,
                references_table=first.pk_table_name,
                references_columns=other,
            )
        )
        return
    keys.foreign.append(
        CatalogForeignKey(
            name=name,
            columns=own,
            references_schema=first.pk_schema_name,
            references_table=first.pk_table_name,
            references_columns=other,
            on_update=_action(first.update_rule),
            on_delete=_action(first.delete_rule),
        )
    )


def _action(rule: str | None) -> str | None:
    return None if rule is None or rule.upper() in ("", _NO_ACTION) else rule.upper()


def read_indexes(questions: Questions, listing: Listing) -> dict[SchemaAndTable, list[CatalogIndex]]:
    """The indexes of each hybrid table, in order of their names."""
    hybrid = [(row.schema_name, row.name) for row in listing.tables if is_yes(row.is_hybrid)]
    by_schema = groupby(hybrid, key=lambda name: name[0])
    return {
        name: sorted(map(_index, rows), key=lambda index: index.name)
        for _, tables in by_schema
        for name, rows in questions.singly(statements.INDEXES, list(tables), IndexRow, "indexes")
    }


def _index(row: IndexRow) -> CatalogIndex:
    inner = (row.columns or "").strip().removeprefix("[").removesuffix("]")
    columns = [name.strip() for name in split_name(inner, separator=",")] if inner else []
    return CatalogIndex(name=row.name, columns=columns, unique=is_yes(row.is_unique), predicate=None)
