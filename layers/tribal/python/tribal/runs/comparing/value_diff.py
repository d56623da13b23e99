"""Shorten long values in a comparison to the part that differs."""

from __future__ import annotations

from dataclasses import replace

from tribal.identity.changes import Change
from tribal.masking import redact_text
from tribal.rendering.words import shorten

VALUE_CHARS = 500
"""Characters shown of a value."""
FULL_VALUE_CHARS = 1_000_000
"""Characters shown of a value with `--full`."""
_LEAD = 100
"""Characters shown before the first difference."""


def show_change(change: Change, limit: int) -> Change:
    """The change with values redacted and truncated, visibly, to about `limit` characters.

    Two long values with the same beginning are shown from shortly before their first difference, so that truncation
    never hides the change.
    """
    before, after = change.before, change.after
    start = 0
    if before is not None and after is not None:
        pairs = enumerate(zip(before, after, strict=False))
        alike = next((place for place, (one, other) in pairs if one != other), min(len(before), len(after)))
        if alike > limit - _LEAD:
            start = alike - _LEAD
    return replace(change, before=_shown(before, start, limit), after=_shown(after, start, limit))


def _shown(value: str | None, start: int, limit: int) -> str | None:
    if value is None:
        return None
    # Text far beyond the limit need not be searched for secrets.
    text = redact_text(value[start : start + 4 * limit])
    if start == 0 and len(text) <= limit:
        return text
    part = shorten(text, limit)
    more = "" if limit >= FULL_VALUE_CHARS else "; --full shows all"
    place = f"from character {start + 1:,}" if start else f"the first {limit:,}"
    return f"{'…' * bool(start)}{part} ({place} of {len(value):,} characters{more})"
