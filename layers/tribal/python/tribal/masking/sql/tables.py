"""Redacts the free text of a table in the catalog: by patterns, and literals by the names beside which they stand."""

from __future__ import annotations

from collections.abc import Sequence

from tribal.masking.column_names import detect_by_name
from tribal.masking.redaction import redact_text
from tribal.masking.sql.harmless import Place, is_harmless_text
from tribal.masking.sql.lexer import TokenType, tokens_of
from tribal.masking.sql.literals import hide_in_expression, hide_in_view
from tribal_contracts import CatalogCheck, CatalogColumn, CatalogIndex, CatalogTable

_ROUNDS = 3
"""A bound by judgement: what one way of hiding leaves may show the other one more, and twice is usual."""


def redact_table(table: CatalogTable) -> CatalogTable:
    """The table with all free text redacted: comments, defaults, expressions, labels and the SQL of a view.

    Names stay, since everything is looked up by them. Redacting again changes nothing.
    """
    names = [column.name for column in table.columns]
    name = table.table_name
    changed = {
        "comment": _redact(table.comment),
        "columns": [_redact_column(column, name) for column in table.columns],
        "indexes": [_redact_index(index, name, names) for index in table.indexes],
        "checks": [
            CatalogCheck(name=check.name, expression=redact_expression(check.expression, table=name))
            for check in table.checks
        ],
        "view_definition": table.view_definition and redact_view(table.view_definition, view=name, columns=names),
    }
    return table.model_copy(update=changed)


def redact_expression(sql: str, *, table: str, column: str = "") -> str:
    """An expression on a table without what is sensitive; with a column, the one that it is the value of."""
    kind = detect_by_name(column, table) if column else None
    for _ in range(_ROUNDS):
        before, sql = sql, _without_patterns(hide_in_expression(sql, table=table, kind=kind))
        if sql == before:
            break
    return sql


def redact_view(sql: str, *, view: str, columns: Sequence[str]) -> str:
    """The definition of a view without what is sensitive."""
    for _ in range(_ROUNDS):
        before, sql = sql, _without_patterns(hide_in_view(sql, view=view, columns=columns))
        if sql == before:
            break
    return sql


def redact_labels(labels: Sequence[str], *, table: str, column: str) -> list[str] | None:
    """The labels of a column's enum type without what is sensitive; `None` if the column's name hides them all."""
    kind = detect_by_name(column, table)
    if kind is not None and not all(is_harmless_text(label, Place(), kind) for label in labels):
        return None
    return [redact_text(label) for label in labels]


def _without_patterns(sql: str) -> str:
    """SQL without what patterns find: literals are read as prose, the SQL around them is not.

    In a sentence, what stands near the word `password` may be one. In SQL that word is a name, and it is known which
    literals belong to it.
    """
    parts: list[str] = []
    position = 0
    for token in tokens_of(sql):
        if token.type is TokenType.STRING:
            parts += (sql[position : token.start], redact_text(sql[token.start : token.end]))
            position = token.end
    return redact_text("".join([*parts, sql[position:]]), prose=False)


def _redact_column(column: CatalogColumn, table: str) -> CatalogColumn:
    texts = (column.comment, column.default_value, column.generated, column.enum_values)
    if texts == (None, None, None, None):
        return column
    value, generated, labels = column.default_value, column.generated, column.enum_values
    return column.model_copy(
        update={
            "comment": _redact(column.comment),
            "default_value": value and redact_expression(value, table=table, column=column.name),
            "generated": generated and redact_expression(generated, table=table, column=column.name),
            "enum_values": labels and redact_labels(labels, table=table, column=column.name),
        }
    )


def _redact_index(index: CatalogIndex, table: str, names: Sequence[str]) -> CatalogIndex:
    parts = [part if part in names else redact_expression(part, table=table) for part in index.columns]
    where = index.predicate
    return index.model_copy(update={"columns": parts, "predicate": where and redact_expression(where, table=table)})


def _redact(text: str | None) -> str | None:
    return None if text is None else redact_text(text)
