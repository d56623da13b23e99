"""Evidence that a text is about the table, column or domain that it describes: words, values and handles they share.

English only: texts in other languages, and tables whose names are not written in English, cannot be judged by words.
"""

from __future__ import annotations

from tribal.text_checks.evidence.support import EvidenceCheck, Subject

__all__ = ["EvidenceCheck", "Subject"]
