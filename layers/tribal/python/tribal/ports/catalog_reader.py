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
    folded: frozenset[SchemaAndTable] = frozenset()
    """Tables treated as part of another because they inherit all their columns from it."""
    locked: frozenset[SchemaAndTable] = frozenset()
    """Tables with expressions that could not be read because of a lock; a placeholder stands in their place."""
    changed: frozenset[SchemaAndTable] = frozenset()
    """Tables that another session changed or dropped while they were read, so that what was read may not fit."""
    broken: tuple[BrokenTexts, ...] = ()
    """Texts that the server fails to render; a placeholder is in their place, and the rest of the table is right."""
    unread: tuple[UnreadPart, ...] = ()
    """What could not be read whole; tables that would be told wrongly for it are left out of `tables`."""
    unread_tables: frozenset[SchemaAndTable] = frozenset()
    """Tables that are there but were left out, since their columns, keys or indexes could not be read whole."""
    costs: tuple[str, ...] = ()
    """What sampling its tables costs, with the arithmetic; nothing where that is free."""
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
    """What the server is."""
    role: str | None = None
    """The role in use, where a login has several."""
    warnings: tuple[str, ...] = ()
    """What an administrator should know, such as that the user can write."""
    script: str | None = None
    """SQL with which an administrator creates a user that may read what has to be read, and nothing else."""
    costs: tuple[str, ...] = ()
    """What a run costs, with the arithmetic; nothing where reading is free."""
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
    """A part of the structure that could not be read whole, and why."""

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
        """How many of the distinct values of a table's columns are found among those that they may reference.

        The values of a bounded number of rows, the same ones as long as the data is unchanged, are looked for among all
        rows of the other table. No value is fetched, only counts. All pairs are compared at once, so that one that
        cannot be, since the user may not select, a table is gone or locked, or the time is up, leaves all missing.

        Args:
            table: a table or partitioned table, which the pairs are from.
            row_count: an estimate of its rows; -1 where unknown.
            pairs: of any tables of the database, with columns of types that can be compared.
        """
        ...

    def presence(self, tables: Sequence[SchemaAndTable]) -> dict[SchemaAndTable, Presence]:
        """Whether each table certainly exists, is certainly gone, or is hidden from this user."""
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
