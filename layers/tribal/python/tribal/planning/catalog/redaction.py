"""Redact personal data and secrets in the free text of a catalog before any of it is stored."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from tribal.masking import redact_text
from tribal.ports import CatalogContents
from tribal_contracts import CatalogCheck, CatalogColumn, CatalogIndex, CatalogSchema, CatalogTable


def redact_contents(contents: CatalogContents) -> CatalogContents:
    """The contents with all text redacted, except names."""
    return replace(
        contents,
        schemas=tuple(_redact_schema(schema) for schema in contents.schemas),
        tables=tuple(redact_table(table) for table in contents.tables),
    )


def _redact_schema(schema: CatalogSchema) -> CatalogSchema:
    return schema.model_copy(update={"comment": _redact(schema.comment)})


def redact_table(table: CatalogTable) -> CatalogTable:
    """The table with all free text redacted: comments, defaults, expressions, labels and the SQL of a view.

    Names stay, since everything is looked up by them.
    """
    names = {column.name for column in table.columns}
    changed = {
        "comment": _redact(table.comment),
        "columns": [_redact_column(column) for column in table.columns],
        "indexes": [_redact_index(index, names) for index in table.indexes],
        "checks": [CatalogCheck(name=check.name, expression=redact_text(check.expression)) for check in table.checks],
        "view_definition": _redact(table.view_definition),
    }
    return table.model_copy(update=changed)


def _redact_column(column: CatalogColumn) -> CatalogColumn:
    texts = (column.comment, column.default_value, column.generated, column.enum_values)
    if texts == (None, None, None, None):
        return column
    return column.model_copy(
        update={
            "comment": _redact(column.comment),
            "default_value": _redact(column.default_value),
            "generated": _redact(column.generated),
            "enum_values": column.enum_values and [redact_text(label) for label in column.enum_values],
        }
    )


def _redact_index(index: CatalogIndex, names: Collection[str]) -> CatalogIndex:
    parts = [part if part in names else redact_text(part) for part in index.columns]
    return index.model_copy(update={"columns": parts, "predicate": _redact(index.predicate)})


def _redact(text: str | None) -> str | None:
    return None if text is None else redact_text(text)
