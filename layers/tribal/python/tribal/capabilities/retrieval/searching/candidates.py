"""Candidate tables for a question: the signals of each, and what of them is relevant at all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from tribal.capabilities.retrieval.searching.nonsense import meaning_of, near_tables
from tribal.capabilities.retrieval.searching.question_words import Reading, read
from tribal.capabilities.retrieval.searching.table_map import Positions
from tribal.capabilities.retrieval.searching.table_names import table_names
from tribal.capabilities.retrieval.toolbox import OpenIndex, Toolbox
from tribal.errors import EmbeddingFailed
from tribal.ports import Candidates, IndexFilter, VectorKind, VectorQuery, WordQuery
from tribal.ranking.distinct import distinct
from tribal.ranking.named import MISSPELT
from tribal.ranking.relevance import Evidence, coverage, relevance
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

    reading: Reading
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
    warnings: tuple[AgentError, ...]

    @property
    def more_than_counted(self) -> bool:
        """Whether more tables share a term than were counted."""
        return len(self.lexical) >= COUNTED

    @cached_property
    def matches(self) -> NDArray[Any]:
        """Ids of the tables that share a term, best first, then of the others that are named or near in meaning."""
        others = distinct(self.near, np.fromiter(self.named, np.int64, len(self.named)))
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

    @property
    def fully_named(self) -> frozenset[int]:
        """Ids of the tables that the question names by all of their name."""
        return frozenset(table for table, certainty in self.named.items() if certainty >= MISSPELT)

    def shared_terms(self, table: int) -> frozenset[str]:
        """The terms of the question that a table contains."""
        positions = np.flatnonzero(self.lexical.ids == table)
        return self.lexical.matched(int(positions[0])) if len(positions) else frozenset()

    def relevance_of(self, table: int) -> float:
        """Certainty that a table is relevant, regardless of the other candidates."""
        return relevance(self.evidence_for(table))

    def evidence_for(self, table: int) -> Evidence:
        """What speaks for a table by itself."""
        reading = self.reading
        return Evidence(
            covered=coverage(reading.words, self.shared_terms(table), reading.counts, reading.tables),
            words=len(reading.words),
            name=float(self.by_name.scores[self.by_name.ids == table].sum()),
            named=self.named.get(table, 0.0),
            tables=reading.tables,
        )


def find(text: str, where: IndexFilter, opened: OpenIndex, toolbox: Toolbox) -> Found:
    """Ask the index for candidates by words and, if it has them, by vectors; look for those that the question names."""
    names, asked = table_names(opened, toolbox), opened.asked(where)
    reading = read(text, where, opened, toolbox)
    terms = list(dict.fromkeys(term for word in reading.words for term in word.terms))
    # Function words say nothing about the topic of a sentence.
    vector, warnings = _vector(" ".join(reading.spelt) or text, opened, toolbox)

    questions: list[WordQuery | VectorQuery] = [WordQuery(terms, "table", asked, COUNTED)]
    meaning = "some" if reading.is_known else meaning_of(text, reading.unknown, toolbox.embedder)
    if vector is not None and meaning != "none":
        questions += [VectorQuery(vector, kind, asked, SCORED_A_SIGNAL) for kind in _KINDS]
    lexical, *near = toolbox.index.candidates(questions)
    by_vector, by_column, by_name = near or [Candidates.of(())] * len(_KINDS)
    near_ids = near_tables(by_vector, by_name) if meaning == "doubtful" else by_vector.ids[:MATCHES_BY_VECTOR]
    letters = names.grams.alike(reading.spelt, SCORED_A_SIGNAL)
    ids = names.record_ids[letters.tables]
    named = names.named.named(
        text, lambda word: word not in reading.unknown, lambda number: where.admits(opened.tables[number])
    )
    return Found(
        reading=reading,
        lexical=lexical,
        by_vector=by_vector,
        by_column=by_column,
        by_name=by_name,
        by_letters=Candidates(ids, letters.scores, ids),
        near=near_ids,
        named={int(names.record_ids[number]): certainty for number, certainty in named.items()},
        warnings=tuple(warnings),
    )


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
