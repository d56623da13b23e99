"""Find claims in a sentence that go beyond the text that it cites: new units, negations, stronger words or causes."""

from __future__ import annotations

import re
from collections.abc import Iterable

from tribal.naming import index_terms
from tribal.text_checks import plain

_UNITS = frozenset(
    """
    millisecond second minute hour day week month quarter year decade degree percent cent dollar euro pound gram
    kilogram ton metre meter kilometre kilometer mile litre liter page sheet byte kilobyte megabyte gigabyte
    """.split()
)
_NUMBER_AND_WORD = re.compile(r"(\d[\d.,]*)[\s-]([a-z]+)")
_NEGATION = re.compile(r"\b(?:not|never|no|none|neither|nor|cannot)\b|n['\u2019]t\b")
_NOT_NULL = re.compile(r"\bnot null\b")
_SAYS_NOTHING_IS_THERE = re.compile(r"\b(?:null|empty|blank|missing|optional|unless|until)\b")
_STRONG = re.compile(r"\b(?:all|always|only|never|must|because|in order to|to prevent|to avoid|due to|caused by)\b")
_LEAST_SHARED = 0.6
"""Share of a sentence's terms that a cited sentence must contain to count as equivalent. By judgement."""


def changes_unit(sentence: str, cited: str) -> bool:
    """Return whether the sentence repeats a number from the cited text with a different unit."""
    given = set(_quantities(cited))
    numbers = {number for number, _ in given}
    return any(each not in given and each[0] in numbers for each in _quantities(sentence))


def strengthens(sentence: str, cited: str) -> bool:
    """Return whether the sentence uses a word such as "all" or "because" that the cited text does not use."""
    text = plain(cited).casefold()
    given = set(_STRONG.findall(text)) | ({"always", "must", "never"} if "not null" in text else set())
    return not given.issuperset(_STRONG.findall(plain(sentence).casefold()))


def turns_around(sentence: str, cited_sentences: Iterable[str]) -> bool:
    """Return whether the sentence is negated and the most similar cited sentence is not, or vice versa.

    Sentences about empty values are never reported, because both forms may mean the same.
    """
    terms = set(index_terms(sentence))
    text = plain(sentence).casefold()
    if not terms or _SAYS_NOTHING_IS_THERE.search(text):
        return False
    scored = [
        (len(terms & set(index_terms(each))) / len(terms), _NOT_NULL.sub("", plain(each).casefold()))
        for each in cited_sentences
    ]
    alike = [(score, each) for score, each in scored if score >= _LEAST_SHARED]
    if not alike or any(_SAYS_NOTHING_IS_THERE.search(each) for _, each in alike):
        return False
    best = max(score for score, _ in alike)
    negated = _NEGATION.search(text) is not None
    return all((_NEGATION.search(each) is not None) != negated for score, each in alike if score == best)


def _quantities(text: str) -> Iterable[tuple[str, str]]:
    for number, word in _NUMBER_AND_WORD.findall(plain(text).casefold()):
        unit = word.removesuffix("s")
        if unit in _UNITS:
            yield number.strip(".,"), unit
