"""Near misses: suggestions for a name that was not found."""

from __future__ import annotations

from collections.abc import Iterable

from tribal.naming import index_terms

MAX_SUGGESTIONS = 5
_LEAST_LIKENESS = 0.2


def near_misses(text: str, known: Iterable[str], limit: int = MAX_SUGGESTIONS) -> list[str]:
    """Known names similar to a text in spelling or wording, most similar first; may be empty."""
    wanted, terms = _trigrams(text), frozenset(index_terms(text))
    scored = [(_likeness(wanted, terms, name), name) for name in dict.fromkeys(known)]
    alike = sorted((-score, name) for score, name in scored if score >= _LEAST_LIKENESS)
    return [name for _, name in alike[:limit]]


def _likeness(wanted: frozenset[str], terms: frozenset[str], name: str) -> float:
    letters, words = _trigrams(name), frozenset(index_terms(name))
    return max(_overlap(wanted, letters), _overlap(terms, words))


def _overlap(left: frozenset[str], right: frozenset[str]) -> float:
    return len(left & right) / len(left | right) if left and right else 0.0


def _trigrams(text: str) -> frozenset[str]:
    padded = f"  {text.casefold()[:256]} "
    return frozenset(padded[start : start + 3] for start in range(len(padded) - 2))
