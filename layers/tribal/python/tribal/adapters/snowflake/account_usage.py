"""What `ACCOUNT_USAGE` tells beyond `SHOW`, with a warehouse: hidden schemas, drops, tags and masking policies.

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
    is_unknown_object,
    is_without_warehouse,
    number_of,
)
from tribal.adapters.snowflake.names import literals
from tribal.adapters.snowflake.rows import INFORMATION_SCHEMA
from tribal.catalog.dialect import string_literal
from tribal.errors import DatabaseError
from tribal.ports import SchemaAndTable

Ask = Callable[[str], Answer]
RowT = TypeVar("RowT", bound=NamedTuple)
_NAMES_AT_ONCE = 1_000
"""By judgement: a statement of some 100 KB at most; Snowflake takes 1 MB."""


class _SchemaName(NamedTuple):
    schema_name: str


class _Lifetime(NamedTuple):
    table_schema: str
    table_name: str
    deleted: Any


class _Tag(NamedTuple):
    object_schema: str
    object_name: str
    column_name: str
    tag_name: str


class _Policy(NamedTuple):
    ref_schema_name: str
    ref_entity_name: str
    ref_column_name: str
    policy_name: str


@dataclass(frozen=True, slots=True)
class Usage:
    """What `ACCOUNT_USAGE` tells of a database."""

    schemas: frozenset[str] | None = None
    """All schemas, hidden ones too; `None` where the role may not know."""
    marks: Mapping[tuple[str, str, str], str] = field(default_factory=dict)
    """What marks a column as sensitive, by schema, table and column."""
    failure: str | None = None
    """Why nothing could be asked, where there was no warehouse."""


def existing_schemas(ask: Ask, database: str) -> frozenset[str] | None:
    """All schemas of a database, hidden ones too; `None` where the role may not know."""
    rows = _readable(ask, statements.EXISTING_SCHEMAS.format(database=string_literal(database)), _SchemaName)
    return None if rows is None else frozenset(row.schema_name for row in rows) - {INFORMATION_SCHEMA}


def dropped_tables(ask: Ask, database: str, tables: Iterable[SchemaAndTable]) -> frozenset[SchemaAndTable]:
    """Those of the tables that were dropped and are not there again; none where that cannot be known.

    A table of which nothing is told proves nothing: it may be too new, or have another name now.
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


def sensitive_columns(ask: Ask, database: str) -> dict[tuple[str, str, str], str]:
    """What marks columns, by schema, table and column: masking policies, then tags, in order of their names."""
    marks: dict[tuple[str, str, str], set[str]] = defaultdict(set)
    where = string_literal(database)
    for policy in _readable(ask, statements.MASKING_POLICIES.format(database=where), _Policy) or ():
        marks[policy[:3]].add(f"masking policy {policy.policy_name}")
    for tag in _readable(ask, statements.TAGS.format(database=where), _Tag) or ():
        marks[tag[:3]].add(f"tag {tag.tag_name}")
    return {column: ", ".join(sorted(found)) for column, found in marks.items()}


def read_usage(ask: Ask, database: str) -> Usage:
    """What `ACCOUNT_USAGE` tells of a database, as far as the role may know it and the warehouse runs."""
    try:
        return Usage(existing_schemas(ask, database), sensitive_columns(ask, database))
    except DatabaseError as error:
        if is_without_warehouse(error):
            return Usage(failure=error.message)
        raise


def _readable(ask: Ask, sql: str, kind: type[RowT]) -> Sequence[RowT] | None:
    try:
        return ask(sql).as_rows(kind)
    except DatabaseError as error:
        if is_unknown_object(error) or number_of(error) == NO_PRIVILEGE:
            return None
        raise
