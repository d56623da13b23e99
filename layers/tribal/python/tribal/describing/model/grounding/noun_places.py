"""Places in an English sentence where words can only be a name."""

from __future__ import annotations

from collections.abc import Sequence

from tribal.naming import STOP_WORDS, singular

GRAMMAR = STOP_WORDS - {"find", "give", "list", "return", "show", "tell"}
"""Function words, next to which a name begins or ends."""

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
_JOINING = frozenset({"and", "as", "but", "nor", "not", "or", "than", "to"})

# After other prepositions the article is often missing: "by name", "in stock", "on hold", "into account".
_SOURCES = frozenset({"from", "of"})
# "Method of payment", "free of charge": no article is missing after these.
_BEFORE_OF = frozenset(
    """
    amount because cause choice class code cost country currency date day degree exclusive form free inclusive instead
    irrespective kind lack level line means method mode net number out period piece place point proof rate reason
    regardless sort source state term terms time type unit way year
    """.split()
)
# Uncountable nouns and activities.
_WITHOUT_ARTICLE = frozenset(
    """
    access age arrival birth care cash change charge content copyright credit data death debit debt delivery demand
    departure dispatch entry evidence expiry food freight fuel gender growth health income information interest issue
    labor labour land law mail material media money music news oil order origin paper postage power profit progress
    purchase receipt release rent research residence return revenue risk sale sex software space staff start stock
    storage supply support tax text time trade traffic transfer transport travel trust use value vat volume waste water
    wealth weight work
    """.split()
)
_ABSTRACT = ("ance", "ence", "ing", "ism", "ment", "ness", "ship", "sion", "tion")


def has_function_word_at_edge(words: Sequence[str]) -> bool:
    """Whether words begin or end with a function word, which is rare in names: "updated at"."""
    return words[0] in GRAMMAR or words[-1] in GRAMMAR


def is_used_as_noun(run: Sequence[str], start: int, end: int) -> bool:
    """Whether words such as "updated at" are used as a noun: "the updated at of an order"."""
    if not start or all(word in GRAMMAR for word in run[start:end]):
        return False
    # "What it belongs to is deleted": a preposition may precede a verb.
    before = _ARTICLES if run[start] in _VERBS else _BEFORE_A_NOUN
    return run[start - 1] in before and _ends_a_noun(run, end)


def lacks_article(run: Sequence[str], at: int) -> bool:
    """Whether a singular noun lacks its article: "copied from address at night"."""
    word, before = run[at], run[at - 1] if at else ""
    if before not in _SOURCES or singular(word) != word or word in _WITHOUT_ARTICLE or word.endswith(_ABSTRACT):
        return False
    if before == "of" and (at < 2 or singular(run[at - 2]) in _BEFORE_OF):
        return False
    return _ends_a_noun(run, at + 1) and (at + 1 == len(run) or run[at + 1] not in _JOINING)


def _ends_a_noun(run: Sequence[str], end: int) -> bool:
    """Whether the next word neither continues a noun nor begins another."""
    return end == len(run) or (run[end] in GRAMMAR and run[end] not in _NOUN_BEGINS)
