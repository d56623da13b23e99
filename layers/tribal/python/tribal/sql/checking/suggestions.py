"""Names that were probably meant, written as SQL."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

from tribal.sql.dialect import quote_identifier
from tribal_contracts import DatabaseType

_MOST_NAMES = 5_000
"""More are compared only without case. By judgement: difflib takes about 20 microseconds for each."""


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that is spelled most like a name: first of all one that differs in case only."""
    names = list(dict.fromkeys(known))
    folded = name.casefold()
    for each in names:
        if each.casefold() == folded:
            return each
    if len(names) > _MOST_NAMES or len(name) > 128:
        return None
    by_folded = {each.casefold(): each for each in reversed(names)}
    found = get_close_matches(folded, by_folded, 1, cutoff=0.7)
    return by_folded[found[0]] if found else None


def written(parts: Sequence[str], dialect: DatabaseType) -> str:
    """A name in SQL, quoted where it has to be."""
    return ".".join(quote_identifier(part, dialect) for part in parts)
