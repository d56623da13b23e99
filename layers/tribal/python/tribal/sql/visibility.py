"""Visibility of characters."""

from __future__ import annotations

import unicodedata

_UNSEEN = ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")
_NEVER_DRAWN = frozenset(map(chr, (0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x3164, 0xFFA0, 0xFFFE, 0xFFFF))).union(
    map(chr, (*range(0x180B, 0x1810), *range(0xFE00, 0xFE10), *range(0xE0000, 0xE1000)))
)
"""Fillers, variation selectors, tags and noncharacters, which can carry text that no one sees."""


def is_visible(character: str) -> bool:
    """Whether the character is drawn as a glyph of its own: not controls, direction marks or lone surrogates.

    Unassigned characters count as visible: they are drawn as a box, and newer Pythons know more of them.
    """
    return unicodedata.category(character) not in _UNSEEN


def remove_unseen(text: str, *, keep: str = "") -> str:
    """The text without characters that are not drawn, variation selectors and fillers, except those in `keep`."""
    if text.isascii() and text.isprintable():
        return text
    unseen = {char for char in set(text) - set(keep) if char in _NEVER_DRAWN or not is_visible(char)}
    return text.translate({ord(char): None for char in unseen}) if unseen else text
