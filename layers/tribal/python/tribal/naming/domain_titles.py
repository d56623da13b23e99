"""Titles of domains for which no one has written a title."""

from __future__ import annotations

from tribal.naming.abbreviations import is_acronym

_VOWELS = frozenset("aeiouy")


def domain_title(domain: str) -> str:
    """Write a domain's name as a title. Abbreviations are not spelt out, since `hr` might be an hour."""
    words = [_capitals(word) for word in domain.replace("-", " ").replace("_", " ").split()]
    return " ".join([words[0][:1].upper() + words[0][1:], *words[1:]])


def _capitals(word: str) -> str:
    """Capitalise a word; letters that cannot be pronounced are an acronym: `hr`, `dhcp4`."""
    if is_acronym(word):
        return word[:-1].upper() + "s" if word.endswith("s") else word.upper()
    return word if _VOWELS & set(word) else word.upper()
