"""Removes personal data and secrets from free text: comments, defaults, view SQL, error messages of servers."""

from __future__ import annotations

import re

from tribal.masking.detectors import find_sensitive
from tribal.masking.kinds import SensitiveKind

_ROUNDS = 4
"""A bound by judgement: redacting may uncover another match, and stops as soon as none is left."""

# What a server quotes from rows in its errors has no pattern of its own. It may run over several lines, until one that
# begins the next part of the message.
_TO_THE_NEXT_PART = r"[^\n]*(?:\n(?![A-Z][A-Z ]{2,20}:)[^\n]*)*"
_QUOTED_VALUES = re.compile(
    rf"Failing row contains \((?P<row>{_TO_THE_NEXT_PART})"
    r"|Key \([^()\n]{1,1000}\)=\((?:"
    r"(?P<key>[^\n]*?)\)(?= (?:already exists|is not present|is still referenced|conflicts with|is duplicated))"
    rf"|(?P<open_key>{_TO_THE_NEXT_PART}))"
    r"|(?:invalid input (?:syntax|value) for [^\n:\"]{1,100}|value out of range): \"(?P<input>[^\n]*)\""
    r"|(?:Numeric value|Boolean value|Date|Timestamp|Time) '(?P<literal>[^\n]{0,300}?)' is not recognized"
)


def redact_text(text: str, *, prose: bool = True) -> str:
    """Replaces each sensitive part of a text with its kind, as `[email]`, and leaves the rest as it is.

    Also replaces what PostgreSQL and Snowflake quote from rows in their errors by `[value]`. Redacting again changes
    nothing. Takes time linear in the length of the text.

    Args:
        prose: whether a word may announce what stands behind or near it in the same sentence.
    """
    text = _QUOTED_VALUES.sub(_without_quoted, text)
    for _ in range(_ROUNDS):
        spans = find_sensitive(text, prose=prose)
        if not spans:
            break
        parts: list[str] = []
        position = 0
        for span in spans:
            parts += (text[position : span.start], f"[{span.kind}]")
            position = span.end
        text = "".join([*parts, text[position:]])
    return text


def _without_quoted(found: re.Match[str]) -> str:
    start, end = found.span(found.lastgroup or 0)
    closing = ")" if found.lastgroup in ("row", "open_key") else ""
    return found.string[found.start() : start] + f"[{SensitiveKind.VALUE}]{closing}" + found.string[end : found.end()]
