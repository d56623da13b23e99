"""Finds candidate tables for a question, with the signals of each and its relevance.

If no word of a question occurs in any table, its nearest tables may be chance, so a question without meaning gets none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from tribal.capabilities.retrieval.definitions.matching import (
    MatchedDefinitions,
    cached_embedding,
    named,
    similar,
)
from tribal.capabilities.retrieval.names import name_of
from tribal.capabilities.retrieval.searching.question_vectors import question_vector
from tribal.capabilities.retrieval.searching.question_words import ParsedQuestion, parse_question, table_names
from tribal.capabilities.retrieval.searching.table_map import Positions, table_map
from tribal.capabilities.retrieval.toolbox import OpenIndex, Toolbox
from tribal.errors import EmbeddingFailed, StoreError
from tribal.naming import STOP_WORDS, is_word, tokenize_text
from tribal.ports import Candidates, Embedder, IndexFilter, VectorKind, VectorQuery, WordQuery
from tribal.ranking.calibration import WORDS_ONLY, Calibration, calibration_for
from tribal.ranking.distinct import distinct
from tribal.ranking.named import MISSPELT, written_names
from tribal.ranking.relevance import Evidence, TopicEvidence, coverage, relevance, topic_probability
from tribal_contracts import AgentError

if TYPE_CHECKING:
    from numpy.typing import NDArray


RANKED_BY_VECTOR = 200
"""How many of the nearest tables may be in an answer, whether they match or not."""
SCORED_A_SIGNAL = 1_000
"""The most candidates of one signal that are scored."""
COUNTED = 10_000
"""The most candidates with a shared term that are counted; beyond it, the total is a lower bound."""

_COLUMNS_READ = 100
"""The most columns whose names are compared with names in a question."""
_MOST_OWNERS = 10
"""A column that more tables have says little about which of them is meant; by judgement."""
_KINDS: tuple[VectorKind, ...] = ("table", "column", "table_name")


@dataclass(frozen=True)
class SearchCandidates:
    """The index's candidates for a question."""

    question: ParsedQuestion
    lexical: Candidates
    by_vector: Candidates
    by_column: Candidates
    by_name: Candidates
    by_letters: Candidates
    """The tables whose names are spelled most like the words of the question."""
    nearest: NDArray[Any]
    """Ids of the tables nearest in meaning, which follow where too few tables match."""
    near_from: float
    """Cosine similarity from which a table is near to the question in meaning."""
    named: Mapping[int, float]
    """Ids of the tables that the question names, with the certainty of each."""
    columns: Mapping[int, str]
    """Ids of the tables with a column that the question names in full, with its name."""
    definitions: MatchedDefinitions
    """The metrics and terms that the question names, and the verified queries that answer one like it."""
    defined: Mapping[int, tuple[str, float]]
    """Ids of the tables of these, with the reason and its certainty."""
    entities: Sequence[NDArray[Any]]
    """For each run of the question's words that tables are called after, their ids."""
    joined: Mapping[int, int]
    """How many other tables declared keys join to each, by id; tables without any are left out."""
    calibration: Calibration
    warnings: tuple[AgentError, ...]

    @property
    def more_than_counted(self) -> bool:
        """Whether more tables share a term than were counted."""
        return len(self.lexical) >= COUNTED

    @cached_property
    def ranked(self) -> NDArray[Any]:
        """Ids of the tables that may be in the answer: by words, best first, then the others."""
        others = distinct(self.nearest, self._named)
        are_others = np.ones(len(others), bool)
        shared = Positions(others).of(self.lexical.ids)
        are_others[shared[shared >= 0]] = False
        return np.concatenate([self.lexical.ids, others[are_others]])

    @property
    def matches(self) -> NDArray[Any]:
        """Ids of the tables that match: they say a word of the question, are near to it in meaning, or named by it.

        A word that more than half of the tables say is a reason only for tables called after it, unless they say no
        other word of the question but numbers.
        """
        counts, half = self.question.counts, self.question.tables / 2
        terms = {term for word in self.question.words for term in word.terms if counts.get(term, 0) <= half}
        telling = self.lexical.with_any_of({term for term in terms if not term.isdecimal()})
        by_words = telling if len(telling) else self.lexical.ids
        return np.concatenate([by_words, *self.near.values(), *self.entities, self._named])

    @cached_property
    def near(self) -> Mapping[VectorKind, NDArray[Any]]:
        """Ids of the tables that are near to the question in meaning, by what is near.

        In scripts without spaces, all texts are near to each other: the models know few of their words.
        """
        whole, name, column = self.by_vector, self.by_name, self.by_column
        if any(concept.characters for concept in self.question.concepts):
            whole = name = column = Candidates.of(())
        return {
            "table": whole.ids[whole.scores >= self.near_from],
            "table_name": name.ids[name.scores >= self.near_from],
            "column": column.table_ids[column.scores >= self.near_from],
        }

    @property
    def _named(self) -> NDArray[Any]:
        """Ids of the tables that are named, or have a column, a metric or a term that is."""
        named = {**self.named, **self.columns, **self.defined}
        return np.fromiter(named, np.int64, len(named))

    @property
    def fully_named(self) -> frozenset[int]:
        """Ids of the tables that the question names in full."""
        return frozenset(table for table, certainty in self.named.items() if certainty >= MISSPELT)

    def shared_terms(self, table: int) -> frozenset[str]:
        """The terms of the question that a table contains."""
        positions = np.flatnonzero(self.lexical.ids == table)
        return self.lexical.matched(int(positions[0])) if len(positions) else frozenset()

    def relevance_of(self, table: int) -> float:
        """The probability that a table is needed, regardless of the other candidates."""
        return relevance(self.evidence_for(table), self.calibration.needed)

    def topic_evidence(self, first: Sequence[int]) -> TopicEvidence:
        """The evidence that the question is about these databases.

        Args:
            first: ids of the tables that are most likely needed.
        """
        return TopicEvidence(
            covered=max((self.evidence_for(table).covered for table in first), default=0.0),
            table=float(self.by_vector.scores.max(initial=0.0)),
            column=float(self.by_column.scores.max(initial=0.0)),
            tables=self.question.tables,
        )

    def topic_probability(self, first: Sequence[int]) -> float:
        """The probability that the question is about these databases."""
        return topic_probability(self.topic_evidence(first), self.calibration.topic)

    def evidence_for(self, table: int) -> Evidence:
        """The evidence for a table, without regard to other tables."""
        question = self.question
        return Evidence(
            covered=coverage(question.words, self.shared_terms(table), question.counts, question.tables),
            words=len(question.words),
            name=float(self.by_name.scores[self.by_name.ids == table].sum()),
            keys=self.joined.get(table, 0),
            is_called=any(table in tables for tables in self.entities),
            named=max(self.named.get(table, 0.0), self.defined.get(table, ("", 0.0))[1]),
            tables=question.tables,
        )


def find_candidates(text: str, where: IndexFilter, opened: OpenIndex, toolbox: Toolbox) -> SearchCandidates:
    """Query the index by words and, if it has them, by vectors; add the tables that the question names."""
    names, index_filter = table_names(opened, toolbox), opened.index_filter(where)
    question = parse_question(text, where, opened, toolbox)
    terms = list(dict.fromkeys(term for word in question.words for term in word.terms))
    # Function words say nothing about the topic of a sentence.
    everything = table_map(IndexFilter(scope=toolbox.scope), opened, toolbox)
    definitions, unread = _definitions(text, everything.name_terms, opened, toolbox)
    vector, warnings = question_vector(text, question, where, opened, toolbox)
    near_from = 1.0 if toolbox.embedder is None else toolbox.embedder.near

    questions: list[WordQuery | VectorQuery] = [WordQuery(terms, "table", index_filter, COUNTED)]
    meaning = "some" if question.is_known else _meaning_of(text, question.unknown, toolbox.embedder)
    if vector is not None and meaning != "none":
        questions += [VectorQuery(vector, kind, index_filter, SCORED_A_SIGNAL) for kind in _KINDS]
    lexical, *near = toolbox.index.candidates(questions)
    by_vector, by_column, by_name = near or [Candidates.of(())] * len(_KINDS)
    nearest = _near_tables(by_vector, by_name, near_from) if meaning == "doubtful" else by_vector.ids[:RANKED_BY_VECTOR]
    letters = names.grams.alike(question.spelt, SCORED_A_SIGNAL)
    ids = names.record_ids[letters.tables]
    named = names.named.named(
        text, lambda word: word not in question.unknown, lambda number: where.admits(opened.tables[number])
    )
    return SearchCandidates(
        question=question,
        lexical=lexical,
        by_vector=by_vector,
        by_column=by_column,
        by_name=by_name,
        by_letters=Candidates(ids, letters.scores, ids),
        nearest=nearest,
        near_from=near_from,
        named={int(names.record_ids[number]): certainty for number, certainty in named.items()},
        columns=_named_columns(text, terms, index_filter, toolbox),
        definitions=definitions,
        defined=_defined_tables(definitions, where, opened),
        entities=[
            names.record_ids[tables]
            for tables in names.named.spoken([(one.spelt, *one.long_form, *one.related) for one in question.concepts])
        ],
        joined=everything.joined,
        calibration=calibration_for(WORDS_ONLY if vector is None else opened.metadata.embedding_model),
        warnings=(*warnings, *unread),
    )


def _named_columns(text: str, terms: list[str], where: IndexFilter, toolbox: Toolbox) -> dict[int, str]:
    """Ids of the tables that have a column written in a question, with its name; none for a name that many have."""
    written = written_names(text)
    if not written or not terms:
        return {}
    (found,) = toolbox.index.candidates([WordQuery(terms, "column", where, _COLUMNS_READ)])
    records = toolbox.index.records(found.ids.tolist())
    owners: dict[str, dict[int, str]] = {name: {} for name in written}
    for column, table in zip(found.ids.tolist(), found.table_ids.tolist(), strict=True):
        name = records[column].column_name if column in records else None
        if name is not None and name.casefold() in owners:
            owners[name.casefold()][table] = name
    return {table: name for each in owners.values() if len(each) <= _MOST_OWNERS for table, name in each.items()}


def _definitions(
    text: str, names: Set[str], opened: OpenIndex, toolbox: Toolbox
) -> tuple[MatchedDefinitions, list[AgentError]]:
    """Find the definitions that a question is about, given the terms of table names; warn if they cannot be read."""
    if toolbox.definitions is None:
        return MatchedDefinitions(), []
    try:
        known = toolbox.definitions(opened.bounds)
    except StoreError as error:
        message = f"metrics, terms and verified queries were not searched: {error.message}"
        return MatchedDefinitions(), [toolbox.warning("RET_ANSWER_PARTIAL", message)]
    metrics, terms = named(text, known)
    # A server would be sent every verified query, also of databases that are kept from it.
    embedder = None if toolbox.embedder is None or toolbox.embedder.sends_texts else toolbox.embedder
    answering = similar(text, known.queries, cached_embedding(embedder, toolbox.derived), names)
    return MatchedDefinitions(metrics, terms, answering), []


def _defined_tables(found: MatchedDefinitions, where: IndexFilter, opened: OpenIndex) -> dict[int, tuple[str, float]]:
    reasons = found.tables()
    if not reasons:
        return {}
    entries = ((name_of(entry), entry) for entry in opened.tables if where.admits(entry))
    return {entry.record_id: reasons[name] for name, entry in entries if name in reasons}


_Meaning = Literal["some", "doubtful", "none"]


def _meaning_of(question: str, words: Sequence[str], embedder: Embedder | None) -> _Meaning:
    """Whether a question without any known word means anything.

    English words do. Words that only look real do within a sentence; by themselves, they are doubtful if they are at
    least half of the words. Anything else means nothing.

    Args:
        question: the question.
        words: its content words.
        embedder: judges which words look real; without one, every question counts as meaningful.
    """
    if embedder is None or any(map(is_word, words)):
        return "some"
    try:
        used = sum(embedder.knows(words))
    except EmbeddingFailed:
        return "some"
    if used and not STOP_WORDS.isdisjoint(tokenize_text(question)):
        return "some"
    # The more made-up words, the likelier that one of them looks real.
    return "doubtful" if used and 2 * used >= len(words) else "none"


def _near_tables(whole: Candidates, name: Candidates, near_from: float) -> NDArray[Any]:
    """Ids of the tables that are near to doubtful words, as a whole or by their names."""
    return distinct(whole.ids[whole.scores >= near_from], name.ids[name.scores >= near_from])
