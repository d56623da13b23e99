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
    from tribal.key_inference import KeyPair, Overlap

_TEXTS_SHOWN = 3
SchemaAndTable = tuple[str, str]
Presence = Literal["present", "gone", "unreadable"]


def name_of(table: CatalogTable) -> SchemaAndTable:
    """A table's schema and name."""
    return table.schema_name, table.table_name


@dataclass(frozen=True, slots=True)
class CatalogContents:
    """The structure of one database; tables are ordered by schema and name."""

    server_database: str
    server_version: str
    schemas: tuple[CatalogSchema, ...]
    unreadable_schemas: tuple[str, ...]
    tables: tuple[CatalogTable, ...]
    statistics: Mapping[SchemaAndTable, TableStatistics]
    routines: tuple[SchemaAndTable, ...] = ()
    """Schema and name of each routine that only reads and computes, in all its overloads."""
    folded: frozenset[SchemaAndTable] = frozenset()
    """Tables treated as part of another because they inherit all their columns from it."""
    locked: frozenset[SchemaAndTable] = frozenset()
    """Tables with expressions that could not be read because of a lock; placeholders replace them."""
    changed: frozenset[SchemaAndTable] = frozenset()
    """Tables that another session changed or dropped during the read, so that the result may be inconsistent."""
    broken: tuple[BrokenTexts, ...] = ()
    """Texts that the server fails to render; placeholders replace them, and the rest of the table is correct."""
    unread: tuple[UnreadPart, ...] = ()
    """Parts that could not be read completely; tables that would be wrong are left out of `tables`."""
    unread_tables: frozenset[SchemaAndTable] = frozenset()
    """Tables left out because their columns, keys or indexes could not be read completely."""
    costs: tuple[str, ...] = ()
    """The cost of sampling, with the calculation; empty if sampling is free."""
    unreadable_texts: tuple[str, ...] = ()
    """Where text was not valid in any encoding that the database names, such as "the comment on public.t"."""


@dataclass(frozen=True, slots=True)
class TableSample:
    """Some rows of a table as text, in a repeatable order; long values are truncated. No columns: nothing was read."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str | None, ...], ...]


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement that a reader may send; `{...}` marks placeholders."""

    purpose: str
    sql: str


@dataclass(frozen=True, slots=True)
class MissingGrant:
    """An object that this user may not read, and the GRANT with which an administrator can allow it."""

    what: str
    grant: str


@dataclass(frozen=True, slots=True)
class AccessReport:
    """What a user can and cannot read in a database."""

    server_database: str
    server_version: str
    user: str
    readable_schemas: tuple[str, ...]
    unreadable_schemas: tuple[str, ...]
    tables_total: int
    tables_selectable: int
    missing: tuple[MissingGrant, ...]
    product: str = "PostgreSQL"
    """The database product."""
    role: str | None = None
    """The role in use, if a login can have several."""
    warnings: tuple[str, ...] = ()
    """What an administrator should know, such as that the user can write."""
    script: str | None = None
    """SQL for an administrator to create a user with only the required rights."""
    costs: tuple[str, ...] = ()
    """The cost of a run, with the calculation; empty if reading is free."""
    broken: tuple[BrokenTexts, ...] = ()
    """Texts that the server fails to render."""


@dataclass(frozen=True, slots=True)
class BrokenTexts:
    """Texts of a table that the server fails to render, for example because the catalog lacks what they mention."""

    schema: str
    table: str
    texts: tuple[str, ...]
    """Such as "the definition" or "check 'positive'"."""
    sqlstate: str

    def described(self) -> str:
        """What cannot be read, for messages."""
        shown = ", ".join(self.texts[:_TEXTS_SHOWN]) + ", and more" * (len(self.texts) > _TEXTS_SHOWN)
        name = f"{self.schema}.{self.table}"
        return (
            f"the server cannot render {shown} of {name!r} (SQLSTATE {self.sqlstate}); the rest is documented. Repair "
            f"or drop it, or exclude it in databases.yaml: exclude: {{tables: [{name}]}}"
        )


@dataclass(frozen=True, slots=True)
class UnreadPart:
    """A part of the structure that could not be read completely, and why."""

    what: str
    """Such as "the columns of the schema sales"."""
    reason: str
    """What happened, and what to do."""


class CatalogReader(Protocol):
    """Reads one database, and never writes.

    Raises, from every method: `DatabaseUnreachable`, `LoginRefused`, `ConnectionLost`, `StatementTimedOut`.
    """

    def read(self) -> CatalogContents:
        """Read the whole structure, in a fixed number of queries however many tables there are."""
        ...

    def sample(self, table: CatalogTable, rows: int) -> TableSample:
        """At most `rows` rows, the same ones as long as the data is unchanged; from a view, its first rows.

        Raises:
            TableGone: when the table no longer exists.
            AccessDenied: when the user may not select from it.
        """
        ...

    def overlaps(self, table: CatalogTable, row_count: int, pairs: Sequence[KeyPair]) -> Mapping[KeyPair, Overlap]:
        """Count the distinct values of columns that exist in the columns that they may reference.

        Compares the values of a bounded number of rows, the same ones as long as the data is unchanged, with all rows
        of the other table. Fetches only counts, no values. All pairs are compared in one statement: if one of them
        fails, because of a missing right, a missing or locked table, or a timeout, all results are missing.

        Args:
            table: the table or partitioned table with the referencing columns.
            row_count: estimated number of rows; -1 if unknown.
            pairs: pairs of columns with comparable types; the second may be in any table of the database.
        """
        ...

    def presence(self, tables: Sequence[SchemaAndTable]) -> dict[SchemaAndTable, Presence]:
        """Whether each table exists, is gone, or may be hidden from this user."""
        ...

    def access(self) -> AccessReport:
        """What this user can and cannot read."""
        ...

    def databases(self) -> tuple[str, ...]:
        """Names of all databases of the server that this user may connect to, without templates, in order."""
        ...

    def statements(self) -> list[Statement]:
        """Every statement that this reader may send."""
        ...

    def close(self) -> None:
        """Close every connection; the reader cannot be used afterwards."""
        ...
