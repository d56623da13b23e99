"""Undoes the disguises of a phrase, so that patterns match what a person would read."""

from __future__ import annotations

import re
import unicodedata

WHITE_SPACE = r"[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]"
"""Unicode's White_Space."""
_INVISIBLE = frozenset(("Cf", "Mn", "Me"))
"""Zero-width characters, and marks above and below letters."""
_FILLERS = "\u115f\u1160\u3164\uffa0\u2800\u180e"
"""Letters that show nothing."""
_LETTER = r"[^\W\d_]"
_SEPARATED = re.compile(rf"(?<={_LETTER})[_\-.*\u2010-\u2015\u2212]+(?={_LETTER})")


def normalised(text: str) -> str:
    """A text without disguises: NFKD, folded case, no invisible characters, no separators between letters.

    Source: docs/contracts.md, Chat.
    """
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    visible = "".join(char for char in folded if unicodedata.category(char) not in _INVISIBLE and char not in _FILLERS)
    return _SEPARATED.sub("", visible)
