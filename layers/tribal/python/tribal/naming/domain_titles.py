"""The titles of domains that nobody has given one."""

from __future__ import annotations

from tribal.naming.abbreviations import is_acronym

_VOWELS = frozenset("aeiouy")


def domain_title(domain: str) -> str:
    """A domain's name as people would write it, no word spelt out: nobody knows that `hr` is not an hour."""
    words = [_capitals(word) for word in domain.replace("-", " ").replace("_", " ").split()]
    return " ".join([words[0][:1].upper() + words[0][1:], *words[1:]])


def _capitals(word: str) -> str:
    """Letters that nobody can pronounce stand for words: `hr`, `dhcp4`."""
    if is_acronym(word):
        return word[:-1].upper() + "s" if word.endswith("s") else word.upper()
    return word if _VOWELS & set(word) else word.upper()
