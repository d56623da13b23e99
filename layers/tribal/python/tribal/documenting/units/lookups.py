"""Reads look-up tables: the codes that columns of other tables may have, and what they mean."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence

from tribal.errors import DatabaseError, ServerUnavailable
from tribal.masking import LookupRows, detect_by_name, mask_lookup, may_be_lookup
from tribal.ports import CatalogReader, LookupValues, TableSample
from tribal.rendering.words import shorten
from tribal.sql.type_families import type_family
from tribal_contracts import CatalogColumn, CatalogTable

MOST_ROWS = 50
"""A longer list is left out: a part of it would say little. Source: the contract of `allowed_values`."""
_MOST_TEXTS = 5
"""Columns that may hold the meanings. By judgement: the name of a code is among the first."""
_MEANING_CHARS = 120
"""Source: as comments in compact DDL (X8)."""
_Place = tuple[str, str]


class Lookups:
    """The look-up tables of a unit, each read once at most; thread-safe.

    Args:
        tables: those that may be look-up lists; each may be sampled.
    """

    def __init__(self, tables: Iterable[CatalogTable], reader: CatalogReader) -> None:
        self._tables = {(table.schema_name, table.table_name): table for table in tables}
        self._reader = reader
        self._known: dict[tuple[_Place, str], LookupRows | DatabaseError] = {}
        self._lock = threading.Lock()

    def of(self, table: CatalogTable) -> tuple[dict[str, LookupValues], list[DatabaseError]]:
        """What the columns of a table may have by look-up tables that can be read, and why others cannot.

        Raises:
            ServerUnavailable: when the server has no connection available now.
        """
        found: dict[str, LookupValues] = {}
        failures: list[DatabaseError] = []
        for key in table.foreign_keys:
            place = (key.references_schema, key.references_table)
            if len(key.columns) != 1 or place not in self._tables or key.columns[0] in found:
                continue
            column = next((column for column in table.columns if column.name == key.columns[0]), None)
            if column is None or column.sensitive or _is_hidden(column, table):
                continue
            rows = self._rows(place, key.references_columns[0])
            if isinstance(rows, DatabaseError):
                failures.append(rows)
            elif rows.codes:
                found[column.name] = LookupValues(tuple(rows.codes), rows.meanings or {})
        return found, failures

    def _rows(self, place: _Place, code: str) -> LookupRows | DatabaseError:
        with self._lock:
            if (place, code) not in self._known:
                self._known[place, code] = self._asked(self._tables[place], code)
            return self._known[place, code]

    def _asked(self, table: CatalogTable, code: str) -> LookupRows | DatabaseError:
        by_name = {column.name: column for column in table.columns}
        if code not in by_name or not may_be_lookup(table):
            return LookupRows()
        texts = [column for column in table.columns if column.name != code and type_family(_base(column)) == "text"][
            :_MOST_TEXTS
        ]
        if not texts and type_family(_base(by_name[code])) == "number":
            # Numbers without meanings are not shown.
            return LookupRows()
        asked = table.model_copy(update={"columns": [by_name[code], *texts]})
        try:
            sample = self._reader.sample(asked, MOST_ROWS + 1)
        except ServerUnavailable:
            raise
        except DatabaseError as error:
            return error
        return _shown(table, by_name[code], sample)


def _is_hidden(column: CatalogColumn, table: CatalogTable) -> bool:
    """Whether samples of the column would be hidden by its name, as those of a key are not."""
    return type_family(_base(column)) == "text" and detect_by_name(column.name, table.table_name) is not None


def _shown(table: CatalogTable, code: CatalogColumn, sample: TableSample) -> LookupRows:
    columns: Mapping[str, list[str | None]] = {
        name: [row[at] for row in sample.rows] for at, name in enumerate(sample.columns)
    }
    codes = columns.get(code.name, [])
    if not codes or len(codes) > MOST_ROWS or not _is_unique(codes):
        return LookupRows()
    meaning = next((name for name, texts in columns.items() if name != code.name and _is_unique(texts)), "")
    pairs = sorted(zip(codes, columns.get(meaning, codes), strict=True), key=lambda pair: _order(pair[0] or ""))
    texts = [shorten(" ".join((text or "").split()), _MEANING_CHARS) for _, text in pairs] if meaning else []
    return mask_lookup(table, code, [value or "" for value, _ in pairs], meaning, texts)


def _is_unique(values: Sequence[str | None]) -> bool:
    return all(value and value.strip() for value in values) and len(set(values)) == len(values)


def _order(code: str) -> tuple[float, str]:
    return (float(code) if code.isdecimal() else -1.0, code)


def _base(column: CatalogColumn) -> str:
    return column.base_type or column.type
