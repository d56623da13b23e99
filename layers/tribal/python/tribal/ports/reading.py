"""Reading a database."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

from tribal_contracts import (
    CatalogSchema,
    CatalogTable,
    TableStatistics,
)

if TYPE_CHECKING:
    pass

SchemaAndTable = tuple[str, str]
Presence = Literal["present", "gone", "unreadable"]


@dataclass(frozen=True, slots=True)
class CatalogContents:
    """The structure of one database; tables are in order of schema and name."""

    server_database: str
    server_version: str
    schemas: tuple[CatalogSchema, ...]
    unreadable_schemas: tuple[str, ...]
    tables: tuple[CatalogTable, ...]
    statistics: Mapping[SchemaAndTable, TableStatistics]
    folded: frozenset[SchemaAndTable] = frozenset()
    """Tables that are part of another, which they inherit everything from."""
    locked: frozenset[SchemaAndTable] = frozenset()
    """Tables of which some texts could not be read because somebody held a lock; they stand as a remark instead."""


@dataclass(frozen=True, slots=True)
class TableSample:
    """Some rows of a table as text, in a repeatable order; values are cut to a bounded length."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str | None, ...], ...]


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement that a reader may send; `{...}` marks what it fills in."""

    purpose: str
    sql: str


@dataclass(frozen=True, slots=True)
class MissingGrant:
    """Something that this user may not read, and the statement that an administrator runs to allow it."""

    what: str
    grant: str


@dataclass(frozen=True, slots=True)
class AccessReport:
    """What a user can and cannot read of a database."""

    server_database: str
    server_version: str
    user: str
    readable_schemas: tuple[str, ...]
    unreadable_schemas: tuple[str, ...]
    tables_total: int
    tables_selectable: int
    missing: tuple[MissingGrant, ...]


class CatalogReader(Protocol):
    """Reads one database, and never writes.

    Raises, from every method: `DatabaseUnreachable`, `LoginRefused`, `ConnectionLost`, `StatementTimedOut`.
    """

    def read(self) -> CatalogContents:
        """The whole structure, in a few set-based queries whatever the number of tables."""
        ...

    def sample(self, table: CatalogTable, rows: int) -> TableSample:
        """At most `rows` rows, the same ones while the data stays the same; of a view only what it gives first.

        Raises:
            TableGone: when the table is not there any more.
            AccessDenied: when it may not be selected from.
        """
        ...

    def presence(self, tables: Sequence[SchemaAndTable]) -> dict[SchemaAndTable, Presence]:
        """Whether each table is positively there, positively gone, or hidden from this user."""
        ...

    def access(self) -> AccessReport:
        """What this user can and cannot read."""
        ...

    def statements(self) -> list[Statement]:
        """Every statement that this reader would ever send."""
        ...

    def close(self) -> None:
        """Close every connection; the reader is of no further use."""
        ...
