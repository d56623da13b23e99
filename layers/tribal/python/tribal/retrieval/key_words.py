"""What the names of a key's columns say of it."""

from __future__ import annotations

from collections.abc import Iterable

from tribal.catalog.identity import TableIdentity
from tribal.naming import split_identifier, stem
from tribal_contracts import KeyEdge

_KEY_WORDS = frozenset(stem(word) for word in "id key code no nr num number ref fk uid uuid guid name".split())
"""Words by which columns say that they are keys."""


def role_words(key: KeyEdge) -> int:
    """How many words of a key's columns are neither of the table and columns that it references nor say that it is one.

    `user_id` that references `users` has none, `creator_user_id` one: where two keys lead to one table, the first is
    meant when nobody says which.
    """
    try:
        parent = TableIdentity.parse(key.to_table).table
    except ValueError:
        return 0
    known = _stems([parent, *key.to_columns]) | _KEY_WORDS
    return len(_stems(key.from_columns) - known)


def _stems(names: Iterable[str]) -> frozenset[str]:
    return frozenset(stem(token) for name in names for token in split_identifier(name))
