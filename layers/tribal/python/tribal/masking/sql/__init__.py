"""Literals in SQL that are sensitive because of the column beside which they stand."""

from __future__ import annotations

from tribal.masking.sql.tables import redact_expression, redact_labels, redact_table, redact_view

__all__ = ["redact_expression", "redact_labels", "redact_table", "redact_view"]
