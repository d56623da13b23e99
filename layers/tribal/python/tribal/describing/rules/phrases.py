"""Confidences of the rules, and the phrases that they share.

The confidences are chosen by judgement: labels for readers, of which only the order means something. `tribal lint`
counts what is below .4 as not documented; nothing else depends on them. That their order holds was measured in November
2026 over adventureworks_flat and omop_cdm54 with the code of `bench/descriptions.py`: share of column descriptions that
add nothing to the name.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from tribal.masking import redact_text
from tribal.rendering.words import shorten
from tribal_contracts import Description

FROM_COMMENT = 0.95
"""A person wrote it, though perhaps long ago. Not measured."""
DECLARED = 0.9
"""The catalog says so: a key, a type, a check. 0 of 335 descriptions add nothing."""
CONVENTION = 0.75
"""A name that nearly everybody uses in the same way. 31 of 143 add nothing, because the name says it all."""
LIKELY = 0.55
"""A word of the name and the type fit together. 66 of 274 add nothing."""
PARTLY_KNOWN = 0.35
"""Of a column, its meaning is a guess, but a check or a key says something; of a table, its name alone.

0 of 5 columns and 2 of 95 tables add nothing.
"""
GUESS = 0.2
"""Nothing but the name. 123 of 131 add nothing."""

DerivedText = tuple[str, float]
"""One or more sentences with their full stops, and how sure the rule is of them."""

# Limits by judgement, not measured: the longest comment that still reads well on a page.
TABLE_COMMENT_CHARS = 2_000
COLUMN_COMMENT_CHARS = 1_000
SCHEMA_COMMENT_CHARS = 500

_SPACES = re.compile(r"\s+")


def clean_comment(comment: str | None, limit: int) -> str:
    """A comment as one line without control characters, personal data or secrets, cut at a word; may be empty."""
    if not comment:
        return ""
    # Text far beyond the limit is not worth searching for secrets.
    text = redact_text(comment[: 4 * limit])
    visible = "".join(" " if _is_control(char) else char for char in text)
    return shorten(_SPACES.sub(" ", visible).strip(), limit)


def _is_control(char: str) -> bool:
    return unicodedata.category(char) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")


def commented(text: str) -> Description:
    """A description taken from the database's own comment."""
    return Description(text=text, source="comment", confidence=FROM_COMMENT)


def derived(text: str, confidence: float) -> Description:
    """A description that the rules made."""
    return Description(text=text, source="derived", confidence=confidence)


def suggested(words: str) -> str:
    """The wording of a guess from a name, so that nobody takes it for knowledge."""
    return f"the name suggests '{words}'"


def sentence(text: str) -> str:
    """A text with a capital letter and a full stop."""
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "…")) else ".")


def values_list(values: Sequence[str], limit: int = 20) -> str:
    """A list of values, quoted where spaces or commas would mislead; beyond the limit only how many more there are."""
    shown = ", ".join(_value(redact_text(value)) for value in values[:limit])
    return f"{shown} and {len(values) - limit} more" if len(values) > limit else shown


def _value(text: str) -> str:
    """A value as part of a list: in quotes if it is blank, has spaces at its ends, or holds a comma."""
    plain = text and text == text.strip() and "," not in text and not any(map(_is_control, text))
    if plain:
        return text
    visible = "".join(repr(char)[1:-1] if _is_control(char) else char for char in text)
    return f"'{visible}'"
