"""Reads the columns of all tables and views, whether `SHOW COLUMNS` or `INFORMATION_SCHEMA` has their types."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from tribal.adapters.snowflake import statements
from tribal.adapters.snowflake.connections.errors import is_too_much, is_unknown_object, is_without_warehouse
from tribal.adapters.snowflake.names import path
from tribal.adapters.snowflake.reading.listing import Listing
from tribal.adapters.snowflake.reading.questions import Questions
from tribal.adapters.snowflake.rows import INFORMATION_SCHEMA, ColumnRow, DescribedColumnRow, is_yes, number, text
from tribal.errors import DatabaseError
from tribal.ports import SchemaAndTable
from tribal.sql.dialect import string_literal
from tribal_contracts import CatalogColumn

Columns = dict[SchemaAndTable, list[CatalogColumn]]
_VIRTUAL = "VIRTUAL_COLUMN"


def read_columns(questions: Questions, listing: Listing, *, warehouse: bool) -> Columns:
    """The columns of each table and view in their order, of the database, else by schema, else by name or table.

    Args:
        warehouse: whether there is one, for `INFORMATION_SCHEMA`.
    """
    return _ColumnReader(questions, listing, warehouse).read()


class _ColumnReader:
    def __init__(self, questions: Questions, listing: Listing, warehouse: bool) -> None:
        self._questions = questions
        self._warehouse = warehouse
        self._names = listing.names()
        self._views = {(view.schema_name, view.name) for view in listing.views}
        self._external = {(row.schema_name, row.name) for row in listing.tables if is_yes(row.is_external)}

    def read(self) -> Columns:
        rows = self._questions.of_database(statements.COLUMNS, ColumnRow)
        if rows is not None:
            found = _by_table(rows)
        else:
            parts = self._questions.together(self._of_schema, list(self._names))
            found = {name: columns for part in parts for name, columns in part.items()}
        for names in self._names.values():
            # A table without any was made, or its grant was given, while this was read.
            found |= self._singly([name for name in names if name not in found])
        return found

    def _of_schema(self, schema: str) -> Columns:
        rows = self._questions.of_schema(statements.COLUMNS, schema, ColumnRow)
        if rows is not None:
            return _by_table(rows)
        return self._of_range(schema, self._names[schema], whole=True) if self._warehouse else {}

    def _of_range(self, schema: str, names: Sequence[SchemaAndTable], *, whole: bool) -> Columns:
        """The columns of some tables of a schema, as far as `INFORMATION_SCHEMA` lists them."""
        try:
            answer = self._questions.ask(_range(self._questions.database, schema, names, whole=whole))
        except DatabaseError as error:
            # Without the warehouse after all, single tables are asked about.
            if is_unknown_object(error) or is_without_warehouse(error):
                return {}
            if not is_too_much(error):
                raise
            middle = len(names) // 2
            halves = (names[:middle], names[middle:]) if middle else ()
            return {
                name: columns for half in halves for name, columns in self._of_range(schema, half, whole=False).items()
            }
        return self._described(schema, answer.as_rows(DescribedColumnRow))

    def _singly(self, names: Sequence[SchemaAndTable]) -> Columns:
        found: Columns = {}
        for scope, part in (
            ("TABLE", [name for name in names if name not in self._views]),
            ("VIEW", [name for name in names if name in self._views]),
        ):
            for _, rows in self._questions.singly(statements.COLUMNS, part, ColumnRow, "columns", scope):
                found |= _by_table(rows)
        return found

    def _described(self, schema: str, rows: Sequence[DescribedColumnRow]) -> Columns:
        """The columns of the tables that `INFORMATION_SCHEMA` lists completely."""
        partly = self._external | {(schema, row.table_name) for row in rows if _is_in_show_only(row)}
        found: dict[SchemaAndTable, list[DescribedColumnRow]] = defaultdict(list)
        for row in rows:
            if (schema, row.table_name) not in partly:
                found[schema, row.table_name].append(row)
        return {
            name: [_described(row) for row in sorted(columns, key=lambda row: number(row.ordinal_position) or 0)]
            for name, columns in found.items()
        }


def _by_table(rows: Iterable[ColumnRow]) -> Columns:
    found: Columns = defaultdict(list)
    for row in rows:
        if row.schema_name != INFORMATION_SCHEMA:
            found[row.schema_name, row.table_name].append(_shown(row))
    return dict(found)


def _range(database: str, schema: str, names: Sequence[SchemaAndTable], *, whole: bool) -> str:
    parts: Mapping[str, str] = {"database": path(database), "schema": string_literal(schema)}
    if whole:
        return statements.COLUMNS_OF_SCHEMA.format(**parts)
    first, last = string_literal(names[0][1]), string_literal(names[-1][1])
    return statements.COLUMNS_OF_RANGE.format(**parts, first=first, last=last)


def _shown(row: ColumnRow) -> CatalogColumn:
    written, nullable = _shown_type(row.data_type)
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
        type=_described_type(row),
        nullable=is_yes(row.is_nullable),
        default_value=None if identity else text(row.column_default),
        comment=text(row.comment),
        identity="by default" if identity else None,
        generated=None,
    )


_NAMES = {"FIXED": "NUMBER", "TEXT": "VARCHAR", "REAL": "FLOAT", "TIMESTAMP": "TIMESTAMP_NTZ"}
_WITH_LENGTH = frozenset({"VARCHAR", "BINARY"})
_WITH_FRACTION = frozenset({"TIME", "TIMESTAMP_NTZ", "TIMESTAMP_LTZ", "TIMESTAMP_TZ"})
_SAME = {"DOUBLE": "FLOAT", "DOUBLE PRECISION": "FLOAT", "CHARACTER VARYING": "VARCHAR", "DECIMAL": "NUMBER"}
_DEFAULT_LENGTH = {"VARCHAR": 16_777_216, "BINARY": 8_388_608}
_FRACTION = 9
_IN_SHOW_ONLY = frozenset({"VECTOR"})
"""Types with parts that `INFORMATION_SCHEMA.COLUMNS` has no fields for."""


@lru_cache(maxsize=1024)
def _shown_type(data_type: str) -> tuple[str, bool | None]:
    """The type that `SHOW COLUMNS` gives as JSON, and whether the column may be null.

    A type in another form than JSON is taken as it is.
    """
    try:
        parts = json.loads(data_type)
    except ValueError:
        return data_type, None
    if not isinstance(parts, dict) or not isinstance(parts.get("type"), str):
        return data_type, None
    nullable = parts.get("nullable")
    return _written(parts), nullable if isinstance(nullable, bool) else None


def _written(parts: dict[str, Any]) -> str:
    name = str(_NAMES.get(parts["type"], parts["type"]))
    if name == "NUMBER":
        return _number(number(parts.get("precision")), number(parts.get("scale")))
    if name in _WITH_LENGTH:
        return _with(name, number(parts.get("length")))
    if name in _WITH_FRACTION:
        return _with(name, number(parts.get("scale")))
    if name == "VECTOR":
        return _vector(parts)
    return name


def _vector(parts: dict[str, Any]) -> str:
    element = parts.get("vectorElementType", parts.get("elementType"))
    if isinstance(element, dict):
        element = element.get("type")
    dimension = number(parts.get("dimension"))
    if not isinstance(element, str) or dimension is None:
        return "VECTOR"
    return f"VECTOR({ {'REAL': 'FLOAT', 'FIXED': 'INT'}.get(element, element) }, {dimension})"


def _described_type(row: DescribedColumnRow) -> str:
    """The type that `INFORMATION_SCHEMA.COLUMNS` gives in several fields."""
    name = _SAME.get(row.data_type, _NAMES.get(row.data_type, row.data_type))
    if name == "NUMBER":
        return _number(number(row.numeric_precision), number(row.numeric_scale))
    if name in _WITH_LENGTH:
        return _with(name, number(row.character_maximum_length))
    if name in _WITH_FRACTION:
        return _with(name, number(row.datetime_precision))
    return name


def _is_in_show_only(row: DescribedColumnRow) -> bool:
    """Whether `INFORMATION_SCHEMA` may leave out parts of the type."""
    return row.data_type in _IN_SHOW_ONLY


def _number(precision: int | None, scale: int | None) -> str:
    return f"NUMBER({38 if precision is None else precision},{scale or 0})"


def _with(name: str, size: int | None) -> str:
    default = _DEFAULT_LENGTH.get(name, _FRACTION)
    return f"{name}({default if size is None else size})"
