"""Finds memories by words and by meaning, within the spaces of the caller."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from tribal.capabilities.memory.errors import IdentifierMissing
from tribal.capabilities.memory.relevance import Candidate, scores
from tribal.errors import EmbeddingFailed
from tribal.naming.languages.compounds import may_be_compound, may_be_part, with_part
from tribal.naming.stemming import stem
from tribal.naming.tokens import content_words, query_terms
from tribal.ports.remembering.identity import LAYERS, Identity
from tribal.ports.remembering.memory_index import FoundMemory, MemoryIndex
from tribal.ports.remembering.selection import MemorySelection
from tribal.scoping.bounds import Bounds
from tribal_contracts.memory import (
    MemoryRecord,
    MemorySearchInput,
    MemorySearchOutput,
    MemorySearchResult,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tribal.ports.index.reader import Embedder
    from tribal_contracts import ChangedTable

CANDIDATES = 1_000
"""Memories considered for each signal."""
ANSWER_BYTES = 12_000
"""Limit for all results together: 3,000 tokens."""
_NAMED_WORDS = 5
"""How many words of the question a reason names."""
_IGNORED_WORDS = frozenset(("a", "an", "also", "just", "please", "that", "the"))
"""Words that do not change the meaning of a sentence."""
_BEFORE = "\"'`([\u2018\u201c"
_AFTER = "\"'`)].,;:!?\u2019\u201d\u2026"


@dataclass(frozen=True, slots=True)
class Recall:
    """The caller and the index of a search.

    `session_age` is how long a session's memories last after its last use.
    """

    index: MemoryIndex
    embedder: Callable[[], Embedder]
    identity: Identity
    bounds: Bounds
    now: datetime
    session_age: timedelta
    changes: Callable[[Sequence[MemoryRecord]], Mapping[str, Sequence[ChangedTable]]] = lambda _: {}
    """What has changed in the tables of memories since they were added, by id."""


def search(request: MemorySearchInput, recall: Recall) -> MemorySearchOutput:
    """Answer `memory_search`.

    Raises:
        MemoryInputInvalid: when the caller has an identifier for none of the layers.
    """
    layers, warnings = _layers(request, recall.identity)
    spaces = tuple(space for layer in layers for space in recall.identity.spaces(layer))
    wanted = MemorySelection(spaces, tuple(request.wanted_tags), recall.bounds.scope, recall.now - recall.session_age)
    words = content_words(request.query)
    candidates, is_cut = _candidates(request.query, words, wanted, recall)
    if is_cut:
        warnings.append(
            f"totalCount counts the {CANDIDATES:,} nearest memories by words and by meaning; there may be more"
        )
    found = _distinct([each for each in candidates if each.score >= request.threshold])
    results: list[MemorySearchResult] = []
    size = 0
    shown = found[: request.limit]
    changes = recall.changes([each.memory.record for each in shown])
    for each in shown:
        result = _result(each, words, changes.get(each.memory.record.memory_id, ()))
        size += len(result.to_compact_json())
        if results and size > ANSWER_BYTES:
            break
        results.append(result)
    return MemorySearchOutput(
        results=results,
        total_count=len(found),
        searched_layers=layers,
        returned=len(results) if len(results) < len(found) else None,
        truncated=True if len(results) < min(len(found), request.limit) else None,
        warnings=warnings or None,
    )


def _layers(request: MemorySearchInput, identity: Identity) -> tuple[list[Any], list[str]]:
    """The layers to search in order of precedence, and warnings about the others."""
    held = [layer for layer in LAYERS if identity.spaces(layer)]
    wanted = held if request.layers is None else [layer for layer in held if layer in request.layers]
    missing = [layer for layer in LAYERS if layer in (request.layers or ()) and layer not in held]
    if not wanted:
        named = ", ".join(missing) or "any layer"
        raise IdentifierMissing(f"there is nothing to search: you have no identifier for {named}")
    return wanted, [f"not searched: you have no identifier for {layer}" for layer in missing]


@dataclass(frozen=True, slots=True)
class _Scored:
    memory: FoundMemory
    score: float
    terms: Sequence[str]
    """Stems of its words, and of parts of them that the question has."""


def _candidates(
    query: str, words: Sequence[str], wanted: MemorySelection, recall: Recall
) -> tuple[list[_Scored], bool]:
    """Memories with their scores, and whether the index may have more."""
    vector = _vector(query, recall)
    by_words = recall.index.by_words(wanted, query_terms(words), CANDIDATES + 1)
    by_vector = [] if vector is None else recall.index.by_vector(wanted, vector, CANDIDATES + 1)
    is_cut = max(len(by_words), len(by_vector)) > CANDIDATES
    found = (*by_words[:CANDIDATES], *by_vector[:CANDIDATES])
    distinct_memories = {(each.space, each.record.memory_id): each for each in found}.values()
    every = [
        each for each in distinct_memories if not recall.bounds.withholds_any([each.record.content, *each.record.tags])
    ]
    held = {term for each in every for term in each.terms}
    wholes = _wholes(words, held)
    candidates = [
        Candidate(
            (*each.terms, *(term for term, longer in wholes.items() if not longer.isdisjoint(each.terms))),
            _cosine(vector, each.vector),
            _session(each.record),
            datetime.fromisoformat(each.record.created_at),
        )
        for each in every
    ]
    found_scores = scores(query_terms(words, held), candidates)
    scored = [
        _Scored(each, score, candidate.terms)
        for each, score, candidate in zip(every, found_scores, candidates, strict=True)
    ]
    return sorted(scored, key=_order), is_cut


def _wholes(words: Sequence[str], held: Set[str]) -> dict[str, frozenset[str]]:
    """By term of a word that no memory has, the longer terms that contain it, if there are any."""
    lacking = [word for word in words if stem(word) not in held and may_be_part(word)]
    longer = [*filter(may_be_compound, held)] if lacking else []
    found = {stem(word): frozenset(with_part(word, longer)) for word in lacking}
    return {term: wholes for term, wholes in found.items() if wholes}


def _cosine(one: NDArray[Any] | None, other: NDArray[Any] | None) -> float:
    # Vectors of another model cannot be compared; words can.
    return 0.0 if one is None or other is None or len(one) != len(other) else float(other @ one)


def _session(record: MemoryRecord) -> tuple[str, str] | None:
    return None if record.session is None else (record.author, record.session)


def _vector(query: str, recall: Recall) -> NDArray[Any] | None:
    try:
        (vector,) = recall.embedder().embed([query])
    except EmbeddingFailed:
        return None
    return vector if vector.any() else None


def _distinct(found: Sequence[_Scored]) -> list[_Scored]:
    """Without duplicates of memories in a more specific layer, or in the same layer with more evidence."""
    specific = sorted(found, key=lambda one: (LAYERS.index(one.memory.space.layer), *_order(one)))
    return sorted(
        (specific[number] for number in distinct([each.memory.record.content for each in specific])), key=_order
    )


def _order(scored: _Scored) -> tuple[float, int, str, str]:
    record = scored.memory.record
    return -scored.score, LAYERS.index(record.layer), record.created_at, record.memory_id


def _result(scored: _Scored, words: Sequence[str], changes: Sequence[ChangedTable]) -> MemorySearchResult:
    record = scored.memory.record
    return MemorySearchResult(
        content=record.content,
        layer=record.layer,
        score=scored.score,
        memory_id=record.memory_id,
        tags=list(record.tags) or None,
        created_at=record.created_at,
        source=record.source,
        author=record.author,
        reasons=_reasons([word for word in words if stem(word) in scored.terms]),
        table_changed_since=True if changes else None,
        changed_tables=list(changes) or None,
    )


def _reasons(words: Sequence[str]) -> list[str]:
    said = ", ".join(map(repr, [*dict.fromkeys(words)][:_NAMED_WORDS]))
    return [f"it says {said}" if said else "it has no word of the question, but a similar meaning"]


def distinct(texts: Sequence[str]) -> list[int]:
    """Numbers of the texts that do not repeat an earlier one."""
    first: dict[tuple[str, ...], int] = {}
    for number, text in enumerate(texts):
        first.setdefault(normalized_words(text), number)
    return list(first.values())


def normalized_words(text: str) -> tuple[str, ...]:
    """What a text says: two say the same when this is equal.

    That is the words in their order, ignoring endings, case, articles and the punctuation around words. A cosine does
    not decide: vectors are blind for order, and nearly so for numbers, signs and negations.
    """
    words = unicodedata.normalize("NFKC", text).casefold().split()
    bare = (word.lstrip(_BEFORE).rstrip(_AFTER) or word for word in words)
    return tuple(stem(word) if word.isalpha() else word for word in bare if word not in _IGNORED_WORDS)
