"""Finds memories by words and by meaning, within the spaces of the caller."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from tribal.catalog.scope import Scope
from tribal.errors import EmbeddingFailed, IdentifierMissing
from tribal.memory.copies import distinct
from tribal.memory.relevance import Signs, covered, score_of
from tribal.naming.tokens import index_terms
from tribal.ports.remembering.identity import LAYERS, Identity, Space
from tribal.ports.remembering.memory_index import FoundMemory, MemoryIndex
from tribal.ports.remembering.selection import MemorySelection
from tribal_contracts.memory import MemorySearchInput, MemorySearchOutput, MemorySearchResult

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tribal.ports.index_reader import Embedder

CANDIDATES = 1_000
"""Memories looked at by each sign, and so counted; an answer says where there may be more."""
ANSWER_BYTES = 12_000
"""Of all results together: 3,000 tokens."""


@dataclass(frozen=True, slots=True)
class Recall:
    """Whom memories are found for, and where.

    `session_age` is how long a session's memories last after it was used.
    """

    index: MemoryIndex
    embedder: Callable[[], Embedder]
    identity: Identity
    scope: Scope
    now: datetime
    session_age: timedelta


def search(request: MemorySearchInput, recall: Recall) -> MemorySearchOutput:
    """Answer `memory_search`.

    Raises:
        MemoryInputInvalid: when the caller has an identifier for none of the layers.
    """
    layers, warnings = _layers(request, recall.identity)
    spaces = tuple(space for layer in layers for space in recall.identity.spaces(layer))
    used_since = recall.now - recall.session_age
    candidates = _candidates(
        request, MemorySelection(spaces, tuple(request.wanted_tags), recall.scope, used_since), recall
    )
    if candidates.is_cut:
        warnings.append(
            f"totalCount counts the {CANDIDATES:,} nearest memories by words and by meaning; there may be more"
        )
    found = _distinct([each for each in _scored(candidates, recall) if each.score >= request.threshold])
    results: list[MemorySearchResult] = []
    size = 0
    for each in found[: request.limit]:
        result = _result(each)
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
    """The layers to search in order of precedence, and what to say of those that are not."""
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


@dataclass(frozen=True, slots=True)
class _Candidates:
    """What the index found for a question."""

    wanted: MemorySelection
    terms: Sequence[str]
    by_words: Sequence[FoundMemory]
    by_vector: Sequence[FoundMemory]
    is_cut: bool
    """Whether the index may have more."""


def _candidates(request: MemorySearchInput, wanted: MemorySelection, recall: Recall) -> _Candidates:
    terms = list(dict.fromkeys(index_terms(request.query)))
    vector = _vector(request.query, recall)
    by_words = recall.index.by_words(wanted, terms, CANDIDATES + 1)
    by_vector = [] if vector is None else recall.index.by_vector(wanted, vector, CANDIDATES + 1)
    is_cut = max(len(by_words), len(by_vector)) > CANDIDATES
    return _Candidates(wanted, terms, by_words[:CANDIDATES], by_vector[:CANDIDATES], is_cut)


def _scored(found: _Candidates, recall: Recall) -> list[_Scored]:
    cosines = {_key(each): each.score for each in found.by_vector}
    least = min(cosines.values(), default=0.0)
    every = {_key(each): each for each in (*found.by_words, *found.by_vector)}
    held = {key: frozenset(each.terms) for key, each in every.items()}
    rarity = _rarity(found.terms, held.values(), recall.index.count(replace(found.wanted, tags=())))
    scored = [
        _Scored(
            each,
            score_of(
                Signs(
                    covered=covered(found.terms, held[key], rarity),
                    cosine=cosines.get(key, least),
                    matched=len(held[key].intersection(found.terms)),
                )
            ),
        )
        for key, each in every.items()
    ]
    return sorted(scored, key=_order)


def _rarity(terms: Sequence[str], held: Iterable[frozenset[str]], memories: int) -> dict[str, float]:
    """How much each term that some memory has tells."""
    counts = Counter(term for each in held for term in each.intersection(terms))
    return {term: math.log(1 + max(memories, 1) / count) for term, count in counts.items()}


def _vector(query: str, recall: Recall) -> NDArray[Any] | None:
    try:
        (vector,) = recall.embedder().embed([query])
    except EmbeddingFailed:
        return None
    return vector if vector.any() else None


def _distinct(found: Sequence[_Scored]) -> list[_Scored]:
    """Without those that say what another says in a more specific layer, or in the same one and with more evidence."""
    specific = sorted(found, key=lambda one: (LAYERS.index(one.memory.space.layer), *_order(one)))
    contents = [each.memory.record.content for each in specific]
    vectors = [each.memory.vector for each in specific]
    return sorted((specific[number] for number in distinct(contents, vectors)), key=_order)


def _order(scored: _Scored) -> tuple[float, int, str, str]:
    record = scored.memory.record
    return -scored.score, LAYERS.index(record.layer), record.created_at, record.memory_id


def _key(found: FoundMemory) -> tuple[Space, str]:
    return found.space, found.record.memory_id


def _result(scored: _Scored) -> MemorySearchResult:
    record = scored.memory.record
    return MemorySearchResult(
        content=record.content,
        layer=record.layer,
        score=scored.score,
        memory_id=record.memory_id,
        tags=list(record.tags) or None,
        created_at=record.created_at,
        author=record.author,
    )
