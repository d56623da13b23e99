"""Assembles the rows of the catalog queries into tables. Pure: rows in, contracts out, in a deterministic order."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from tribal.adapters.postgres.domains import TypeNotes
from tribal.adapters.postgres.inheritance import fold_inheriting_tables
from tribal.adapters.postgres.rows import (
    CatalogRows,
    ColumnRow,
    ConstraintRow,
    IndexRow,
    SchemaRow,
    ServerRow,
    TableRow,
)
from tribal.ports import CatalogContents
from tribal_contracts import (
    CatalogCheck,
    CatalogColumn,
    CatalogForeignKey,
    CatalogIndex,
    CatalogKey,
    CatalogSchema,
    CatalogTable,
    TableKind,
    TableStatistics,
)

UNKNOWN = -1
NOT_READ = "(not read: the table was locked)"
"""Placeholder for an expression that could not be read because of a lock; the next reading fills it in."""

_VIEW_NOT_READ = f"-- {NOT_READ}"

KINDS: Mapping[str, TableKind] = {
    "r": "table",
    "p": "partitioned_table",
    "v": "view",
    "m": "materialized_view",
    "f": "foreign_table",
}
_ACTIONS = {"r": "RESTRICT", "c": "CASCADE", "n": "SET NULL", "d": "SET DEFAULT"}
_IDENTITIES: Mapping[str, Literal["always", "by default"]] = {"a": "always", "d": "by default"}


class _Expressions:
    """Expression texts by the object they belong to."""

    def __init__(self, rows: Iterable[Sequence[Any]]) -> None:
        self._texts = {(kind, owner, place): text for kind, owner, place, text in rows}

    def of(self, kind: str, owner: int, place: int = 0) -> str:
        return self._texts.get((kind, owner, place)) or NOT_READ

    def view(self, table: int) -> str:
        text = self._texts.get(("view", table, 0))
        return _VIEW_NOT_READ if text is None else text.strip().removesuffix(";")


def assemble(rows: CatalogRows) -> CatalogContents:
    """Build the contents of a database, without objects in schemas that the user may not use."""
    rows, folded = fold_inheriting_tables(rows)
    server = ServerRow(*rows.server[0])
    schemas = sorted((SchemaRow(*row) for row in rows.schemas), key=lambda schema: schema.name)
    listed = {schema.name for schema in schemas}
    heads = sorted((TableRow(*row) for row in rows.tables), key=lambda table: (table.schema, table.name))
    # A schema that belongs to an extension is listed too when it holds a user's table.
    extra = sorted({head.schema for head in heads if head.usable} - listed)
    parts = _Parts(rows)
    tables = tuple(parts.table(head) for head in heads if head.usable)
    return CatalogContents(
        server_database=server.database,
        server_version=server.version,
        schemas=tuple(
            sorted(
                [
                    *(CatalogSchema(name=schema.name, comment=schema.comment) for schema in schemas if schema.usable),
                    *(CatalogSchema(name=name) for name in extra),
                ],
                key=lambda schema: schema.name,
            )
        ),
        unreadable_schemas=tuple(schema.name for schema in schemas if not schema.usable),
        tables=tables,
        statistics={(head.schema, head.name): _statistics(head) for head in heads if head.usable},
        folded=folded,
        locked=frozenset((table.schema_name, table.table_name) for table in tables if _lacks_a_text(table)),
    )


def _lacks_a_text(table: CatalogTable) -> bool:
    # No expression from the server can equal the placeholder.
    texts = [check.expression for check in table.checks]
    texts += [column.generated or "" for column in table.columns]
    for index in table.indexes:
        texts += [*index.columns, index.predicate or ""]
    return NOT_READ in texts or table.view_definition == _VIEW_NOT_READ


def _statistics(head: TableRow) -> TableStatistics:
    if KINDS[head.kind] == "partitioned_table" and not head.partitions:
        return TableStatistics(row_count=0, size_bytes=0)
    if head.rows is None:
        return TableStatistics(row_count=UNKNOWN, size_bytes=head.size_bytes or UNKNOWN)
    return TableStatistics(row_count=head.rows, size_bytes=UNKNOWN if head.size_bytes is None else head.size_bytes)


class _Parts:
    """The parts of all tables, by table oid."""

    def __init__(self, rows: CatalogRows) -> None:
        self._expressions = _Expressions(rows.expressions)
        self._types = TypeNotes(rows.types)
        self._enums: dict[int, list[str]] = {row[0]: row[1] for row in rows.enums}
        self._columns: dict[int, list[ColumnRow]] = defaultdict(list)
        self._constraints: dict[int, list[ConstraintRow]] = defaultdict(list)
        self._indexes: dict[int, list[IndexRow]] = defaultdict(list)
        for column in map(ColumnRow._make, rows.columns):
            self._columns[column.table].append(column)
        for constraint in map(ConstraintRow._make, rows.constraints):
            self._constraints[constraint.table].append(constraint)
        for index in map(IndexRow._make, rows.indexes):
            self._indexes[index.table].append(index)

    def table(self, head: TableRow) -> CatalogTable:
        kind = KINDS[head.kind]
        columns = sorted(self._columns[head.oid], key=lambda column: column.position)
        constraints = sorted(self._constraints[head.oid], key=lambda constraint: constraint.name)
        indexes = sorted(self._indexes[head.oid], key=lambda index: index.name)
        keys = [
            (each.kind, CatalogKey(name=each.name, columns=each.columns or []))
            for each in constraints
            if each.kind in "pu"
        ]
        return CatalogTable(
            schema_name=head.schema,
            table_name=head.name,
            kind=kind,
            comment=head.comment,
            columns=[self._column(column) for column in columns],
            primary_key=next((key for letter, key in keys if letter == "p"), None),
            unique_keys=[key for letter, key in keys if letter == "u"],
            foreign_keys=[_foreign_key(each) for each in constraints if each.kind == "f"],
            indexes=[self._index(index) for index in indexes],
            checks=[
                CatalogCheck(name=each.name, expression=self._expressions.of("check", each.oid))
                for each in constraints
                if each.kind == "c"
            ]
            + [check for column in columns for check in self._types.checks(column.declared_type_oid, column.name)],
            view_definition=self._expressions.view(head.oid) if kind in ("view", "materialized_view") else None,
            partition_count=(head.partitions or 0) if kind == "partitioned_table" else head.partitions,
            selectable=head.selectable,
        )

    def _column(self, row: ColumnRow) -> CatalogColumn:
        return CatalogColumn(
            name=row.name,
            type=row.type,
            nullable=not row.not_null,
            default_value=row.default,
            comment=row.comment or self._types.comment(row.declared_type_oid),
            identity=_IDENTITIES.get(row.identity),
            generated=self._expressions.of("generated", row.table, row.position) if row.generated else None,
            base_type=self._types.base(row.declared_type_oid),
            enum_values=self._enums.get(row.type_oid),
        )

    def _index(self, row: IndexRow) -> CatalogIndex:
        return CatalogIndex(
            name=row.name,
            columns=[
                self._expressions.of("index", row.oid, place) if column is None else column
                for place, column in enumerate(row.columns, start=1)
            ],
            unique=row.unique,
            predicate=self._expressions.of("predicate", row.oid) if row.partial else None,
        )


def _foreign_key(row: ConstraintRow) -> CatalogForeignKey:
    return CatalogForeignKey(
        name=row.name,
        columns=row.columns or [],
        references_schema=row.references_schema or "",
        references_table=row.references_table or "",
        references_columns=row.references_columns or [],
        on_update=_ACTIONS.get(row.on_update),
        on_delete=_ACTIONS.get(row.on_delete),
    )


def server_of(rows: Sequence[Sequence[Any]]) -> ServerRow:
    """The one row of `SERVER`."""
    return ServerRow(*rows[0])
