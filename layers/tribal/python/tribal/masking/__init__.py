"""Mask sample values and redact sensitive text, so that only harmless parts of a database's content are shown."""

from __future__ import annotations

from tribal.masking.column_names import detect_by_name
from tribal.masking.detectors import Span, detect, find_sensitive
from tribal.masking.kinds import PLACEHOLDER, SensitiveKind
from tribal.masking.redaction import (
    holds_secret,
    redact_expression,
    redact_labels,
    redact_shared,
    redact_table,
    redact_text,
    redact_view,
)
from tribal.masking.samples import LookupRows, MaskedSamples, mask_lookup, mask_samples, may_be_lookup
from tribal.masking.value_shapes import pattern_of

MASKING_VERSION: str = "7"
"""Increase it whenever the same input may be masked differently, so that existing documents are rebuilt."""

__all__ = [
    "MASKING_VERSION",
    "PLACEHOLDER",
    "LookupRows",
    "MaskedSamples",
    "SensitiveKind",
    "Span",
    "detect",
    "detect_by_name",
    "find_sensitive",
    "holds_secret",
    "mask_lookup",
    "mask_samples",
    "may_be_lookup",
    "pattern_of",
    "redact_expression",
    "redact_labels",
    "redact_shared",
    "redact_table",
    "redact_text",
    "redact_view",
]
