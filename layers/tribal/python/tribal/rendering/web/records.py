"""Documents as records for the HTML page: short keys, without empty values."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from tribal.identity import locations
from tribal.identity.table_names import format_name
from tribal.joins.outline import unique_columns
from tribal.rendering.gaps import gaps, needs_description, page_lines
from tribal.rendering.likely_keys import why_likely
from tribal.rendering.page_joins import PAGE_JOINS, page_join
from tribal.rendering.words import (
    NOT_VALIDATED,
    basis,
    further_meanings,
    hidden_because,
    lists_values,
    meaning_sources,
    uniqueness,
)
from tribal.sql.dialect import legible_identifier, legible_table
from tribal_contracts import DocumentedColumn, DomainDocument, OverviewDocument, TableDocument

Record = dict[str, Any]

_PRIMARY_KEY, _FOREIGN_KEY, _NULLABLE, _UNIQUE, _SENSITIVE, _EXPLAINED = 1, 2, 4, 8, 16, 32
_NOT_SENSITIVE = (None, "value", "free_text")
"""Kinds of hidden values that are neither personal data nor secrets."""


def catalog_record(document: OverviewDocument) -> Record:
    """The catalog, the first record of a page."""
    return {"t": "catalog", "n": document.name, "s": document.description}


def database_record(name: str, description: str) -> Record:
    """A database; its domains follow. `f` is the annotations file in which people correct its descriptions."""
    return {"t": "database", "n": name, "s": description, "f": locations.annotations_file(name)}


def domain_record(document: DomainDocument) -> Record:
    """A domain; its tables follow, the most connected first."""
    return _filled(
        {
            "t": "domain",
            "b": document.database,
            "n": document.domain,
            "h": document.title,
            "ow": document.owner,
            "s": document.description,
            "j": document.common_joins,
            "x": [[link.domain, link.keys] for link in document.links],
            "al": document.annotation_line,
        }
    )


def first_view_record(first_view: Record) -> Record:
    """The numbers and lists of the first view, the last record of a page."""
    return {"t": "home", **first_view}


def table_record(document: TableDocument, *, joins: bool = False) -> Record:
    """Everything that a table's page shows; with `joins`, also the SQL that joins it to its first neighbours."""
    server, kind = document.server_database or document.database, document.database_type
    label = format_name((document.schema_, document.table))
    sql_name = legible_table(server, document.schema_, document.table, kind)
    return _filled(
        {
            "t": "table",
            "n": document.name,
            "b": document.database,
            "d": document.domain,
            "l": label,
            "k": document.kind,
            "q": document.database_type,
            "ow": document.owner,
            "s": document.description.text,
            "o": document.description.source,
            "w": basis(document.description) or None,
            "no": document.notes,
            "r": document.row_count,
            "ra": document.row_count_at[:10] if document.row_count_at and document.row_count >= 0 else None,
            "p": document.partition_count,
            "pk": document.primary_key.columns if document.primary_key else [],
            "sn": sql_name if sql_name != label else None,
            "sq": _quoted_columns(document) or None,
            "c": _columns(document),
            "u": [[key.name, key.columns] for key in document.unique_keys],
            "e": _relations(document, PAGE_JOINS if joins else 0),
            "lk": _likely_keys(document),
            "ix": [
                trimmed([index.name, index.columns, uniqueness(index), index.predicate, index.include])
                for index in document.indexes
            ],
            "ch": [
                trimmed([check.name, check.expression, NOT_VALIDATED if check.validated is False else None])
                for check in document.checks
            ],
            "rd": [document.reads, document.reads_total] if document.reads else None,
            "rb": [document.read_by, document.read_by_total] if document.read_by else None,
            "v": document.view_definition,
            "al": document.annotation_line,
            "g": page_lines(gaps(document)) or None,
        }
    )


def _quoted_columns(document: TableDocument) -> dict[str, str]:
    """The columns whose names are written in another way in SQL, with that."""
    written = {column.name: legible_identifier(column.name, document.database_type) for column in document.columns}
    return {name: sql for name, sql in written.items() if sql != name}


def _columns(document: TableDocument) -> list[list[Any]]:
    unique = unique_columns(document)
    return [_column(column, column.name in unique) for column in document.columns]


def _column(column: DocumentedColumn, unique: bool) -> list[Any]:
    flags = (
        _PRIMARY_KEY * column.is_primary_key
        + _FOREIGN_KEY * column.is_foreign_key
        + _NULLABLE * column.nullable
        + _UNIQUE * unique
        + _SENSITIVE * is_sensitive(column)
        + _EXPLAINED * (not needs_description(column))
    )
    said, values = column.description, column.allowed_values or ()
    meanings = further_meanings(column.value_meanings, said.source)
    is_listed = bool(values) and lists_values(said.text, said.source, values, column.value_meanings)
    return trimmed(
        [
            column.name,
            column.type,
            flags,
            column.description.text,
            column.description.source,
            _default(column),
            column.samples or 0,
            column.sample_patterns or 0,
            values or 0,
            hidden_because(column) or 0,
            basis(column.description) or 0,
            {value: meaning.text for value, meaning in (column.value_meanings or {}).items()} or 0,
            int(column.allowed_values_complete is False),
            meaning_sources(meanings) or 0,
            int(is_listed),
        ]
    )


def is_sensitive(column: DocumentedColumn) -> bool:
    """Whether a column seems to hold personal data or secrets, or the database marks it as sensitive."""
    return bool(column.marked) or column.sensitive not in _NOT_SENSITIVE


def connections(document: TableDocument) -> int:
    """Count the keys, declared or likely, between a table and others."""
    declared = sum(relation.name != document.name for relation in document.relations)
    return declared + sum(key.from_table != key.to_table for key in document.inferred_keys)


def _default(column: DocumentedColumn) -> str | int:
    if column.identity:
        return f"identity, {column.identity}"
    if column.generated:
        return f"generated: {column.generated}"
    return column.default_value if column.default_value is not None else 0


def _relations(document: TableDocument, joins: int) -> list[list[Any]]:
    """Per relation: name, whether this table holds the key, own and other columns, meaning, nullable, join SQL."""
    return [
        trimmed(
            [
                relation.name,
                int(relation.relationship == "references"),
                relation.via_columns,
                relation.other_columns,
                relation.description,
                int(bool(relation.nullable)),
                page_join(document, relation) if position < joins else 0,
            ]
        )
        for position, relation in enumerate(document.relations)
    ]


def _likely_keys(document: TableDocument) -> list[list[Any]]:
    """Per likely key: the other table, whether this one holds it, own and other columns, why it is likely."""
    return [
        [key.to_table, 1, key.from_columns, key.to_columns, why_likely(key)]
        if key.from_table == document.name
        else [key.from_table, 0, key.to_columns, key.from_columns, why_likely(key)]
        for key in document.inferred_keys
    ]


def _filled(record: Record) -> Record:
    return {key: value for key, value in record.items() if value is not None and value != []}


def trimmed(values: Sequence[Any]) -> list[Any]:
    """Return the values without trailing zeros and unset ones."""
    kept = list(values)
    while kept and (kept[-1] is None or kept[-1] == 0):
        kept.pop()
    return kept


def encoded(record: object) -> bytes:
    """A record or a part as JSON that is safe in a script element: no text can end it or begin a comment."""
    text = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
    safe = text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    return safe.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029").encode("utf-8", "backslashreplace")
