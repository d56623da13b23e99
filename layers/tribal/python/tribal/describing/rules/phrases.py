"""How sure the rules are, and the phrases that they share."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from tribal.masking import redact_text
from tribal.rendering.words import shorten
from tribal_contracts import Description

FROM_COMMENT = 0.95
PROVED = 0.9
"""The catalog says so: a key, a type, a check."""
CONVENTION = 0.75
"""A name that nearly everybody uses in the same way."""
LIKELY = 0.55
GUESS = 0.2
"""Nothing but the name."""

TABLE_COMMENT_CHARS = 2_000
COLUMN_COMMENT_CHARS = 1_000
SCHEMA_COMMENT_CHARS = 500

_SPACES = re.compile(r"\s+")


def clean_comment(comment: str | None, limit: int) -> str:
    """A comment as one line without control characters, personal data or secrets, cut at a word; may be empty."""
    if not comment:
        return ""
    # What lies far beyond the limit is not worth the search for secrets.
    text = redact_text(comment[: 4 * limit])
    visible = "".join(" " if _is_control(char) else char for char in text)
    return shorten(_SPACES.sub(" ", visible).strip(), limit)


def _is_control(char: str) -> bool:
    return unicodedata.category(char) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")


def commented(text: str) -> Description:
    """A description that is the database's own comment."""
    return Description(text=text, source="comment", confidence=FROM_COMMENT)


def derived(text: str, confidence: float) -> Description:
    """A description that the rules made."""
    return Description(text=text, source="derived", confidence=confidence)


def suggested(words: str) -> str:
    """How a guess from a name is told, so that nobody takes it for knowledge."""
    return f"the name suggests '{words}'"


def sentence(text: str) -> str:
    """A text with a capital and a full stop."""
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "…")) else ".")


def values_list(values: Sequence[str], limit: int = 20) -> str:
    """Values one after the other, quoted where blanks or commas would mislead; beyond the limit only their number."""
    shown = ", ".join(_value(redact_text(value)) for value in values[:limit])
    return f"{shown} and {len(values) - limit} more" if len(values) > limit else shown


def _value(text: str) -> str:
    """A value as part of a list: one that is blank, begins or ends with one, or holds a comma, in quotes."""
    plain = text and text == text.strip() and "," not in text and not any(map(_is_control, text))
    if plain:
        return text
    visible = "".join(repr(char)[1:-1] if _is_control(char) else char for char in text)
    return f"'{visible}'"
