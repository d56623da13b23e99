"""Visibility of characters."""

from __future__ import annotations

import unicodedata

_UNSEEN = ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")


def is_visible(character: str) -> bool:
    """Whether the character is drawn as a glyph of its own: not controls, direction marks or lone surrogates.

    Unassigned characters count as visible: they are drawn as a box, and newer Pythons know more of them.
    """
    return unicodedata.category(character) not in _UNSEEN
