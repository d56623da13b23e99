"""What a comparison shows of values that may be long: the place where they differ, and how much was left out."""

from __future__ import annotations

from dataclasses import replace

from tribal.catalog.changes import Change
from tribal.masking import redact_text
from tribal.rendering.words import shorten

VALUE_CHARS = 500
"""Characters of a value that a comparison shows."""
FULL_VALUE_CHARS = 1_000_000
"""The same with `--full`."""
_LEAD = 100
"""Characters that are shown before the first difference."""


def show_change(change: Change, limit: int) -> Change:
    """The change with values redacted and cut to about `limit` characters; where they are cut, they say so.

    Of two long values that begin alike what follows from shortly before the first difference is shown, so that what
    changed is never in the part that is missing.
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
    # What lies far beyond the limit is not worth the search for secrets.
    text = redact_text(value[start : start + 4 * limit])
    if start == 0 and len(text) <= limit:
        return text
    part = shorten(text, limit)
    more = "" if limit >= FULL_VALUE_CHARS else "; --full shows all"
    place = f"from character {start + 1:,}" if start else f"the first {limit:,}"
    return f"{'…' * bool(start)}{part} ({place} of {len(value):,} characters{more})"
