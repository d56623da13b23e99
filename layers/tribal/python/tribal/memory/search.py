"""Finds memories by words and by meaning, within the spaces of the caller."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from tribal.catalog.identity import parse_name
from tribal.catalog.scope import Scope
from tribal.errors import EmbeddingFailed, IdentifierMissing
from tribal.memory.copies import distinct
from tribal.memory.relevance import Candidate, scores
from tribal.naming.tokens import index_terms
from tribal.ports.remembering.identity import LAYERS, Identity, Space
from tribal.ports.remembering.memory_index import NOWHERE, FoundMemory, MemoryIndex, Place, Wanted
from tribal_contracts.memory import (
    MemoryRecord,
    MemorySearchInput,
    MemorySearchOutput,
    MemorySearchResult,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tribal.ports.index_reader import Embedder

CANDIDATES = 1_000
"""Memories looked at by each sign."""
TABLES = "tables"
"""The one key of metadata that is read: names of tables."""
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
    spaces = [space for layer in layers for space in recall.identity.spaces(layer)]
    candidates, is_whole = _candidates(request, spaces, recall)
    if not is_whole:
        warnings.append(f"only the {CANDIDATES:,} nearest memories were looked at; there may be more")
    found = _distinct([each for each in candidates if each.score >= request.threshold])
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


def wanted(identity: Identity, scope: Scope, now: datetime, session_age: timedelta, tags: Sequence[str] = ()) -> Wanted:
    """What a caller may find, of all layers that he has an identifier for."""
    spaces = [space for layer in LAYERS for space in identity.spaces(layer)]
    return Wanted(spaces, scope, ended_before(now, session_age), tags)


def ended_before(now: datetime, session_age: timedelta) -> str:
    """The last use of a session whose memories have just ended, in UTC as `now` is."""
    return f"{now - session_age:%Y-%m-%dT%H:%M:%SZ}"


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


def _candidates(request: MemorySearchInput, spaces: Sequence[Space], recall: Recall) -> tuple[list[_Scored], bool]:
    """Memories with their scores, and whether these are all that there are."""
    terms = list(dict.fromkeys(index_terms(request.query)))
    vector = _vector(request.query, recall)
    looked_for = Wanted(spaces, recall.scope, ended_before(recall.now, recall.session_age), request.wanted_tags)
    by_words = recall.index.by_words(looked_for, terms, CANDIDATES)
    by_vector = [] if vector is None else recall.index.by_vector(looked_for, vector, CANDIDATES)
    every = [*{(each.space, each.record.memory_id): each for each in (*by_words, *by_vector)}.values()]
    candidates = [
        Candidate(
            each.terms,
            0.0 if vector is None or each.vector is None else float(each.vector @ vector),
            _session(each.record),
            datetime.fromisoformat(each.record.created_at),
        )
        for each in every
    ]
    scored = [_Scored(each, score) for each, score in zip(every, scores(terms, candidates), strict=True)]
    return sorted(scored, key=_order), max(len(by_words), len(by_vector)) < CANDIDATES


def _session(record: MemoryRecord) -> tuple[str, str] | None:
    return None if record.session is None else (record.author, record.session)


def _vector(query: str, recall: Recall) -> NDArray[Any] | None:
    try:
        (vector,) = recall.embedder().embed([query])
    except EmbeddingFailed:
        return None
    return vector if vector.any() else None


def _distinct(found: Sequence[_Scored]) -> list[_Scored]:
    """Without those that say what another says in a more specific layer, or in the same one and with more evidence."""
    specific = sorted(found, key=lambda one: (LAYERS.index(one.memory.space.layer), *_order(one)))
    return sorted(
        (specific[number] for number in distinct([each.memory.record.content for each in specific])), key=_order
    )


def _order(scored: _Scored) -> tuple[float, int, str, str]:
    record = scored.memory.record
    return -scored.score, LAYERS.index(record.layer), record.created_at, record.memory_id


def tables_of(record: MemoryRecord) -> list[str]:
    """The names of tables that a memory says it is about."""
    named = record.metadata.get(TABLES)
    return [name for name in named if isinstance(name, str)] if isinstance(named, list) else []


def places_of(record: MemoryRecord) -> list[Place]:
    """Where those tables are."""
    return list(dict.fromkeys(map(_place, tables_of(record))))


def _place(name: str) -> Place:
    try:
        parts = parse_name(name)
    except ValueError:
        return NOWHERE
    return (parts[0], parts[1]) if len(parts) == 3 else NOWHERE


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
