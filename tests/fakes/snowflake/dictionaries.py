"""Views that tell of the catalog: INFORMATION_SCHEMA of a database, and ACCOUNT_USAGE of the account.

Columns: the page of each view below https://docs.snowflake.com/en/sql-reference/info-schema and
https://docs.snowflake.com/en/sql-reference/account-usage . What is told there and not here is NULL.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from tests.fakes.snowflake import datatypes, information_schema
from tests.fakes.snowflake.account import Account
from tests.fakes.snowflake.catalog import Column, Database, Relation, Schema
from tests.fakes.snowflake.names import Path
from tests.fakes.snowflake.visibility import Sight

Get = Callable[[Any], Any]
TAG_LATENCY = timedelta(hours=2)
"""Until a tag or policy is listed, at most: https://docs.snowflake.com/en/sql-reference/account-usage/tag_references"""
_MOMENT = "TIMESTAMP_LTZ(3)"
_NUMBER = "NUMBER(38,0)"
_NUMBERS = frozenset(
    "ORDINAL_POSITION CHARACTER_MAXIMUM_LENGTH CHARACTER_OCTET_LENGTH NUMERIC_PRECISION NUMERIC_PRECISION_RADIX"
    " NUMERIC_SCALE DATETIME_PRECISION ROW_COUNT BYTES RETENTION_TIME TABLE_ID TABLE_SCHEMA_ID TABLE_CATALOG_ID"
    " COLUMN_ID SCHEMA_ID CATALOG_ID TAG_ID OBJECT_ID POLICY_ID".split()
)
_MOMENTS = frozenset("CREATED LAST_ALTERED LAST_DDL DELETED OBJECT_DELETED".split())
_TABLE_TYPES = {
    "view": "VIEW",
    "secure_view": "VIEW",
    "materialized": "MATERIALIZED VIEW",
    "external": "EXTERNAL TABLE",
    "event": "EVENT TABLE",
}


@dataclass(frozen=True)
class _DictionaryRow:
    """A thing in its place; what is not there is `None`."""

    database: Database
    schema: Schema
    relation: Relation | None = None
    column: Column | None = None
    position: int = 0
    label: str = ""
    """A tag's or a policy's whole name."""
    account: Account | None = None
    whole_database: bool = False
    """Whether a tag is set on the database, and not on the schema."""


@dataclass(frozen=True)
class Dictionary:
    """A view: how each of its columns is got, and all its rows."""

    columns: Mapping[str, tuple[str, Get]]
    rows: Callable[[str | None], Iterator[_DictionaryRow]]
    """Of one schema where the statement names one."""
    schema_column: str = ""
    bounded: bool = False
    """Whether it refuses to give too much."""
    viewer: str = ""
    """The database role of SNOWFLAKE that opens it."""


def _relation(get: Callable[[Relation], Any]) -> Get:
    return lambda found: get(found.relation)


def _column(get: Callable[[Column], Any]) -> Get:
    return lambda found: get(found.column)


def _part(name: str) -> Get:
    return lambda found: datatypes.described(found.column.type).get(name)


def _yes(value: bool) -> str:
    return "YES" if value else "NO"


def _deleted(found: _DictionaryRow) -> Any:
    account = found.account
    if account is None or account.usage_lags:
        return None
    own = found.relation.dropped if found.relation else None
    above = found.schema.dropped or found.database.dropped
    return own or (above if found.relation is None or account.drops_mark_what_they_hold else None)


_OF_RELATION: dict[str, Get] = {
    "TABLE_CATALOG": lambda found: found.database.name,
    "TABLE_SCHEMA": lambda found: found.schema.name,
    "TABLE_NAME": _relation(lambda each: each.name),
    "TABLE_OWNER": _relation(lambda each: each.owner or None),
    "TABLE_TYPE": _relation(lambda each: _TABLE_TYPES.get(each.kind, "BASE TABLE")),
    "IS_TRANSIENT": _relation(lambda each: _yes(each.kind == "transient")),
    "CLUSTERING_KEY": _relation(lambda each: each.cluster_by or None),
    "ROW_COUNT": _relation(lambda each: None if each.is_view else each.counted_rows),
    "BYTES": _relation(lambda each: None if each.is_view else each.bytes),
    "COMMENT": _relation(lambda each: each.comment),
    "CREATED": _relation(lambda each: each.created),
    "LAST_ALTERED": _relation(lambda each: each.last_ddl),
    "LAST_DDL": _relation(lambda each: each.last_ddl),
    "IS_ICEBERG": _relation(lambda each: _yes(each.kind == "iceberg")),
    "IS_DYNAMIC": _relation(lambda each: _yes(each.kind == "dynamic")),
    "IS_HYBRID": _relation(lambda each: _yes(each.kind == "hybrid")),
    "DELETED": _deleted,
}
_OF_COLUMN: dict[str, Get] = {
    **{name: _OF_RELATION[name] for name in ("TABLE_CATALOG", "TABLE_SCHEMA", "TABLE_NAME", "DELETED")},
    "COLUMN_NAME": _column(lambda each: each.name),
    "ORDINAL_POSITION": lambda found: found.position,
    "COLUMN_DEFAULT": _column(lambda each: each.default),
    "IS_NULLABLE": _column(lambda each: _yes(each.nullable)),
    **{
        name: _part(name)
        for name in (
            "DATA_TYPE CHARACTER_MAXIMUM_LENGTH CHARACTER_OCTET_LENGTH NUMERIC_PRECISION NUMERIC_PRECISION_RADIX"
            " NUMERIC_SCALE DATETIME_PRECISION"
        ).split()
    },
    "IS_IDENTITY": _column(lambda each: _yes(each.identity is not None)),
    "COMMENT": _column(lambda each: each.comment),
}
_OF_SCHEMA: dict[str, Get] = {
    "CATALOG_NAME": lambda found: found.database.name,
    "SCHEMA_NAME": lambda found: found.schema.name,
    "SCHEMA_OWNER": lambda found: found.schema.owner or None,
    "IS_TRANSIENT": lambda _: "NO",
    "IS_MANAGED_ACCESS": lambda found: _yes(found.schema.managed_access),
    "COMMENT": lambda found: found.schema.comment,
    "CREATED": lambda found: found.schema.created,
    "DELETED": _deleted,
}


def _tagged(found: _DictionaryRow) -> Database | Schema | Relation | Column:
    """What a tag is set on."""
    return found.column or found.relation or (found.database if found.whole_database else found.schema)


def _domain(found: _DictionaryRow) -> str:
    if found.relation is None:
        return "DATABASE" if found.whole_database else "SCHEMA"
    return "COLUMN" if found.column else "VIEW" if found.relation.is_view else "TABLE"


_TAG_REFERENCES: dict[str, Get] = {
    "TAG_DATABASE": lambda found: found.label.split(".")[0],
    "TAG_SCHEMA": lambda found: found.label.split(".")[1],
    "TAG_NAME": lambda found: found.label.split(".")[2],
    "TAG_VALUE": lambda found: _tagged(found).tags[found.label],
    "OBJECT_DATABASE": lambda found: found.database.name,
    "OBJECT_SCHEMA": lambda found: found.schema.name if found.relation else None,
    "OBJECT_NAME": lambda found: (found.relation or _tagged(found)).name,
    "OBJECT_DELETED": _deleted,
    "DOMAIN": lambda found: _domain(found),
    "COLUMN_NAME": lambda found: found.column.name if found.column else None,
}
_POLICY_REFERENCES: dict[str, Get] = {
    "POLICY_DB": lambda found: found.label.split(".")[0],
    "POLICY_SCHEMA": lambda found: found.label.split(".")[1],
    "POLICY_NAME": lambda found: found.label.split(".")[2],
    "POLICY_KIND": lambda _: "MASKING_POLICY",
    "REF_DATABASE_NAME": lambda found: found.database.name,
    "REF_SCHEMA_NAME": lambda found: found.schema.name,
    "REF_ENTITY_NAME": _relation(lambda each: each.name),
    "REF_ENTITY_DOMAIN": lambda found: "VIEW" if found.relation.is_view else "TABLE",
    "REF_COLUMN_NAME": _column(lambda each: each.name),
    "POLICY_STATUS": lambda _: "ACTIVE",
}
_OBJECT_DEPENDENCIES: dict[str, Get] = {
    "REFERENCED_DATABASE": lambda found: found.label.split(".")[0],
    "REFERENCED_SCHEMA": lambda found: found.label.split(".")[1],
    "REFERENCED_OBJECT_NAME": lambda found: found.label.split(".")[2],
    "REFERENCED_OBJECT_DOMAIN": lambda _: "TABLE",
    "REFERENCING_DATABASE": lambda found: found.database.name,
    "REFERENCING_SCHEMA": lambda found: found.schema.name,
    "REFERENCING_OBJECT_NAME": _relation(lambda each: each.name),
    "REFERENCING_OBJECT_DOMAIN": lambda _: "VIEW",
    "DEPENDENCY_TYPE": lambda _: "BY_NAME",
}
_USAGE_TABLES = [*information_schema.TABLES, "TABLE_ID", "TABLE_SCHEMA_ID", "TABLE_CATALOG_ID", "DELETED"]
_USAGE_COLUMNS = [*information_schema.COLUMNS, "COLUMN_ID", "TABLE_ID", "DELETED"]
_USAGE_SCHEMATA = [*information_schema.SCHEMATA, "SCHEMA_ID", "CATALOG_ID", "DELETED", "SCHEMA_TYPE"]
_USAGE_TAGS = [*_TAG_REFERENCES, "TAG_ID", "OBJECT_ID", "COLUMN_ID", "APPLY_METHOD"]
_USAGE_POLICIES = [*_POLICY_REFERENCES, "POLICY_ID", "REF_ARG_COLUMN_NAMES", "TAG_DATABASE", "TAG_SCHEMA", "TAG_NAME"]


def _typed(names: Sequence[str], known: Mapping[str, Get]) -> dict[str, tuple[str, Get]]:
    def type_of(name: str) -> str:
        return _NUMBER if name in _NUMBERS else _MOMENT if name in _MOMENTS else "VARCHAR(16777216)"

    return {name: (type_of(name), known.get(name, lambda _: None)) for name in names}


def dictionary(path: Path, sight: Sight) -> Dictionary | None:
    """The view of a path; `None` where it is no such view.

    What of INFORMATION_SCHEMA is told are things that may be seen; ACCOUNT_USAGE tells of all there are and were.
    """
    if path[:2] == ("SNOWFLAKE", "ACCOUNT_USAGE"):
        return _account_usage(path[2], sight.account)
    if path[1] != information_schema.NAME:
        return None

    def relations(schema: str | None) -> Iterator[_DictionaryRow]:
        database = sight.database(path[0])
        for each in [*sight.schemas(database), information_schema.schema()]:
            if schema in (None, each.name):
                shown = (
                    sight.relations(database, each) if each in database.schemas.values() else each.relations.values()
                )
                yield from (_DictionaryRow(database, each, relation) for relation in shown)

    def schemata(_: str | None) -> Iterator[_DictionaryRow]:
        database = sight.database(path[0])
        yield from (_DictionaryRow(database, each) for each in [*sight.schemas(database), information_schema.schema()])

    views = {
        "COLUMNS": (information_schema.COLUMNS, _OF_COLUMN, lambda schema: _columns(relations(schema)), "TABLE_SCHEMA"),
        "TABLES": (information_schema.TABLES, _OF_RELATION, relations, "TABLE_SCHEMA"),
        "SCHEMATA": (information_schema.SCHEMATA, _OF_SCHEMA, schemata, ""),
    }
    if path[2] not in views:
        return None
    names, known, rows, schema_column = views[path[2]]
    return Dictionary(_typed(names, known), rows, schema_column, bounded=True)


def _account_usage(name: str, account: Account) -> Dictionary | None:
    def relations(schema: str | None) -> Iterator[_DictionaryRow]:
        for found in _schemas(account):
            if schema in (None, found.schema.name):
                for each in [*found.schema.relations.values(), *found.schema.dropped_relations]:
                    yield _DictionaryRow(found.database, found.schema, each, account=account)

    def tags(_: str | None) -> Iterator[_DictionaryRow]:
        for database in [*account.databases.values(), *account.dropped_databases]:
            for label in database.tags:
                nowhere = Schema("", dropped=database.dropped)
                yield _DictionaryRow(database, nowhere, label=label, account=account, whole_database=True)
        for found in _schemas(account):
            for label in found.schema.tags:
                yield _DictionaryRow(found.database, found.schema, label=label, account=account)
        for found in relations(None):
            assert found.relation is not None
            if _is_too_new(found.relation, account):
                continue
            for label in found.relation.tags:
                yield _DictionaryRow(found.database, found.schema, found.relation, label=label, account=account)
            for column in found.relation.columns:
                for label in column.tags:
                    yield _DictionaryRow(found.database, found.schema, found.relation, column, 0, label, account)

    def dependencies(_: str | None) -> Iterator[_DictionaryRow]:
        for found in relations(None):
            assert found.relation is not None
            for label in found.relation.reads:
                yield _DictionaryRow(found.database, found.schema, found.relation, label=label, account=account)

    def policies(_: str | None) -> Iterator[_DictionaryRow]:
        for found in _columns(relations(None)):
            assert found.relation is not None
            if _is_too_new(found.relation, account):
                continue
            if found.column and found.column.masking_policy and _deleted(found) is None:
                label = found.column.masking_policy
                yield _DictionaryRow(found.database, found.schema, found.relation, found.column, 0, label, account)

    views: dict[str, tuple[Sequence[str], Mapping[str, Get], Callable[[str | None], Iterator[_DictionaryRow]], str]] = {
        "TABLES": (_USAGE_TABLES, _OF_RELATION, relations, "OBJECT_VIEWER"),
        "COLUMNS": (_USAGE_COLUMNS, _OF_COLUMN, lambda schema: _columns(relations(schema)), "OBJECT_VIEWER"),
        "SCHEMATA": (_USAGE_SCHEMATA, _OF_SCHEMA, lambda _: _schemas(account), "OBJECT_VIEWER"),
        "TAG_REFERENCES": (_USAGE_TAGS, _TAG_REFERENCES, tags, "GOVERNANCE_VIEWER"),
        "OBJECT_DEPENDENCIES": (list(_OBJECT_DEPENDENCIES), _OBJECT_DEPENDENCIES, dependencies, "OBJECT_VIEWER"),
        "POLICY_REFERENCES": (_USAGE_POLICIES, _POLICY_REFERENCES, policies, "GOVERNANCE_VIEWER"),
    }
    if name not in views:
        return None
    names, known, rows, viewer = views[name]
    return Dictionary(_typed(names, known), rows, viewer=viewer)


def _is_too_new(relation: Relation, account: Account) -> bool:
    return account.now() - relation.last_ddl < TAG_LATENCY


def _schemas(account: Account) -> Iterator[_DictionaryRow]:
    for database in [*account.databases.values(), *account.dropped_databases]:
        for schema in [*database.schemas.values(), *database.dropped_schemas]:
            yield _DictionaryRow(database, schema, account=account)


def _columns(relations: Iterator[_DictionaryRow]) -> Iterator[_DictionaryRow]:
    for found in relations:
        assert found.relation is not None
        for position, column in enumerate(found.relation.columns, start=1):
            yield _DictionaryRow(found.database, found.schema, found.relation, column, position, account=found.account)
