"""Reads the columns of all tables and views."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from tribal.adapters.snowflake import statements
from tribal.adapters.snowflake.connections.errors import is_too_much, is_unknown_object
from tribal.adapters.snowflake.names import literal, path
from tribal.adapters.snowflake.reading.listing import Listing
from tribal.adapters.snowflake.reading.questions import Questions
from tribal.adapters.snowflake.rows import INFORMATION_SCHEMA, ColumnRow, DescribedColumnRow, is_yes, number, text
from tribal.adapters.snowflake.types import described_type, is_told_by_show_only, shown_type
from tribal.errors import DatabaseError
from tribal.ports import SchemaAndTable
from tribal_contracts import CatalogColumn

Columns = dict[SchemaAndTable, list[CatalogColumn]]
_VIRTUAL = "VIRTUAL_COLUMN"


def read_columns(questions: Questions, listing: Listing, *, warehouse: bool) -> Columns:
    """The columns of each table and view in their order, of the database, else by schema, else by name or table.

    Args:
        warehouse: whether there is one, for `INFORMATION_SCHEMA`.
    """
    return _Reading(questions, listing, warehouse).read()


class _Reading:
    def __init__(self, questions: Questions, listing: Listing, warehouse: bool) -> None:
        self._questions = questions
        self._warehouse = warehouse
        self._names = listing.names()
        self._views = {(view.schema_name, view.name) for view in listing.views}
        self._external = {(row.schema_name, row.name) for row in listing.tables if is_yes(row.is_external)}
        self._found: Columns = {}

    def read(self) -> Columns:
        rows = self._questions.of_database(statements.COLUMNS, ColumnRow)
        if rows is not None:
            self._take(rows)
        else:
            for schema, some in self._questions.of_schemas(statements.COLUMNS, self._names, ColumnRow):
                self._take_schema(schema, some)
        for names in self._names.values():
            # A table without any was made, or its grant was given, while this was read.
            self._read_singly([name for name in names if name not in self._found])
        return self._found

    def _take_schema(self, schema: str, rows: list[ColumnRow] | None) -> None:
        if rows is not None:
            self._take(rows)
        elif self._warehouse:
            self._read_range(schema, self._names[schema], whole=True)

    def _read_range(self, schema: str, names: Sequence[SchemaAndTable], *, whole: bool) -> None:
        try:
            answer = self._questions.ask(_range(self._questions.database, schema, names, whole=whole))
        except DatabaseError as error:
            if is_unknown_object(error):
                return
            if not is_too_much(error):
                raise
            middle = len(names) // 2
            for part in (names[:middle], names[middle:]) if middle else ():
                self._read_range(schema, part, whole=False)
            return
        self._take_described(schema, answer.as_rows(DescribedColumnRow))

    def _read_singly(self, names: Sequence[SchemaAndTable]) -> None:
        for scope, part in (
            ("TABLE", [name for name in names if name not in self._views]),
            ("VIEW", [name for name in names if name in self._views]),
        ):
            for _, rows in self._questions.singly(statements.COLUMNS, part, ColumnRow, "columns", scope):
                self._take(rows)

    def _take(self, rows: Iterable[ColumnRow]) -> None:
        found: Columns = defaultdict(list)
        for row in rows:
            if row.schema_name != INFORMATION_SCHEMA:
                found[row.schema_name, row.table_name].append(_shown(row))
        self._found.update(found)

    def _take_described(self, schema: str, rows: Sequence[DescribedColumnRow]) -> None:
        """Take columns, but of those tables whose columns `INFORMATION_SCHEMA` does not tell whole."""
        partly = self._external | {(schema, row.table_name) for row in rows if is_told_by_show_only(row)}
        found: dict[SchemaAndTable, list[DescribedColumnRow]] = defaultdict(list)
        for row in rows:
            if (schema, row.table_name) not in partly:
                found[schema, row.table_name].append(row)
        for name, columns in found.items():
            in_order = sorted(columns, key=lambda row: number(row.ordinal_position) or 0)
            self._found[name] = [_described(row) for row in in_order]


def _range(database: str, schema: str, names: Sequence[SchemaAndTable], *, whole: bool) -> str:
    parts: Mapping[str, str] = {"database": path(database), "schema": literal(schema)}
    if whole:
        return statements.COLUMNS_OF_SCHEMA.format(**parts)
    first, last = literal(names[0][1]), literal(names[-1][1])
    return statements.COLUMNS_OF_RANGE.format(**parts, first=first, last=last)


def _shown(row: ColumnRow) -> CatalogColumn:
    written, nullable = shown_type(row.data_type)
    identity = bool(row.autoincrement)
    return CatalogColumn(
        name=row.column_name,
        type=written,
        nullable=nullable is not False,
        default_value=None if identity else text(row.default),
        comment=text(row.comment),
        identity="by default" if identity else None,
        generated=text(row.expression) if row.kind == _VIRTUAL else None,
    )


def _described(row: DescribedColumnRow) -> CatalogColumn:
    identity = is_yes(row.is_identity)
    return CatalogColumn(
        name=row.column_name,
        type=described_type(row),
        nullable=is_yes(row.is_nullable),
        default_value=None if identity else text(row.column_default),
        comment=text(row.comment),
        identity="by default" if identity else None,
        generated=None,
    )
