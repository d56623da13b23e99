"""What an account holds: databases down to columns, and the machines and people around them.

Tests build it by hand (`account.database("SHOP").schema("PUBLIC").table(...)`) or by `administer`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal

from tests.fakes.snowflake.datatypes import canonical

Kind = Literal[
    "table", "transient", "external", "dynamic", "iceberg", "hybrid", "event", "view", "secure_view", "materialized"
]
Rows = list[tuple[Any, ...]]

LONG_AGO = datetime(2024, 5, 1, 8, 30, 0, 123000, tzinfo=UTC)
_GRANTED_ON: dict[Kind, str] = {
    "external": "EXTERNAL TABLE",
    "dynamic": "DYNAMIC TABLE",
    "view": "VIEW",
    "secure_view": "VIEW",
    "materialized": "MATERIALIZED VIEW",
}


@dataclass
class Column:
    """A column; its type in Snowflake's words, with or without parts."""

    name: str
    type: str = "NUMBER(38,0)"
    nullable: bool = True
    default: str | None = None
    """As it would be written in SQL."""
    identity: str | None = None
    """For example `IDENTITY START 1 INCREMENT 1 NOORDER`."""
    comment: str | None = None
    expression: str | None = None
    """Of a virtual column."""
    tags: dict[str, str] = field(default_factory=dict)
    """Value by the tag's whole name, `DB.SCHEMA.TAG`."""
    masking_policy: str | None = None
    """The policy's whole name."""

    def __post_init__(self) -> None:
        self.type = canonical(self.type)


def _column(text: str) -> Column:
    name, _, type_ = text.partition(" ")
    return Column(name, type_)


@dataclass
class Key:
    """A primary or unique key."""

    columns: tuple[str, ...]
    name: str = ""
    rely: bool = False
    comment: str | None = None


@dataclass
class ForeignKey:
    """A foreign key; what it refers to may be anywhere in the account."""

    columns: tuple[str, ...]
    to: tuple[str, str, str]
    to_columns: tuple[str, ...]
    name: str = ""
    to_name: str = ""
    """The name of the key that it refers to."""
    rely: bool = False
    comment: str | None = None


@dataclass
class Index:
    """An index of a hybrid table."""

    name: str
    columns: tuple[str, ...]
    unique: bool = False
    included: tuple[str, ...] = ()


@dataclass
class Relation:
    """A table or a view, of any kind."""

    name: str
    kind: Kind = "table"
    columns: list[Column] = field(default_factory=list)
    primary_key: Key | None = None
    unique_keys: list[Key] = field(default_factory=list)
    foreign_keys: list[ForeignKey] = field(default_factory=list)
    indexes: list[Index] = field(default_factory=list)
    rows: Rows = field(default_factory=list)
    row_count: int | None = None
    """What SHOW TABLES tells instead of the number of rows that are held here."""
    bytes: int | None = 4096
    comment: str | None = None
    cluster_by: str = ""
    text: str = ""
    """Of the statement that made a view."""
    reads: list[str] = field(default_factory=list)
    """What OBJECT_DEPENDENCIES lists for a view, as `DATABASE.SCHEMA.NAME`."""
    owner: str = "SYSADMIN"
    tags: dict[str, str] = field(default_factory=dict)
    created: datetime = LONG_AGO
    altered: datetime = LONG_AGO
    dropped: datetime | None = None

    @property
    def last_ddl(self) -> datetime:
        """When it was made or altered last: https://docs.snowflake.com/en/sql-reference/info-schema/tables"""
        return max(self.created, self.altered)

    @property
    def is_view(self) -> bool:
        """Whether SHOW VIEWS lists it, and not SHOW TABLES."""
        return self.kind in ("view", "secure_view", "materialized")

    @property
    def granted_on(self) -> str:
        """Its kind in grants."""
        return _GRANTED_ON.get(self.kind, "TABLE")

    @property
    def counted_rows(self) -> int | None:
        """What SHOW TABLES says; external tables have no count."""
        if self.kind == "external":
            return None
        return len(self.rows) if self.row_count is None else self.row_count


@dataclass
class Schema:
    """A schema; tables and views share its names."""

    name: str
    owner: str = "SYSADMIN"
    comment: str | None = None
    managed_access: bool = False
    relations: dict[str, Relation] = field(default_factory=dict)
    dropped_relations: list[Relation] = field(default_factory=list)
    tags: dict[str, str] = field(default_factory=dict)
    created: datetime = LONG_AGO
    dropped: datetime | None = None

    def add(self, relation: Relation) -> Relation:
        """Put a table or view here."""
        self.relations[relation.name] = relation
        return relation

    def table(self, name: str, columns: Sequence[Column | str], **more: Any) -> Relation:
        """Put a table here; a column that is text is `NAME TYPE`."""
        made = [_column(each) if isinstance(each, str) else each for each in columns]
        return self.add(Relation(name, columns=made, **more))

    def view(self, name: str, text: str, columns: Sequence[Column | str] = (), **more: Any) -> Relation:
        """Put a view here, with the statement that made it."""
        return self.table(name, columns, text=text, **{"kind": "view", **more})


@dataclass
class Database:
    """A database; its INFORMATION_SCHEMA is made where it is shown."""

    name: str
    owner: str = "SYSADMIN"
    comment: str | None = None
    origin: str = ""
    schemas: dict[str, Schema] = field(default_factory=dict)
    dropped_schemas: list[Schema] = field(default_factory=list)
    tags: dict[str, str] = field(default_factory=dict)
    created: datetime = LONG_AGO
    dropped: datetime | None = None

    def schema(self, name: str, **more: Any) -> Schema:
        """A schema, made where it is not there."""
        if name not in self.schemas:
            self.schemas[name] = Schema(name, **more)
        return self.schemas[name]


@dataclass
class Warehouse:
    """A warehouse."""

    name: str
    size: str = "X-Small"
    owner: str = "SYSADMIN"
    suspended: bool = False
    auto_resume: bool = True
    auto_suspend: int | None = 60
    resume_seconds: float = 0.0
    quota_spent: bool = False
    """A resource monitor keeps it suspended."""
    kind: str = "STANDARD"
    resumed: int = 0
    """How often a query woke it."""


@dataclass
class User:
    """Someone who logs in, and by what."""

    name: str
    password: str | None = None
    public_keys: list[str] = field(default_factory=list)
    """PEM; Snowflake allows two."""
    oauth_tokens: set[str] = field(default_factory=set)
    access_tokens: set[str] = field(default_factory=set)
    workloads: set[tuple[str, str]] = field(default_factory=set)
    """Provider (`AWS`, `OIDC`) and subject: the ARN, or issuer and subject with a space between."""
    second_factor: bool = False
    """Its password alone is not enough."""
    disabled: bool = False
    kept_out: bool = False
    """A network policy does not let its addresses in."""
    default_role: str | None = None
    default_warehouse: str | None = None
    secondary_roles: bool = True
    """DEFAULT_SECONDARY_ROLES is ('ALL') unless it is set otherwise:
    https://docs.snowflake.com/en/release-notes/bcr-bundles/2024_08/bcr-1692"""
    roles: set[str] = field(default_factory=set)
