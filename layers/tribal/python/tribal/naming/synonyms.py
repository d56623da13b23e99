"""A small business thesaurus that widens a question: whoever asks for clients may mean the customer table."""

from __future__ import annotations

from functools import cache

from tribal.naming.stemming import stem
from tribal.naming.synonym_table import GROUPS


def synonyms(term: str) -> tuple[str, ...]:
    """Words that people use for a term, which is a word or its stem; in the order of the table's groups."""
    found: dict[str, None] = {}
    for group in _groups_by_stem().get(_key(term), ()):
        found.update(dict.fromkeys(group))
    return tuple(word for word in found if stem(word) != _key(term))


def synonym_terms(term: str) -> tuple[str, ...]:
    """The synonyms as stems, to be looked up among index terms."""
    return tuple(dict.fromkeys(stem(word) for word in synonyms(term)))


def _key(term: str) -> str:
    folded = term.casefold()
    return folded if folded in _groups_by_stem() else stem(folded)


@cache
def _groups_by_stem() -> dict[str, list[tuple[str, ...]]]:
    groups: dict[str, list[tuple[str, ...]]] = {}
    for group in GROUPS:
        for word in group:
            groups.setdefault(stem(word), []).append(group)
    return groups
