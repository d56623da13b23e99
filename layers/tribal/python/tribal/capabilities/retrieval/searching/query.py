"""Reads a question: its words, their long forms, and whether it asks for a relationship. Uses no model."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain, pairwise

from tribal.naming import (
    STOP_WORDS,
    expand,
    glued,
    index_terms,
    is_spaceless,
    likely_words,
    query_terms,
    said_in,
    segment_all,
    split_runs,
    stem,
    terms_to_find,
    tokenize_text,
)
from tribal.ranking.relevance import Word
from tribal_contracts import QueryInterpretation

MAX_WORDS = 24
"""The most distinct words of a question that are considered."""
MAX_EXPANSIONS = 24
_LONG_FORM = 0.9
"""Weight of a word's long form. By judgement: at .45 or 1, no score changes in three digits."""
_CORRECTION = 0.8
"""Weight of the corrected spelling of a word. By judgement."""

_RELATED = 0.5
"""Weight of a related word. By judgement."""
_WHOLE = 0.8
"""Weight of a longer word that contains it. By judgement."""
MAX_WHOLES = 16
"""The most longer words that a word is looked for in."""
MAX_RELATED = 3
"""The most related words per word; synonyms come before broader words."""

_PARTICLES = frozenset({"in", "on", "over", "up"})
"""Stop words that end compounds: `signup`."""
_OTHER_PARTICLES = frozenset({"away", "back", "down", "off", "out"})
"""Other words that end compounds."""
_RELATIONSHIP_WORDS = frozenset(
    stem(word) for word in "join joined relate related relation relationship between link connect connection".split()
) | frozenset(("foreign", "refer", "referenc", stem("reference"), stem("references")))


@dataclass(frozen=True, slots=True)
class Concept:
    """A word of a question with its long form."""

    token: str
    stem: str
    long_form: tuple[str, ...]
    """The words that it abbreviates."""
    compounds: tuple[str, ...] = ()
    """The stems of compounds with the word before or after it: `webhook` of "web hook"."""
    correction: str | None = None
    """The correct spelling, if it is misspelt."""
    related: tuple[str, ...] = ()
    """Related words in names of tables, if no table is named after the word itself."""
    wholes: tuple[str, ...] = ()
    """The terms of longer words that contain it, if it is nowhere by itself."""
    characters: tuple[str, ...] = ()
    """Its terms, if its script has no spaces."""

    @property
    def spelt(self) -> str:
        """The word in its correct spelling."""
        return self.correction or self.token

    def corrected(self, word: str | None) -> Concept:
        """The same concept with a correction, if there is one."""
        return self if word is None else replace(self, correction=word)


_LITERAL = re.compile(
    r"""
    [a-z][a-z0-9+.-]*://\S+                                             # URLs
    | [^\s@<>"']+@[^\s@<>"']+\.[a-z]{2,}                                # e-mail addresses
    | \b[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}\b                 # UUIDs
    | \b(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}\b                             # MAC addresses
    | \b\d{1,3}(?:\.\d{1,3}){3}(?:/\d{1,2})?\b                          # IPv4 addresses and networks
    | \b\d{4}-\d{2}-\d{2}(?:[t ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:z|\s?[+-]\d{2}:?\d{2})?)?\b  # dates and times
    | \b\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?\b                            # times of day
    | \b(?=[0-9a-f]*\d)[0-9a-f]{16,}\b                                  # hashes
    """,
    re.IGNORECASE | re.VERBOSE,
)


def without_literals(text: str) -> str:
    """The question without values that select rows rather than tables, such as UUIDs; unchanged if nothing is left."""
    rest = _LITERAL.sub(" ", text)
    return rest if any(map(str.isalnum, rest)) else text


def read_question(text: str) -> list[Concept]:
    """The content words of a question, in order without duplicates."""
    tokens = segment_all(split_runs(tokenize_text(without_literals(text))))
    compounds = _compounds(tokens)
    content = [token for token in tokens if token not in STOP_WORDS | _OTHER_PARTICLES] or tokens
    concepts: dict[str, Concept] = {}
    for token in content:
        root = stem(token)
        if root in concepts or len(concepts) == MAX_WORDS:
            continue
        long_form = tuple(word for word in likely_words([token]) if word != token)
        characters = terms_to_find(token) if is_spaceless(token) else ()
        concepts[root] = Concept(token, root, long_form, compounds.get(token, ()), characters=characters)
    return list(concepts.values())


def _compounds(tokens: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """By token, the stems of compounds that it may be part of."""
    found: dict[str, dict[str, None]] = {}
    for pair in pairwise(tokens):
        if pair[0] in STOP_WORDS or (pair[1] in STOP_WORDS and pair[1] not in _PARTICLES):
            continue
        if any(map(is_spaceless, pair)):
            continue
        for compound in [*glued(pair), *_phrasal(*pair)]:
            for token in pair:
                found.setdefault(token, {})[stem(compound)] = None
    return {token: tuple(compounds) for token, compounds in found.items()}


def _phrasal(verb: str, particle: str) -> Iterator[str]:
    """The noun made of an inflected verb and its particle: "checkout" of "checked out"."""
    if verb.endswith(("ed", "ing")) and particle in _PARTICLES | _OTHER_PARTICLES:
        yield stem(verb) + particle


def search_terms(concepts: Sequence[Concept]) -> list[str]:
    """All terms for the words of a question. Compounds come last, because an index limits the number of terms."""
    compounds = [term for concept in concepts for term in concept.compounds]
    return list(dict.fromkeys(chain(*map(_strengths, concepts), compounds)))


def spoken_words(concepts: Sequence[Concept]) -> dict[str, str]:
    """A readable word for each term: the word of the question, else the word that it was read as."""
    spoken = {
        stem(word): word for concept in concepts for word in (*concept.related, *concept.long_form, concept.spelt)
    }
    wholes = {term: term for concept in concepts for term in concept.wholes}
    return wholes | spoken | {concept.stem: concept.token for concept in concepts}


def said_words(concepts: Sequence[Concept], spoken: Mapping[str, str], terms: Collection[str]) -> list[str]:
    """The words that a table shares with a question, given their terms and what `spoken_words` returns.

    A compound is among them only if neither of its words is.
    """
    runs = [word for concept in concepts if concept.characters for word in said_in(concept.token, terms)]
    words = [*(spoken[term] for term in sorted(terms) if term in spoken), *runs]
    return list(dict.fromkeys(words or sorted(terms)))


def words_to_find(concepts: Sequence[Concept], counts: Mapping[str, int]) -> list[Word]:
    """The words of a question as terms.

    Args:
        concepts: the words.
        counts: the number of tables that contain each term.
    """
    found: list[Word] = []
    for concept in concepts:
        if concept.characters:
            found += [Word({term: 1.0}) for term in query_terms([concept.token], counts)]
        else:
            found.append(Word(_strengths(concept) | {term: 1.0 for term in concept.compounds if counts.get(term)}))
    return found


def _strengths(concept: Concept) -> dict[str, float]:
    if concept.characters:
        return dict.fromkeys(concept.characters, 1.0)
    strengths = {concept.stem: 1.0}
    for word in concept.long_form:
        strengths.setdefault(stem(word), _LONG_FORM)
    if concept.correction is not None:
        strengths.setdefault(stem(concept.correction), _CORRECTION)
    for word in concept.related:
        strengths.setdefault(stem(word), _RELATED)
    for term in concept.wholes:
        strengths.setdefault(term, _WHOLE)
    return strengths


def interpret(text: str, concepts: Sequence[Concept], domains: frozenset[str]) -> QueryInterpretation:
    """How the question was understood, as part of the answer."""
    own = {concept.token for concept in concepts}
    others = [word for concept in concepts for word in _said(concept) if word not in own]
    stems = {concept.stem for concept in concepts}
    return QueryInterpretation(
        original_query=text,
        concepts=[concept.token for concept in concepts],
        expanded_terms=list(dict.fromkeys(others))[:MAX_EXPANSIONS],
        domain_hint=_domain_hint(concepts, domains),
        is_relationship_query=bool(stems & _RELATIONSHIP_WORDS),
    )


def _said(concept: Concept) -> list[str]:
    """Other words that it was read as; guessed long forms are used in the search but not shown."""
    words = (*expand(concept.token).split(), concept.spelt, *concept.related, *concept.wholes)
    return [word for word in words if word != concept.token]


# Equal for all questions to one generation by callers with the same scope.
@lru_cache(maxsize=64)
def _terms_of_domains(names: frozenset[str]) -> Mapping[str, tuple[str, ...]]:
    return {name: tuple(index_terms(name)) for name in names}


def _domain_hint(concepts: Sequence[Concept], domains: frozenset[str]) -> str | None:
    """The domain that the question names: the longest such name, or the one mentioned first of equally long ones."""
    terms_of = _terms_of_domains(domains)
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
