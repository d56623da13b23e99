"""Candidate tables for a question, with their signals, and their ranking."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from tribal.errors import EmbeddingFailed
from tribal.ports import ByVector, ByWords, Candidates, IndexFilter, VectorKind
from tribal.ranking.order import rank_tables
from tribal.ranking.relevance import Word, coverage, evidence
from tribal.ranking.signals import Signal, Signals
from tribal.retrieval.graphs import Positions, TableMap, table_map
from tribal.retrieval.query import Concept, search_terms, words_to_find
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

    words: tuple[Word, ...]
    lexical: Candidates
    by_vector: Candidates
    by_column: Candidates
    by_name: Candidates
    counts: Mapping[str, int]
    tables: int
    """Number of tables that the caller may see."""
    warnings: tuple[AgentError, ...]

    @property
    def more_than_counted(self) -> bool:
        """Whether more tables share a term than were counted."""
        return len(self.lexical) >= COUNTED

    @property
    def total(self) -> int:
        """Number of tables that share a term or have a similar vector."""
        near = self.by_vector.ids[:MATCHES_BY_VECTOR]
        return len(self.lexical) + int(np.count_nonzero(self._lexical.of(near) < 0))

    def matching(self, tables: NDArray[Any]) -> NDArray[Any]:
        """Mask of the tables that share a term or have a similar vector."""
        near = Positions(self.by_vector.ids[:MATCHES_BY_VECTOR])
        found: NDArray[Any] = (self._lexical.of(tables) >= 0) | (near.of(tables) >= 0)
        return found

    @cached_property
    def _cosines(self) -> dict[int, float]:
        return dict(zip(self.by_vector.ids.tolist(), self.by_vector.scores.tolist(), strict=True))

    @cached_property
    def _lexical(self) -> Positions:
        return Positions(self.lexical.ids)

    def shared_terms(self, table: int) -> frozenset[str]:
        """The terms of the question that a table contains."""
        position = int(self._lexical.of(np.array([table]))[0])
        return frozenset() if position < 0 else self.lexical.matched(position)

    def evidence_for(self, table: int) -> float:
        """Certainty that a table is relevant, regardless of the other candidates."""
        covered = coverage(self.words, self.shared_terms(table), self.counts, self.tables)
        return evidence(covered, self._cosines.get(table))


def find(text: str, concepts: list[Concept], where: IndexFilter, opened: OpenIndex, toolbox: Toolbox) -> Found:
    """Ask the index for candidates by words and, if it has them, by vectors."""
    index = toolbox.index
    where = opened.asked(where)
    counts = index.term_counts(search_terms(concepts), "table", opened.asked(IndexFilter(scope=toolbox.scope)))
    words = words_to_find(concepts, counts)
    terms = list(dict.fromkeys(term for word in words for term in word.terms))
    # Function words say nothing about the topic of a sentence.
    vector, warnings = _vector(" ".join(concept.token for concept in concepts) or text, opened, toolbox)

    questions: list[ByWords | ByVector] = [ByWords(terms, "table", where, COUNTED)]
    if vector is not None:
        questions += [ByVector(vector, kind, where, SCORED_A_SIGNAL) for kind in _KINDS]
    lexical, *near = index.candidates(questions)
    by_vector, by_column, by_name = near or [Candidates.of(())] * len(_KINDS)
    return Found(
        words=tuple(words),
        lexical=lexical,
        by_vector=by_vector,
        by_column=by_column,
        by_name=by_name,
        counts=counts,
        tables=len(opened.tables),
        warnings=tuple(warnings),
    )


def rank(found: Found, where: IndexFilter, opened: OpenIndex, toolbox: Toolbox) -> NDArray[Any]:
    """Ids of the matching tables that pass the filter, most likely first, ties by name."""
    numbered = table_map(where, opened, toolbox)
    signals = Signals(
        lexical=_signal(found.lexical[:SCORED_A_SIGNAL], numbered),
        whole=_signal(found.by_vector, numbered),
        column=_signal(found.by_column, numbered),
        name=_signal(found.by_name, numbered),
    )
    order = rank_tables(signals, numbered.neighbourhood, toolbox.weights)
    ranked = numbered.record_ids[order]
    # Lexical matches that were not scored come after all scored tables, in lexical order.
    rest = found.lexical.ids[SCORED_A_SIGNAL:]
    matching: NDArray[Any] = np.concatenate([ranked[found.matching(ranked)], rest[Positions(ranked).of(rest) < 0]])
    return matching


def _signal(candidates: Candidates, numbered: TableMap) -> Signal:
    """The score of each table's best candidate, which is the table itself or one of its columns."""
    ids = np.where(candidates.table_ids > 0, candidates.table_ids, candidates.ids)
    # Candidates are sorted best first, so a table's first one is its best.
    tables, firsts = np.unique(numbered.numbers(ids), return_index=True)
    known = tables >= 0
    return Signal(tables[known], candidates.scores[firsts[known]])


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
