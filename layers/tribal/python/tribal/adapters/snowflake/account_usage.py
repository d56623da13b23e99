"""Data of `ACCOUNT_USAGE` that `SHOW` lacks, with a warehouse: hidden schemas, drops, tags and masking policies.

Its views lag behind by up to three hours: https://docs.snowflake.com/en/sql-reference/account-usage
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

from tribal.adapters.snowflake import statements
from tribal.adapters.snowflake.connections.connection import Answer
from tribal.adapters.snowflake.connections.errors import (
    NO_PRIVILEGE,
    is_too_much,
    is_unknown_object,
    is_without_warehouse,
    number_of,
)
from tribal.adapters.snowflake.names import identifier, literals
from tribal.adapters.snowflake.rows import INFORMATION_SCHEMA
from tribal.errors import DatabaseError
from tribal.ports import SchemaAndTable
from tribal.sql.dialect import quote_identifier, string_literal

Ask = Callable[[str], Answer]
RowT = TypeVar("RowT", bound=NamedTuple)
SETTLED_AFTER_HOURS = 3
"""How long ago a table was altered, at least, before it has no tag or policy because none is listed.
They are listed within two hours:
https://docs.snowflake.com/en/sql-reference/account-usage/tag_references"""
GOVERNANCE_GRANT = "GRANT DATABASE ROLE SNOWFLAKE.GOVERNANCE_VIEWER TO ROLE {role};"
_NAMES_AT_ONCE = 1_000
"""By judgement: a statement of some 100 KB at most; Snowflake takes 1 MB."""


class _SchemaName(NamedTuple):
    schema_name: str


class _Lifetime(NamedTuple):
    table_schema: str
    table_name: str
    deleted: Any


class _Tag(NamedTuple):
    domain: str
    object_schema: str | None
    object_name: str
    column_name: str | None
    tag_name: str


class _TableName(NamedTuple):
    table_name: str


class _Policy(NamedTuple):
    ref_schema_name: str
    ref_entity_name: str
    ref_column_name: str
    policy_name: str


class _Dependency(NamedTuple):
    referencing_schema: str
    referencing_object_name: str
    referenced_schema: str
    referenced_object_name: str


_Place = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Marks:
    """Which columns masking policies and tags mark as sensitive."""

    by_place: Mapping[_Place, frozenset[str]] = field(default_factory=dict)
    """Policies and tags by where they are set: `()` is the database, a column is its schema, its table and its name."""

    def of(self, schema: str, table: str, column: str) -> str | None:
        """What marks a column, tags that it inherits included."""
        place = (schema, table, column)
        found = {mark for depth in range(len(place) + 1) for mark in self.by_place.get(place[:depth], ())}
        return ", ".join(sorted(found)) or None


@dataclass(frozen=True, slots=True)
class Usage:
    """Data of `ACCOUNT_USAGE` about a database."""

    schemas: frozenset[str] | None = None
    """All schemas, hidden ones too; `None` where the role may not know."""
    marks: Marks | None = None
    """What marks columns as sensitive; `None` where the role may not know."""
    dependencies: Mapping[SchemaAndTable, frozenset[SchemaAndTable]] = field(default_factory=dict)
    """The tables that each view reads, as far as the role may know."""
    failure: str | None = None
    """Why nothing could be asked, where there was no warehouse."""


def existing_schemas(ask: Ask, database: str) -> frozenset[str] | None:
    """All schemas of a database, hidden ones too; `None` where the role may not know."""
    rows = _readable(ask, statements.EXISTING_SCHEMAS.format(database=string_literal(database)), _SchemaName)
    return None if rows is None else frozenset(row.schema_name for row in rows) - {INFORMATION_SCHEMA}


def dropped_tables(ask: Ask, database: str, tables: Iterable[SchemaAndTable]) -> frozenset[SchemaAndTable]:
    """Those of the tables that were dropped and are not there again; none where that cannot be known.

    A table that is not listed may exist all the same: it may be too new, or have been renamed.
    """
    wanted = sorted(set(tables))
    alive: dict[SchemaAndTable, bool] = {}
    for begin in range(0, len(wanted), _NAMES_AT_ONCE):
        part = wanted[begin : begin + _NAMES_AT_ONCE]
        sql = statements.TABLE_HISTORY.format(
            database=string_literal(database),
            schemas=literals(sorted({schema for schema, _ in part})),
            tables=literals(sorted({name for _, name in part})),
        )
        try:
            rows = _readable(ask, sql, _Lifetime) or ()
        except DatabaseError as error:
            if is_without_warehouse(error):
                return frozenset()
            raise
        for row in rows:
            name = (row.table_schema, row.table_name)
            alive[name] = alive.get(name, False) or row.deleted is None
    return frozenset(name for name in wanted if alive.get(name) is False)


def read_marks(ask: Ask, database: str) -> Marks | None:
    """The masking policies and tags of a database; `None` where the role may not know all of them.

    A tag counts whatever its name and value, also where it is set on the table, the schema or the database: the view
    does not list what columns inherit.
    """
    where = string_literal(database)
    policies = _readable(ask, statements.MASKING_POLICIES.format(database=where), _Policy)
    tags = _readable(ask, statements.TAGS.format(database=where), _Tag)
    if policies is None or tags is None:
        return None
    marks: dict[_Place, set[str]] = defaultdict(set)
    for policy in policies:
        marks[policy[:3]].add(f"masking policy {policy.policy_name}")
    for tag in tags:
        place, of = _place(tag)
        marks[place].add(f"tag {tag.tag_name}{of}")
    return Marks({place: frozenset(found) for place, found in marks.items()})


def _place(tag: _Tag) -> tuple[_Place, str]:
    """Where a tag is set, and how that is said."""
    if tag.domain == "DATABASE":
        return (), " of its database"
    if tag.domain == "SCHEMA":
        return (tag.object_name,), " of its schema"
    table = (tag.object_schema or "", tag.object_name)
    return (table, " of its table") if tag.column_name is None else ((*table, tag.column_name), "")


def read_dependencies(ask: Ask, database: str) -> dict[SchemaAndTable, frozenset[SchemaAndTable]]:
    """The tables of a database that each of its views reads; none where the role may not know."""
    found: dict[SchemaAndTable, set[SchemaAndTable]] = defaultdict(set)
    sql = statements.OBJECT_DEPENDENCIES.format(database=string_literal(database))
    for row in _readable(ask, sql, _Dependency) or ():
        found[row[:2]].add(row[2:])
    return {view: frozenset(tables) for view, tables in found.items()}


def settled_tables(ask: Ask, database: str, schema: str, hours: int) -> frozenset[str] | None:
    """Tables of a schema that were not created or altered in the last hours; `None` if they are too many to list.

    No view says when a column was created, but whatever changes a table's columns changes the time of its last DDL, and
    that is listed at once: https://docs.snowflake.com/en/sql-reference/info-schema/tables
    """
    try:
        return _settled(ask, statements.SETTLED_TABLES, database, schema, hours=hours)
    except DatabaseError as error:
        if is_too_much(error):
            return None
        raise


def is_settled(ask: Ask, database: str, name: SchemaAndTable, hours: int) -> bool:
    """Whether a table was not created or altered in the last hours."""
    table = string_literal(name[1])
    return name[1] in _settled(ask, statements.SETTLED_TABLE, database, name[0], hours=hours, table=table)


def _settled(ask: Ask, template: str, database: str, schema: str, **more: object) -> frozenset[str]:
    sql = template.format(database=identifier(database), schema=string_literal(schema), **more)
    return frozenset(row.table_name for row in _readable(ask, sql, _TableName) or ())


def read_usage(ask: Ask, database: str) -> Usage:
    """Read data of `ACCOUNT_USAGE` about a database, as far as the role may read it and the warehouse runs."""
    try:
        return Usage(existing_schemas(ask, database), read_marks(ask, database), read_dependencies(ask, database))
    except DatabaseError as error:
        if is_without_warehouse(error):
            return Usage(failure=error.message)
        raise


def missing_marks(role: str) -> str:
    """That samples are off because it is not known what is sensitive, and what to do."""
    return (
        f"Samples are off: the role {role!r} may not read tags and masking policies, which say what must not be "
        f"sampled. Ask an administrator to run: {GOVERNANCE_GRANT.format(role=quote_identifier(role, 'snowflake'))}"
    )


def _readable(ask: Ask, sql: str, kind: type[RowT]) -> Sequence[RowT] | None:
    try:
        return ask(sql).as_rows(kind)
    except DatabaseError as error:
        if is_unknown_object(error) or number_of(error) == NO_PRIVILEGE:
            return None
        raise
