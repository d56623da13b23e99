"""Checks of the sentences that a model writes. Each caller chooses which rules apply; nothing here reads or stores."""

from __future__ import annotations

from tribal.text_checks.judge import RULES, UNSUPPORTED, SentenceJudge
from tribal.text_checks.plain_names import KnownNames
from tribal.text_checks.sentences import ends_in_abbreviation, plain, split_sentences
from tribal.text_checks.shown import MAX_SAMPLE_CHARS, Handle, ShownText

__all__ = [
    "MAX_SAMPLE_CHARS",
    "RULES",
    "UNSUPPORTED",
    "Handle",
    "KnownNames",
    "SentenceJudge",
    "ShownText",
    "ends_in_abbreviation",
    "plain",
    "split_sentences",
]
