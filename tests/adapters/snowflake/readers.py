"""Readers of the stand-in's account, and what they have to find there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from pydantic import SecretStr

from tests.fakes.snowflake import FakeSnowflake
from tests.fakes.snowflake.catalog import Column, ForeignKey, Key, Kind, Relation, Schema
from tests.fakes.snowflake.connecting import PASSWORD, ROLE, USER, WAREHOUSE, see
from tribal.adapters.snowflake.catalog import SnowflakeCatalog
from tribal.ports import CatalogContents
from tribal.settings.snowflake.target import SnowflakeTarget
from tribal_contracts import (
    CatalogColumn,
    CatalogForeignKey,
    CatalogIndex,
    CatalogKey,
    CatalogTable,
    DatabaseLimits,
    KeyElsewhere,
    TableKind,
)

DATABASE = "SHOP"
_KINDS: dict[Kind, TableKind] = {
    "external": "external_table",
    "dynamic": "dynamic_table",
    "iceberg": "iceberg_table",
    "hybrid": "hybrid_table",
    "view": "view",
    "secure_view": "view",
    "materialized": "materialized_view",
}


def target_of(fake: FakeSnowflake, **more: Any) -> SnowflakeTarget:
    """The database of the stand-in, by password unless the arguments say otherwise."""
    arguments: dict[str, Any] = {
        "account": fake.account.name,
        "database": DATABASE,
        "login": "password",
        "user": USER,
        "role": ROLE,
        "secret": SecretStr(PASSWORD),
        "host": "127.0.0.1",
        "port": fake.port,
        "protocol": "http",
        **more,
    }
    return SnowflakeTarget(**arguments)


def no_pause(_: float) -> None:
    """Retries need no waiting here."""


@contextmanager
def reading(
    fake: FakeSnowflake, *, may_sample: bool = False, limits: DatabaseLimits | None = None, **more: Any
) -> Iterator[SnowflakeCatalog]:
    """A reader of the stand-in's database, closed afterwards."""
    show_rows = more.pop("show_rows", fake.limits.show_rows)
    reader = SnowflakeCatalog(
        target_of(fake, **more), limits, may_sample=may_sample, pause=no_pause, show_rows=show_rows
    )
    try:
        yield reader
    finally:
        reader.close()


def new_account(fake: FakeSnowflake) -> Callable[..., Schema]:
    """A user whose role may use the database and a warehouse; returns what makes schemas that the role may use."""
    account = fake.account
    account.user(USER, ROLE, password=PASSWORD)
    account.warehouse(WAREHOUSE)
    account.database(DATABASE)
    account.grant(ROLE, "USAGE", "DATABASE", DATABASE)
    account.grant(ROLE, "USAGE", "WAREHOUSE", WAREHOUSE)

    def schema(name: str, **more: Any) -> Schema:
        made = account.database(DATABASE).schema(name, **more)
        account.grant(ROLE, "USAGE", "SCHEMA", DATABASE, name)
        return made

    return schema


def see_all(fake: FakeSnowflake, privilege: str = "REFERENCES") -> None:
    """Let the role see every table and view of the database."""
    for schema in fake.account.database(DATABASE).schemas.values():
        for relation in schema.relations.values():
            see(fake, relation, DATABASE, schema.name, privilege=privilege)


def seeded_tables(fake: FakeSnowflake) -> list[CatalogTable]:
    """What a reader that sees all, and may select from nothing, has to find; in order."""
    found = [
        _table(schema.name, relation)
        for schema in fake.account.database(DATABASE).schemas.values()
        for relation in schema.relations.values()
    ]
    return sorted(found, key=lambda table: (table.schema_name, table.table_name))


def structure(contents: CatalogContents) -> list[CatalogTable]:
    """The tables that were read, without what is concluded from grants and from the text of views."""
    return [table.model_copy(update={"selectable": False, "view_query": None}) for table in contents.tables]


def equal_or_reported(fake: FakeSnowflake, contents: CatalogContents) -> bool:
    """Whether all that was found is as it was seeded, and all that was not found is named."""
    seeded = {(table.schema_name, table.table_name): table for table in seeded_tables(fake)}
    found = {(table.schema_name, table.table_name): table for table in structure(contents)}
    assert found.items() <= seeded.items()
    missing = seeded.keys() - found.keys()
    listed_only_partly = [part for part in contents.unread if part.what.startswith(("the tables of", "the views of"))]
    assert contents.unread_tables <= seeded.keys() - found.keys()
    assert bool(contents.unread) == bool(missing)
    return missing == contents.unread_tables or bool(listed_only_partly)


def _table(schema: str, relation: Relation) -> CatalogTable:
    keys = [key for key in relation.foreign_keys if key.to[0] == DATABASE]
    elsewhere = [key for key in relation.foreign_keys if key.to[0] != DATABASE]
    secure = relation.kind == "secure_view"
    return CatalogTable(
        schema_name=schema,
        table_name=relation.name,
        kind=_KINDS.get(relation.kind, "table"),
        comment=relation.comment,
        columns=[_column(column) for column in relation.columns],
        primary_key=_key(relation.primary_key) if relation.primary_key else None,
        unique_keys=sorted(map(_key, relation.unique_keys), key=lambda key: key.name),
        foreign_keys=sorted(map(_foreign, keys), key=lambda key: key.name),
        indexes=[
            CatalogIndex(name=index.name, columns=list(index.columns), unique=index.unique)
            for index in sorted(relation.indexes, key=lambda index: index.name)
        ],
        checks=[],
        view_definition=(relation.text or None) if relation.is_view and not secure else None,
        clustering_key=relation.cluster_by or None,
        transient=True if relation.kind == "transient" else None,
        secure=True if secure else None,
        keys_elsewhere=sorted(map(_elsewhere, elsewhere), key=lambda key: key.name) or None,
        selectable=False,
    )


def _column(column: Column) -> CatalogColumn:
    return CatalogColumn(
        name=column.name,
        type=column.type,
        nullable=column.nullable,
        default_value=column.default,
        comment=column.comment,
        identity="by default" if column.identity else None,
        generated=column.expression,
    )


def _key(key: Key) -> CatalogKey:
    return CatalogKey(name=key.name, columns=list(key.columns))


def _foreign(key: ForeignKey) -> CatalogForeignKey:
    return CatalogForeignKey(
        name=key.name,
        columns=list(key.columns),
        references_schema=key.to[1],
        references_table=key.to[2],
        references_columns=list(key.to_columns),
    )


def _elsewhere(key: ForeignKey) -> KeyElsewhere:
    return KeyElsewhere(
        name=key.name,
        columns=list(key.columns),
        references_database=key.to[0],
        references_schema=key.to[1],
        references_table=key.to[2],
        references_columns=list(key.to_columns),
    )
