"""Texts of a model that may be published: one line, without addresses, mentions, references and secrets."""

from __future__ import annotations

import re

from tribal.capabilities.contribution.gate.screening import addresses, problem_of
from tribal.rendering.words import shorten

_REFERENCE = re.compile(r"(?<!\w)@\w|#\d|\bGH-\d|^/\w|\{approved_by\}|\[(?:skip|no|ci)[ -]|\*\*\*NO_CI", re.IGNORECASE)
"""What a forge turns into a mention of a person or a link to an issue, and what it, a bot or this program obeys."""
_MOST_READ = 2_000
LONGEST = 300


def publishable(text: object, most: int = LONGEST) -> str:
    """A text on one line of at most so many characters; empty if it must not be published."""
    if not isinstance(text, str):
        return ""
    line = " ".join(text[:_MOST_READ].split())
    if _REFERENCE.search(line) or addresses(line) or problem_of(line) is not None:
        return ""
    return shorten(line, most)
