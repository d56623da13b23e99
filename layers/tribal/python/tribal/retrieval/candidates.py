"""The tables that a question may be about, with the signals that speak for each, in order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from tribal.errors import EmbeddingFailed
from tribal.ports import Candidate, IndexFilter, TableEntry
from tribal.ranking.fusion import Signals, fuse
from tribal.ranking.propagation import propagate
from tribal.ranking.relevance import Word, coverage, evidence
from tribal.retrieval.graphs import join_graph
from tribal.retrieval.names import name_of
from tribal.retrieval.query import Concept, search_terms, words_to_find
from tribal.retrieval.toolbox import Ready, Toolbox
from tribal_contracts import AgentError

if TYPE_CHECKING:
    from numpy.typing import NDArray

MATCHES_BY_VECTOR = 200
"""A table matches when it shares a term or is among this many nearest."""
SCORED_A_SIGNAL = 1_000
"""Candidates of one signal that are scored."""
COUNTED = 10_000
"""Candidates that share a term which are counted one by one; a total above is a lower bound."""


@dataclass(frozen=True)
class Found:
    """What the index knows of a question."""

    words: tuple[Word, ...]
    lexical: tuple[Candidate, ...]
    by_vector: tuple[Candidate, ...]
    by_column: tuple[Candidate, ...]
    counts: Mapping[str, int]
    tables: int
    """How many tables the caller may see."""
    warnings: tuple[AgentError, ...]

    @property
    def more_than_counted(self) -> bool:
        """Whether more tables share a term than were counted."""
        return len(self.lexical) >= COUNTED

    @cached_property
    def matches(self) -> frozenset[int]:
        """Tables that share a term or are near by their vector."""
        near = (candidate.record_id for candidate in self.by_vector[:MATCHES_BY_VECTOR])
        return frozenset((*(candidate.record_id for candidate in self.lexical), *near))

    @cached_property
    def signals(self) -> Signals:
        """What ranking works with."""
        best_column: dict[int, float] = {}
        for candidate in self.by_column:
            if candidate.table_id is not None:
                best_column.setdefault(candidate.table_id, candidate.score)
        return Signals(
            lexical={candidate.record_id: candidate.score for candidate in self.lexical[:SCORED_A_SIGNAL]},
            table_vector={candidate.record_id: candidate.score for candidate in self.by_vector},
            best_column=best_column,
        )

    @cached_property
    def shared_terms(self) -> dict[int, frozenset[str]]:
        """The terms of the question that each table holds."""
        return {candidate.record_id: candidate.matched for candidate in self.lexical}

    def evidence_for(self, table: int) -> float:
        """How sure it is that a table is meant, whatever else was found."""
        covered = coverage(self.words, self.shared_terms.get(table, frozenset()), self.counts, self.tables)
        return evidence(covered, self.signals.table_vector.get(table))


def find(text: str, concepts: list[Concept], where: IndexFilter, ready: Ready, toolbox: Toolbox) -> Found:
    """Ask the index for candidates, by words and, where it has them, by vectors."""
    index = toolbox.index
    counts = index.term_counts(search_terms(concepts), "table", toolbox.scope)
    words = words_to_find(concepts, counts)
    terms = list(dict.fromkeys(term for word in words for term in word.terms))
    vector, warnings = _vector(text, ready, toolbox)
    return Found(
        words=tuple(words),
        lexical=tuple(index.lexical(terms, "table", where, COUNTED)),
        by_vector=() if vector is None else tuple(index.nearest(vector, "table", where, SCORED_A_SIGNAL)),
        by_column=() if vector is None else tuple(index.nearest(vector, "column", where, SCORED_A_SIGNAL)),
        counts=counts,
        tables=len(ready.tables),
        warnings=tuple(warnings),
    )


def rank(found: Found, tables: list[TableEntry], toolbox: Toolbox) -> list[int]:
    """Matching tables, the likeliest first, ties by name; `tables` are those that the filter lets through."""
    scores = fuse(found.signals, found.signals.candidates())
    ids = {name_of(entry): entry.record_id for entry in tables}
    names = {record: name for name, record in ids.items()}
    graph = join_graph(toolbox.index)
    share = sum(any(other in ids for other in graph.adjacent.get(name, ())) for name in ids) / len(ids) if ids else 0.0

    def neighbours(table: int) -> list[int]:
        return [ids[other] for other in graph.adjacent.get(names.get(table, ""), ()) if other in ids]

    scores = propagate(scores, neighbours, share)
    # A match by word alone beyond those that are scored comes after all that are, in the order of its words.
    rest = (candidate.record_id for candidate in found.lexical[SCORED_A_SIGNAL:] if candidate.record_id not in scores)
    ranked = sorted(scores, key=lambda table: (-scores[table], names.get(table, "")))
    return [table for table in (*ranked, *rest) if table in found.matches]


def _vector(text: str, ready: Ready, toolbox: Toolbox) -> tuple[NDArray[Any] | None, list[AgentError]]:
    """The vector of a question; without one the answer says that it was found by words alone."""
    built_with = ready.metadata.embedding_model
    embedder = toolbox.embedder
    if ready.metadata.embedding_count == 0 or embedder is None:
        reason = "the index has no vectors" if embedder is not None else "there is no embedding model here"
    elif embedder.model != built_with:
        reason = f"the index was built with {built_with!r} and this program has {embedder.model!r}"
    else:
        try:
            return embedder.embed([text])[0], []
        except EmbeddingFailed as exc:
            reason = exc.message
    return None, [toolbox.warning("IDX_EMBEDDING_FAILED", f"found by words alone: {reason}")]
