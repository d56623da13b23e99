"""Places in an English sentence at which words can only be meant as a name."""

from __future__ import annotations

from collections.abc import Sequence

from tribal.naming import STOP_WORDS

GRAMMAR = STOP_WORDS - {"find", "give", "list", "return", "show", "tell"}
"""Words at whose side a name begins or ends."""

_VERBS = frozenset(
    "am are be been being can could did do does had has have is may might must should was were will would".split()
)
_ARTICLES = frozenset({"a", "an", "its", "the", "their"})
_BEFORE_A_NOUN = _ARTICLES | {"each", "every", "for", "from", "into", "of", "per", "with"}
_NOUN_BEGINS = _ARTICLES | frozenset(
    """
    all any each every her him his how it me my our some such that them these this those us what when where whether
    which who whom whose why you your
    """.split()
)


def has_grammar_at_its_side(words: Sequence[str]) -> bool:
    """Whether words begin or end with one that names seldom do, such as "updated at"."""
    return words[0] in GRAMMAR or words[-1] in GRAMMAR


def stands_as_a_noun(run: Sequence[str], start: int, end: int) -> bool:
    """Whether words such as "updated at" stand where a noun does: "the updated at of an order"."""
    if not start or all(word in GRAMMAR for word in run[start:end]):
        return False
    # "What it belongs to is deleted": a preposition may well stand before a verb.
    before = _ARTICLES if run[start] in _VERBS else _BEFORE_A_NOUN
    return run[start - 1] in before and _ends_a_noun(run, end)


def _ends_a_noun(run: Sequence[str], end: int) -> bool:
    """Whether what follows neither goes on with a noun nor begins another."""
    return end == len(run) or (run[end] in GRAMMAR and run[end] not in _NOUN_BEGINS)
