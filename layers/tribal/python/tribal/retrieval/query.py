"""Reading a question: its words, their synonyms, and the kind of question. Uses no model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, pairwise

from tribal.naming import (
    STOP_WORDS,
    expand,
    glued,
    index_terms,
    likely_words,
    segment_all,
    stem,
    synonyms,
    tokenize_text,
)
from tribal.ranking.relevance import Word
from tribal.retrieval.literals import without_literals
from tribal_contracts import QueryInterpretation

MAX_WORDS = 24
"""The most distinct words of a question that are considered."""
MAX_EXPANSIONS = 24
# Chosen by judgement. The effects of other values were measured with `python -m bench.retrieval` in November 2026 on
# bird_mini and defog; with these, the AUC (how well scores separate defog's questions from unanswerable ones) is .785.
_SYNONYMS_A_WORD = 4
"""With none, ALL@10 is unchanged and the AUC is .787; with 8, ALL@10 falls from .982 to .980 on bird_mini."""
_LONG_FORM = 0.9
"""Strength of a word's long form. Halved or at 1, nothing changes to three digits."""
_SYNONYM = 0.6
"""Strength of a synonym. It affects scores only: halved, the AUC is .784; at 1, .783."""

_PARTICLES = frozenset({"in", "on", "over", "up"})
"""Stop words that end compounds: `signup`."""
_RELATIONSHIP_WORDS = frozenset(
    stem(word) for word in "join joined relate related relation relationship between link connect connection".split()
) | frozenset(("foreign", "refer", "referenc", stem("reference"), stem("references")))


@dataclass(frozen=True, slots=True)
class Concept:
    """A word of a question with its long form and synonyms."""

    token: str
    stem: str
    long_form: tuple[str, ...]
    """The words that it abbreviates."""
    synonyms: tuple[str, ...]
    compounds: tuple[str, ...] = ()
    """The stems of what it makes with the word before and after it: `webhook` of "web hook"."""


def read_question(text: str) -> list[Concept]:
    """The content words of a question, in order without duplicates."""
    tokens = segment_all(tokenize_text(without_literals(text)))
    compounds = _compounds(tokens)
    telling = [token for token in tokens if token not in STOP_WORDS] or tokens
    concepts: dict[str, Concept] = {}
    for token in telling:
        root = stem(token)
        if root in concepts or len(concepts) == MAX_WORDS:
            continue
        long_form = tuple(word for word in likely_words([token]) if word != token)
        concepts[root] = Concept(token, root, long_form, synonyms(token)[:_SYNONYMS_A_WORD], compounds.get(token, ()))
    return list(concepts.values())


def _compounds(tokens: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """By token, the stems of what it may be a part of."""
    found: dict[str, dict[str, None]] = {}
    for pair in pairwise(tokens):
        if pair[0] in STOP_WORDS or (pair[1] in STOP_WORDS and pair[1] not in _PARTICLES):
            continue
        for compound in glued(pair):
            for token in pair:
                found.setdefault(token, {})[stem(compound)] = None
    return {token: tuple(compounds) for token, compounds in found.items()}


def search_terms(concepts: Sequence[Concept]) -> list[str]:
    """All terms for the words of a question, synonyms last: an index may look up only so many."""
    compounds = [term for concept in concepts for term in concept.compounds]
    own, all_terms = ([_strengths(concept, with_synonyms=wide) for concept in concepts] for wide in (False, True))
    return list(dict.fromkeys(chain(*own, compounds, *all_terms)))


def spoken_words(concepts: Sequence[Concept]) -> dict[str, str]:
    """A readable word for each term: the word of the question, or else its long form or synonym."""
    spoken: dict[str, str] = {}
    for concept in concepts:
        spoken |= {term: word for word in concept.synonyms for term in index_terms(word) if term not in spoken}
        spoken |= {stem(word): word for word in concept.long_form}
    return spoken | {concept.stem: concept.token for concept in concepts}


def words_to_find(concepts: Sequence[Concept], counts: Mapping[str, int]) -> list[Word]:
    """The words of a question as terms; synonyms are used only for words that no table contains.

    Args:
        concepts: the words.
        counts: the number of tables that contain each term.
    """
    words: list[Word] = []
    for concept in concepts:
        own = _strengths(concept, with_synonyms=False)
        held = any(counts.get(term) for term in own)
        terms = own if held else _strengths(concept, with_synonyms=True)
        words.append(Word(terms | {term: 1.0 for term in concept.compounds if counts.get(term)}))
    return words


def _strengths(concept: Concept, *, with_synonyms: bool) -> dict[str, float]:
    strengths = {concept.stem: 1.0}
    for word in concept.long_form:
        strengths.setdefault(stem(word), _LONG_FORM)
    for word in concept.synonyms if with_synonyms else ():
        terms = index_terms(word)
        if len(terms) == 1:
            strengths.setdefault(terms[0], _SYNONYM)
    return strengths


def interpret(text: str, concepts: Sequence[Concept], domains: Iterable[str]) -> QueryInterpretation:
    """How the question was understood, as part of the answer."""
    own = {concept.token for concept in concepts}
    others = [word for concept in concepts for word in (*_said(concept), *concept.synonyms) if word not in own]
    stems = {concept.stem for concept in concepts}
    return QueryInterpretation(
        original_query=text,
        concepts=[concept.token for concept in concepts],
        expanded_terms=list(dict.fromkeys(others))[:MAX_EXPANSIONS],
        domain_hint=_domain_hint(concepts, domains),
        is_relationship_query=bool(stems & _RELATIONSHIP_WORDS),
    )


def _said(concept: Concept) -> list[str]:
    """The long form where it is certain; what was only guessed helps to find and is not shown."""
    return [word for word in expand(concept.token).split() if word != concept.token]


# Called for every domain on every question.
@lru_cache(maxsize=4_096)
def _terms_of_domain(name: str) -> tuple[str, ...]:
    return tuple(index_terms(name))


def _domain_hint(concepts: Sequence[Concept], domains: Iterable[str]) -> str | None:
    """The domain that the question names: the longest such name or, of equally long ones, the one mentioned first."""
    terms_of = {name: _terms_of_domain(name) for name in domains}
    as_said = {concept.stem: place for place, concept in enumerate(concepts)}
    spelt_out = {stem(word): place for place, concept in enumerate(concepts) for word in concept.long_form} | as_said
    for said in (as_said, spelt_out):
        named = [
            (-len(terms), min(said[term] for term in terms), name)
            for name, terms in terms_of.items()
            if terms and all(term in said for term in terms)
        ]
        if named:
            return min(named)[2]
    return None
