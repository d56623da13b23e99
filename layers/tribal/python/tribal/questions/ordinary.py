"""How ordinary an English word is, by its place in a list of frequent words.

The list, `frequent_words.txt`, has the 20,000 most frequent words of Google's books (Google Books Ngram, CC BY 3.0)
that SCOWL has too; `naming/WORD_LISTS.txt` has the licences.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from math import log2

from tribal.naming import stem
from tribal.naming.thesaurus.lookup import is_noun

FILE = "frequent_words.txt"
_ORDINARY, _ORDINARY_NOUN = 2_000, 300
"""Places up to which a word is ordinary. Nouns name things, so only the most frequent ones need no documentation. By
judgement."""


@cache
def _places() -> Mapping[str, int]:
    from importlib.resources import files  # imported here because it takes longer than all of this package

    words = (files(__package__) / FILE).read_text(encoding="ascii").split()
    places: dict[str, int] = {}
    for place, word in enumerate(words):
        places.setdefault(stem(word), place)
    return places


def rarity(term: str) -> float:
    """How rare the words of a stem are, 0 to 1; those that are not on the list count 1."""
    places = _places()
    return log2(places.get(term, len(places)) + 2) / log2(len(places) + 2)


_SELDOM_NOUNS = frozenset(
    """
    another anyone anything ask back be call called come do down even ever everyone everything find get give go have
    hold keep kind know leave left let like live look make mean move need nothing over own play put run say see set
    show sit someone something still take talk tell think turn up use used want well will wish work yet
    """.split()
)
"""Words that the dictionary has as nouns too, and that questions hardly use as such."""


def is_ordinary(word: str) -> bool:
    """Whether a lower-case word is so ordinary that no documentation has to explain it."""
    if word in _SELDOM_NOUNS or word.removesuffix("body") in ("some", "any", "every", "no"):
        return True
    place = _places().get(stem(word))
    return place is not None and place < (_ORDINARY_NOUN if is_noun(word) else _ORDINARY)
