"""Redact personal data and secrets in the free text of a catalog before any of it is stored."""

from __future__ import annotations

from dataclasses import replace

from tribal.masking import redact_table, redact_text
from tribal.ports import CatalogContents
from tribal_contracts import CatalogSchema, DatabaseType


def redact_contents(contents: CatalogContents, dialect: DatabaseType) -> CatalogContents:
    """The contents with all text redacted, except names."""
    return replace(
        contents,
        schemas=tuple(_redact_schema(schema) for schema in contents.schemas),
        tables=tuple(redact_table(table, dialect) for table in contents.tables),
    )


def _redact_schema(schema: CatalogSchema) -> CatalogSchema:
    return schema.model_copy(update={"comment": schema.comment and redact_text(schema.comment)})
