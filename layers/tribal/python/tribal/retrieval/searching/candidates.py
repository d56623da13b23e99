"""Candidate tables for a question: the signals of each, and what of them is relevant at all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from tribal.errors import EmbeddingFailed
from tribal.ports import ByVector, ByWords, Candidates, IndexFilter, VectorKind
from tribal.ranking.relevance import Evidence, Word, coverage, relevance, words_matched
from tribal.retrieval.searching.nonsense import meaning_of, near_tables
from tribal.retrieval.searching.query import Concept, read_question, search_terms, words_to_find
from tribal.retrieval.searching.table_map import Positions
from tribal.retrieval.searching.table_names import table_names
from tribal.retrieval.toolbox import OpenIndex, Toolbox
from tribal_contracts import AgentError

if TYPE_CHECKING:
    from numpy.typing import NDArray

MATCHES_BY_VECTOR = 200
"""A table matches when it shares a term or is among this many nearest."""
SCORED_A_SIGNAL = 1_000
"""The most candidates of one signal that are scored."""
COUNTED = 10_000
"""The most candidates sharing a term that are counted; beyond it, the total is a lower bound."""

_KINDS: tuple[VectorKind, ...] = ("table", "column", "table_name")


@dataclass(frozen=True)
class Found:
    """The index's candidates for a question."""

    concepts: tuple[Concept, ...]
    words: tuple[Word, ...]
    lexical: Candidates
    by_vector: Candidates
    by_column: Candidates
    by_name: Candidates
    by_letters: Candidates
    """The tables whose names look most like the words of the question."""
    near: NDArray[Any]
    """Ids of the tables that match because they are near in meaning."""
    named: Mapping[int, float]
    """Ids of the tables that the question names, each with how certainly."""
    counts: Mapping[str, int]
    tables: int
    """Number of tables that the caller may see."""
    unmatched: tuple[str, ...]
    """The words of the question that no table has."""
    warnings: tuple[AgentError, ...]

    @property
    def more_than_counted(self) -> bool:
        """Whether more tables share a term than were counted."""
        return len(self.lexical) >= COUNTED

    @cached_property
    def matches(self) -> NDArray[Any]:
        """Ids of the tables that share a term, best first, then of the others that are named or near in meaning."""
        others = np.union1d(self.near, np.fromiter(self.named, np.int64, len(self.named)))
        are_others = np.ones(len(others), bool)
        shared = Positions(others).of(self.lexical.ids)
        are_others[shared[shared >= 0]] = False
        return np.concatenate([self.lexical.ids, others[are_others]])

    @property
    def total(self) -> int:
        """Number of the tables that match."""
        return len(self.matches)

    def is_match(self, table: int) -> bool:
        """Whether a table matches."""
        return table in self.matches

    def shared_terms(self, table: int) -> frozenset[str]:
        """The terms of the question that a table contains."""
        positions = np.flatnonzero(self.lexical.ids == table)
        return self.lexical.matched(int(positions[0])) if len(positions) else frozenset()

    def relevance_of(self, table: int) -> float:
        """Certainty that a table is relevant, regardless of the other candidates."""
        return relevance(self.evidence_for(table))

    def evidence_for(self, table: int) -> Evidence:
        """What speaks for a table by itself."""
        shared = self.shared_terms(table)
        return Evidence(
            covered=coverage(self.words, shared, self.counts, self.tables),
            words=words_matched(self.words, shared),
            name=float(self.by_name.scores[self.by_name.ids == table].sum()),
            named=self.named.get(table, 0.0),
            tables=self.tables,
        )


def find(text: str, where: IndexFilter, opened: OpenIndex, toolbox: Toolbox) -> Found:
    """Ask the index for candidates by words and, if it has them, by vectors; look for those that the question names."""
    index, names = toolbox.index, table_names(opened, toolbox)
    asked = opened.asked(where)
    concepts = read_question(text)
    everywhere = opened.asked(IndexFilter(scope=toolbox.scope))
    counts = index.term_counts(search_terms(concepts), "table", everywhere)
    unmatched = tuple(concept.token for concept in concepts if not _is_held(concept, counts))
    misspelt = {word: right for word in unmatched if (right := names.named.corrected(word))}
    if misspelt:
        concepts = [concept.corrected(misspelt.get(concept.token)) for concept in concepts]
        counts |= index.term_counts(search_terms(concepts), "table", everywhere)
    words = words_to_find(concepts, counts)
    terms = list(dict.fromkeys(term for word in words for term in word.terms))
    # Function words say nothing about the topic of a sentence.
    vector, warnings = _vector(" ".join(concept.spelt for concept in concepts) or text, opened, toolbox)

    questions: list[ByWords | ByVector] = [ByWords(terms, "table", asked, COUNTED)]
    is_known = misspelt or len(unmatched) < len(concepts)
    meaning = "some" if is_known else meaning_of(text, unmatched, toolbox.embedder)
    if vector is not None and meaning != "none":
        questions += [ByVector(vector, kind, asked, SCORED_A_SIGNAL) for kind in _KINDS]
    lexical, *near = index.candidates(questions)
    by_vector, by_column, by_name = near or [Candidates.of(())] * len(_KINDS)
    near_ids = near_tables(by_vector, by_name) if meaning == "doubtful" else by_vector.ids[:MATCHES_BY_VECTOR]
    letters = names.grams.alike((concept.spelt for concept in concepts), SCORED_A_SIGNAL)
    ids = names.record_ids[letters.tables]
    named = names.named.named(text, lambda word: word not in unmatched)
    return Found(
        concepts=tuple(concepts),
        words=tuple(words),
        lexical=lexical,
        by_vector=by_vector,
        by_column=by_column,
        by_name=by_name,
        by_letters=Candidates(ids, letters.scores, ids),
        near=near_ids,
        named={
            int(names.record_ids[number]): certainty
            for number, certainty in named.items()
            if where.admits(opened.tables[number])
        },
        counts=counts,
        tables=len(opened.tables),
        unmatched=tuple(word for word in unmatched if word not in misspelt),
        warnings=tuple(warnings),
    )


def _is_held(concept: Concept, counts: Mapping[str, int]) -> bool:
    return any(counts.get(term) for term in search_terms([concept]))


def _vector(text: str, opened: OpenIndex, toolbox: Toolbox) -> tuple[NDArray[Any] | None, list[AgentError]]:
    """The vector of a question, or a warning that the answer was found by words alone."""
    built_with = opened.metadata.embedding_model
    embedder = toolbox.embedder
    if opened.metadata.embedding_count == 0 or embedder is None:
        reason = "the index has no vectors" if embedder is not None else "there is no embedding model here"
    elif embedder.model != built_with:
        reason = f"the index was built with {built_with!r} and this program has {embedder.model!r}"
    else:
        try:
            return embedder.embed([text])[0], []
        except EmbeddingFailed as exc:
            reason = exc.message
    return None, [toolbox.warning("IDX_EMBEDDING_FAILED", f"found by words alone: {reason}")]
