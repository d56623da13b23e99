"""Tell English sentences from those in other languages, in which small models answer unasked."""

from __future__ import annotations

import unicodedata

_ENGLISH = frozenset(
    """
    a an and are as at by each for from has have if in is it its no not of on one or per that the this to used was when
    whether which with
    """.split()
)
_OTHERS = frozenset(
    """
    aus auf auch bei bzw das dem den der des eine einem einen einer eines fuer für ist mit nach oder sind und von vom
    werden wird zum zur
    au aux avec ce cette dans de des du elle est et la le les leur par pour qui que sont un une
    al como con contiene del donde el esta este la las los para por que se una y
    che con dei del della delle di il la nel sono una
    da das dos em na o os para por que uma
    aan bij de een en het met naar ook van voor wordt
    """.split()
)
"""Function words of German, French, Spanish, Italian, Portuguese and Dutch, without those that English has too, such as
"die" and "per"."""
_FEWEST = 2


def is_foreign(sentence: str, words: list[str]) -> bool:
    """Return whether a sentence is not in English: by its script, or by its function words.

    Args:
        sentence: its text.
        words: its words in lower case.
    """
    letters = [char for char in sentence if char.isalpha()]
    if 2 * sum(not unicodedata.name(char, "").startswith("LATIN") for char in letters) > len(letters):
        return True
    return _ENGLISH.isdisjoint(words) and len(_OTHERS.intersection(words)) >= _FEWEST
