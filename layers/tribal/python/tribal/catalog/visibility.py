"""Which characters a person can see."""

from __future__ import annotations

import unicodedata

_UNSEEN = ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")


def is_visible(character: str) -> bool:
    """Whether something is drawn for it, and only for it: not for controls, marks of direction, lone surrogates.

    What Unicode has not assigned yet counts as visible: it is drawn as a box, and newer Pythons know more characters.
    """
    return unicodedata.category(character) not in _UNSEEN
