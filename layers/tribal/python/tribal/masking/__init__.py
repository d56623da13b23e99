"""What may be shown of a database's content: sample values are masked by default, sensitive text is redacted."""

from __future__ import annotations

from tribal.masking.column_names import detect_by_name
from tribal.masking.detectors import Span, detect, find_sensitive
from tribal.masking.kinds import SensitiveKind
from tribal.masking.redaction import redact_text
from tribal.masking.samples import MaskedSamples, mask_samples
from tribal.masking.value_shapes import pattern_of

MASKING_VERSION: str = "3"
"""Changes whenever the same input may be masked differently, so that earlier documents are made again."""

__all__ = [
    "MASKING_VERSION",
    "MaskedSamples",
    "SensitiveKind",
    "Span",
    "detect",
    "detect_by_name",
    "find_sensitive",
    "mask_samples",
    "pattern_of",
    "redact_text",
]
