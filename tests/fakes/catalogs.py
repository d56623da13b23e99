"""Small catalogs made by hand, and a reader that serves one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tribal.errors import DatabaseError
from tribal.key_inference import KeyPair, Overlap
from tribal.ports import AccessReport, CatalogContents, Presence, SchemaAndTable, Statement, TableSample
from tribal_contracts import (
    CatalogColumn,
    CatalogForeignKey,
    CatalogKey,
    CatalogSchema,
    CatalogTable,
    TableStatistics,
)


def column(name: str, kind: str = "integer", *, nullable: bool = True, comment: str | None = None) -> CatalogColumn:
    """A column without a default."""
    return CatalogColumn(name=name, type=kind, nullable=nullable, default_value=None, comment=comment)


def table(
    name: str, *columns: CatalogColumn, references: Sequence[tuple[str, str]] = (), comment: str | None = None
) -> CatalogTable:
    """A table with an `id`; `name` is `schema.table`, `references` pairs a column with the table that it points at."""
    schema, _, short = name.partition(".")
    keys = []
    for from_column, target in references:
        to_schema, _, to_table = target.partition(".")
        keys.append(
            CatalogForeignKey(
                name=f"{short}_{from_column}_fkey",
                columns=[from_column],
                references_schema=to_schema,
                references_table=to_table,
                references_columns=["id"],
            )
        )
    return CatalogTable(
        schema_name=schema,
        table_name=short,
        kind="table",
        comment=comment,
        columns=[column("id", nullable=False), *columns, *(column(name) for name, _ in references)],
        primary_key=CatalogKey(name=f"{short}_pkey", columns=["id"]),
        unique_keys=[],
        foreign_keys=keys,
        indexes=[],
        checks=[],
        selectable=True,
    )


@dataclass
class HandMadeReader:
    """Serves the tables that it is given; `failure` is raised by every method instead.

    It compares the pairs of columns in `compared`, and no others.
    """

    tables: Sequence[CatalogTable]
    rows: int = 10
    unreadable: tuple[str, ...] = ()
    hidden: frozenset[SchemaAndTable] = frozenset()
    failure: DatabaseError | None = None
    compared: Mapping[KeyPair, Overlap] = field(default_factory=dict)
    server_databases: tuple[str, ...] = ("shop_prod",)
    asked: list[str] = field(default_factory=list)
    closed: bool = False

    def _ask(self, what: str) -> None:
        self.asked.append(what)
        if self.failure is not None:
            raise self.failure

    def read(self) -> CatalogContents:
        self._ask("read")
        schemas = sorted({table.schema_name for table in self.tables})
        return CatalogContents(
            server_database="shop_prod",
            server_version="18.0",
            schemas=tuple(CatalogSchema(name=name) for name in schemas),
            unreadable_schemas=self.unreadable,
            tables=tuple(sorted(self.tables, key=lambda table: (table.schema_name, table.table_name))),
            statistics={
                (table.schema_name, table.table_name): TableStatistics(row_count=self.rows, size_bytes=8192)
                for table in self.tables
            },
        )

    def sample(self, table: CatalogTable, rows: int) -> TableSample:
        self._ask(f"sample {table.table_name}")
        columns = tuple(column.name for column in table.columns)
        return TableSample(columns, tuple(tuple(str(n) for _ in columns) for n in range(min(rows, 3))))

    def overlaps(self, table: CatalogTable, row_count: int, pairs: Sequence[KeyPair]) -> Mapping[KeyPair, Overlap]:
        self._ask(f"overlaps {table.table_name} ({row_count}) {len(pairs)}")
        return {pair: self.compared[pair] for pair in pairs} if set(pairs) <= set(self.compared) else {}

    def presence(self, tables: Sequence[SchemaAndTable]) -> dict[SchemaAndTable, Presence]:
        self._ask("presence")
        present = {(table.schema_name, table.table_name) for table in self.tables}
        return {key: "unreadable" if key in self.hidden else "present" if key in present else "gone" for key in tables}

    def access(self) -> AccessReport:
        self._ask("access")
        return AccessReport("shop_prod", "18.0", "reader", (), (), len(self.tables), len(self.tables), ())

    def databases(self) -> tuple[str, ...]:
        self._ask("databases")
        return self.server_databases

    def statements(self) -> list[Statement]:
        return []

    def close(self) -> None:
        self.closed = True
