"""The rows of `SHOW` and of the views that are read, by the names of their fields; missing ones get defaults."""

from __future__ import annotations

from typing import Any, NamedTuple

INFORMATION_SCHEMA = "INFORMATION_SCHEMA"
"""The schema of every database that describes it; it is not documented."""


class DatabaseRow(NamedTuple):
    """A row of `SHOW DATABASES`."""

    name: str


class SchemaRow(NamedTuple):
    """A row of `SHOW SCHEMAS`."""

    name: str
    owner: str | None = None
    comment: str | None = None


class TableRow(NamedTuple):
    """A row of `SHOW TABLES`."""

    name: str
    schema_name: str
    kind: str | None
    comment: str | None
    rows: Any
    bytes: Any
    cluster_by: str | None = None
    is_external: str | None = None
    is_dynamic: str | None = None
    is_iceberg: str | None = None
    is_hybrid: str | None = None


class ViewRow(NamedTuple):
    """A row of `SHOW VIEWS`."""

    name: str
    schema_name: str
    comment: str | None
    text: str | None
    is_secure: str | None
    is_materialized: str | None


class ColumnRow(NamedTuple):
    """A row of `SHOW COLUMNS`; rows come in the order of the columns."""

    table_name: str
    schema_name: str
    column_name: str
    data_type: str
    default: str | None
    kind: str | None
    expression: str | None
    comment: str | None
    autoincrement: str | None


class DescribedColumnRow(NamedTuple):
    """A row of `COLUMNS_OF_SCHEMA`."""

    table_name: str
    column_name: str
    ordinal_position: Any
    column_default: str | None
    is_nullable: str
    data_type: str
    character_maximum_length: Any
    numeric_precision: Any
    numeric_scale: Any
    datetime_precision: Any
    is_identity: str | None
    comment: str | None


class KeyRow(NamedTuple):
    """A row of `SHOW PRIMARY KEYS` and `SHOW UNIQUE KEYS`: one column of a key."""

    schema_name: str
    table_name: str
    column_name: str
    key_sequence: Any
    constraint_name: str


class ImportedKeyRow(NamedTuple):
    """A row of `SHOW IMPORTED KEYS`: one pair of columns of a foreign key."""

    pk_database_name: str
    pk_schema_name: str
    pk_table_name: str
    pk_column_name: str
    fk_database_name: str
    fk_schema_name: str
    fk_table_name: str
    fk_column_name: str
    key_sequence: Any
    fk_name: str
    update_rule: str | None = None
    delete_rule: str | None = None


class IndexRow(NamedTuple):
    """A row of `SHOW INDEXES`."""

    name: str
    is_unique: str | None
    columns: str | None


class GrantRow(NamedTuple):
    """A row of `SHOW GRANTS TO ROLE`."""

    privilege: str
    granted_on: str
    name: str


class WarehouseRow(NamedTuple):
    """A row of `SHOW WAREHOUSES`."""

    name: str
    type: str | None = None
    size: str | None = None


def is_yes(value: str | None) -> bool:
    """Whether a field says so; some commands write `Y`, others `true`."""
    return str(value).strip().lower() in ("y", "yes", "true")


def number(value: Any) -> int | None:
    """A count, if the field has one."""
    try:
        return None if value is None or isinstance(value, bool) else int(value)
    except (TypeError, ValueError):
        return None


def text(value: str | None) -> str | None:
    """A text, or `None` where the server writes an empty one for nothing."""
    return value or None
