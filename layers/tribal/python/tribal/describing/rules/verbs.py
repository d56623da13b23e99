"""Verbs in column names: general English, chosen without looking at any schema."""

from __future__ import annotations

_IRREGULAR = frozenset(
    """
    begun bought built caught chosen drawn driven eaten forgotten found frozen given held hidden kept known lent lost
    made overridden paid proven read rewritten seen sent shown sold spent stolen sworn taken taught thrown told torn
    undone withdrawn won written
    """.split()
)
# Other words with the ending of participles.
_OTHERS = frozenset(
    """
    bleed breed creed embed exceed feed greed hundred indeed kindred moped need proceed sacred seed shed speed steed
    succeed treed tweed unneed weed
    """.split()
)
INTRANSITIVE = frozenset(
    """
    appeared arrived begun collapsed departed died disappeared elapsed emerged ended escaped existed expired failed
    finished happened lapsed matured occurred ran recurred retired started stopped succeeded vanished
    """.split()
)
"""Participles of intransitive verbs: it "has expired", it was not expired by someone."""


def is_participle(word: str) -> bool:
    """Whether a word is a participle: `shipped`, `paid`."""
    return (len(word) > 4 and word.endswith("ed") and word not in _OTHERS) or word in _IRREGULAR
