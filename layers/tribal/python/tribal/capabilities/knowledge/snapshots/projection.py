"""The searchable projection of a snapshot, stored as one object and rebuilt from its items if it is missing.

`knowledge/projections/{hash of the snapshot}.json`.
"""

from __future__ import annotations

import base64
import re
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic import ValidationError

from tribal.capabilities.knowledge.snapshots.snapshot import load_item
from tribal.errors import EmbeddingFailed, StoreError
from tribal.naming.mentions import mentioned_in, written_names
from tribal.naming.tokens import index_terms
from tribal.ports import ObjectStore
from tribal_contracts.knowledge import KnowledgeItem, KnowledgeManifest, ProjectedItem, Projection

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tribal.ports.index.reader import Embedder

FOLDER = "knowledge/projections/"
_WEIGHTS = {"title": 4, "tags": 3, "summary": 2, "content": 1}
"""How often a word counts, by the field that has it. By judgement."""
_EMBEDDED_CHARS = 2_000
_MOST_MENTIONS = 200
_PLAIN_NAME = re.compile(r"[\w$]+(?:\.[\w$]+){0,2}")
_READERS = 16
_STORED = np.dtype("<f2")


def projection_of(
    manifest: KnowledgeManifest, store: ObjectStore, embedder: Callable[[], Embedder], *, writing: bool
) -> Projection:
    """Load the projection of a snapshot, or build it.

    Args:
        manifest: the snapshot.
        store: where it is.
        embedder: makes vectors; without one, items are found by words only.
        writing: whether to store a projection that had to be built.

    Raises:
        SourceFailed: when an item is missing.
    """
    key = f"{FOLDER}{manifest.hash}.json"
    try:
        found = Projection.from_json(store.get(key).data)
    except (StoreError, ValidationError):
        found = _build(manifest, store, embedder)
        if writing:
            store.put(key, found.to_compact_json())
    if writing:
        for other in [each for each in store.keys(FOLDER) if each != key]:
            store.delete(other)
    return found


def vectors_of(projection: Projection) -> NDArray[Any] | None:
    """N x D float32, L2-normalised; zeros for an item without a vector, `None` if no item has one."""
    if projection.dimensions == 0:
        return None
    rows = np.zeros((len(projection.items), projection.dimensions), np.float32)
    for number, each in enumerate(projection.items):
        if each.vector is not None:
            rows[number] = np.frombuffer(base64.b64decode(each.vector), _STORED)
    return rows


def _build(manifest: KnowledgeManifest, store: ObjectStore, embedder: Callable[[], Embedder]) -> Projection:
    with ThreadPoolExecutor(_READERS) as pool:
        items = list(pool.map(lambda entry: load_item(store, entry), manifest.items))
    vectors, model = _vectors(items, embedder)
    projected = [
        ProjectedItem(
            id=item.id,
            type=item.type,
            layer=item.layer,
            owner=item.owner,
            title=item.title,
            summary=item.summary,
            status=item.status,
            severity=item.severity,
            tags=item.tags,
            constraints=item.constraints or [],
            tables=item.tables,
            mentions=_mentions(item),
            words=sorted(mentioned_in(_texts(item))),
            author=item.history[0].author if item.history and item.history[0].author else item.owner,
            updated_at=item.updated_at,
            terms=_terms(item),
            unreadable=item.unreadable,
            vector=None if vectors is None else base64.b64encode(vectors[number].astype(_STORED).tobytes()).decode(),
        )
        for number, item in enumerate(items)
    ]
    dimensions = 0 if vectors is None else int(vectors.shape[1])
    return Projection(schema_version="1.0", model=model, dimensions=dimensions, items=projected)


def _vectors(items: Sequence[KnowledgeItem], embedder: Callable[[], Embedder]) -> tuple[NDArray[Any] | None, str]:
    if not items:
        return None, ""
    try:
        made = embedder()
        texts = [f"{each.title}. {each.summary} {each.content}"[:_EMBEDDED_CHARS] for each in items]
        return made.embed(texts), made.model
    except EmbeddingFailed:
        return None, ""


def _mentions(item: KnowledgeItem) -> list[str]:
    """The names in its text, and the tables that its constraints name without wildcards."""
    patterns = [each.pattern for each in item.constraints or () if each.target == "table"]
    plain = [part.replace("\\.", ".") for pattern in patterns for part in pattern.split("|")]
    named = [each for each in plain if _PLAIN_NAME.fullmatch(each)]
    texts = written_names(f"{item.title}\n{item.summary}\n{item.content}")
    return list(dict.fromkeys([*named, *texts]))[:_MOST_MENTIONS]


def _texts(item: KnowledgeItem) -> list[str]:
    """Every text of an item that a caller may read; patterns of constraints count as quoted."""
    constraints = item.constraints or ()
    patterns = [f"`{pattern}`" for each in constraints for pattern in (each.pattern, each.applies_to) if pattern]
    messages = [each.message for each in constraints if each.message]
    changes = [each.message for each in item.history if each.message]
    return [item.id, item.title, item.summary, item.content, *item.tags, *patterns, *messages, *changes]


def _terms(item: KnowledgeItem) -> dict[str, int]:
    texts = {"title": item.title, "tags": " ".join(item.tags), "summary": item.summary, "content": item.content}
    counts: Counter[str] = Counter()
    for place, text in texts.items():
        for term in index_terms(text):
            counts[term] += _WEIGHTS[place]
    return dict(sorted(counts.items()))
