"""Finds the metrics, terms and verified queries that a question is about."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from tribal.errors import EmbeddingFailed
from tribal.naming.tokens import content_words, terms_of, tokenize_text
from tribal.ports import DerivedValues, Embedder
from tribal.questions.ordinary import rarity
from tribal.ranking.named import DEFINED
from tribal_contracts import DefinedMetric, DefinedTerm, Definitions, VerifiedQuery

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_QUERIES = 3
"""Source: docs/contracts.md, Context."""
_SAME, _SAME_WORDS = 0.6, 0.5
"""The cosine, and the share of terms, from which two questions ask for the same. By judgement."""
_BETWEEN = 2
"""Other content words that may stand between those of a name. By judgement."""
_STATUSES: tuple[Literal["current", "changed", "broken"], ...] = ("current", "changed", "broken")

Embed = Callable[[Sequence[str]], "NDArray[Any] | None"]
"""Vectors of texts, one per row; `None` if there is no embedding model."""


@dataclass(frozen=True, slots=True)
class MatchedDefinitions:
    """What a question is about: metrics and terms that it names, and queries that answer a similar one."""

    metrics: Sequence[DefinedMetric] = ()
    terms: Sequence[DefinedTerm] = ()
    similar: Sequence[tuple[VerifiedQuery, float]] = ()
    """At most three queries with the similarity of their question, 0 to 1: current ones first, then by similarity."""

    @property
    def queries(self) -> list[VerifiedQuery]:
        """The queries."""
        return [query for query, _ in self.similar]

    @property
    def answering_tables(self) -> frozenset[str]:
        """The tables of the first current query: nothing else is needed to answer the question."""
        current = (query.tables for query, _ in self.similar if query.status == "current")
        return frozenset(next(current, ()))

    def tables(self) -> dict[str, tuple[str, float]]:
        """The tables of what is current, by qualified name: the reason why each is meant, and how certain that is."""
        found: dict[str, tuple[str, float]] = {}
        for metric in self.metrics:
            for table in metric.tables:
                found.setdefault(table, (f"the metric {metric.name!r} uses it", DEFINED))
        for term in self.terms:
            for table in term.tables:
                found.setdefault(table, (f"the term {term.name!r} names it", DEFINED))
        for query, similarity in self.similar:
            for table in query.tables if query.status == "current" else ():
                if table not in found or found[table][1] < similarity:
                    found[table] = (f"the verified query {query.file} uses it", similarity)
        return found

    def explains(self, word: str) -> bool:
        """Whether a word is in the name or a synonym of one of the metrics or terms."""
        items: list[DefinedMetric | DefinedTerm] = [*self.metrics, *self.terms]
        names = (name for each in items for name in (each.name, *each.synonyms))
        return not {*terms_of([word])}.isdisjoint(term for name in names for term in terms_of(content_words(name)))


def named(question: str, definitions: Definitions) -> tuple[list[DefinedMetric], list[DefinedTerm]]:
    """The metrics and terms whose name or synonym is in a question, in any order and number."""
    said = list(terms_of(tokenize_text(question)))
    return (
        [each for each in definitions.metrics if _is_named(said, (each.name, *each.synonyms))],
        [each for each in definitions.terms if _is_named(said, (each.name, *each.synonyms))],
    )


def similar(
    question: str, queries: Sequence[VerifiedQuery], embed: Embed = lambda _: None, names: Set[str] = frozenset()
) -> list[tuple[VerifiedQuery, float]]:
    """The queries that answer a question like this one with its similarity, at most three, current ones first.

    Args:
        question: in plain words.
        queries: those that the caller may see.
        embed: makes vectors; without a model, questions are compared by their words.
        names: terms of the names of tables, which questions about different things share.
    """
    if not queries:
        return []
    asked = [(query, text) for query in queries for text in query.questions]
    vectors = embed([question, *(text for _, text in asked)])
    cosines = [0.0] * len(asked) if vectors is None else (vectors[1:] @ vectors[0]).tolist()
    own = frozenset(terms_of(content_words(question)))
    best: dict[str, float] = {}
    for (query, text), cosine in zip(asked, cosines, strict=True):
        shared = _shared(own, frozenset(terms_of(content_words(text))), names)
        score = max(shared if shared >= _SAME_WORDS else 0.0, cosine if cosine >= _SAME else 0.0)
        best[query.file] = max(best.get(query.file, 0.0), min(score, 1.0))
    found = [(query, best[query.file]) for query in queries if best[query.file]]
    found.sort(key=lambda each: (_STATUSES.index(each[0].status), -each[1], each[0].file))
    return found[:MOST_QUERIES]


def _shared(one: Set[str], other: Set[str], names: Set[str]) -> float:
    """The share of their terms that two questions have in common, 0 to 1; 0 if those only name tables.

    Rare words weigh more, and names of tables half.
    """

    def weight(terms: Set[str]) -> float:
        return sum(rarity(term) * (0.5 if term in names else 1.0) for term in terms)

    if one != other and (one & other) <= names:
        return 0.0
    return 2 * weight(one & other) / (weight(one) + weight(other))


def cached_embedding(embedder: Embedder | None, derived: DerivedValues) -> Embed:
    """An `embed` that keeps the vectors of the questions that definitions have."""

    def embed(texts: Sequence[str]) -> NDArray[Any] | None:
        if embedder is None:
            return None
        asked, *kept = texts
        try:
            known = derived.get("definitions", (embedder.model, tuple(kept)), lambda: embedder.embed(kept))
            return _stacked(embedder.embed([asked]), known)
        except EmbeddingFailed:
            return None

    return embed


def _stacked(first: NDArray[Any], rest: NDArray[Any]) -> NDArray[Any]:
    import numpy as np

    return np.concatenate([first, rest])


def _is_named(said: Sequence[str], names: Iterable[str]) -> bool:
    return any(_occurs(said, list(terms_of(content_words(name)))) for name in names)


def _occurs(said: Sequence[str], name: Sequence[str]) -> bool:
    """Whether all terms of a name are close to each other in what is said."""
    wanted = set(name)
    if not wanted or not wanted.issubset(said):
        return False
    places = [place for place, term in enumerate(said) if term in wanted]
    longest = len(wanted) + _BETWEEN if len(wanted) > 1 else 1
    return any(wanted.issubset(said[place : place + longest]) for place in places)
