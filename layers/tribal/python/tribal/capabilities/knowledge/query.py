"""Answers `knowledge_query` and `knowledge_show` from the published snapshot."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tribal.capabilities.knowledge.snapshots.snapshot import load_item, superseding
from tribal.capabilities.knowledge.snapshots.visible_items import VisibleItems
from tribal.errors import EmbeddingFailed
from tribal.ports.remembering.identity import LAYERS
from tribal_contracts.knowledge import (
    TYPES,
    KnowledgeQueryInput,
    KnowledgeQueryOutput,
    KnowledgeShowInput,
    KnowledgeShowOutput,
    KnowledgeSummary,
    ShownItem,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tribal.ports import ObjectStore
    from tribal.ports.index.reader import Embedder

ANSWER_BYTES = 12_000
"""Limit for all items together: 3,000 tokens."""


def query(
    request: KnowledgeQueryInput, visible: VisibleItems, embedder: Callable[[], Embedder]
) -> KnowledgeQueryOutput:
    """Items that pass the filters, by relevance to a question, else by type, layer and title."""
    numbers = [number for number in visible.shown() if _passes(request, visible, number)]
    if request.query is None:
        ranked = sorted(numbers, key=lambda number: _place(visible, number))
    else:
        scores = visible.holdings.scores(request.query, _vector(request.query, visible, embedder))
        ranked = sorted(
            (number for number in numbers if scores[number] > 0),
            key=lambda each: (-scores[each], _place(visible, each)),
        )
    items: list[KnowledgeSummary] = []
    size = 0
    for number in ranked[: request.limit]:
        summary = _summary(visible, number)
        size += len(summary.to_compact_json())
        if items and size > ANSWER_BYTES:
            break
        items.append(summary)
    return KnowledgeQueryOutput(
        items=items,
        total_count=len(ranked),
        returned=len(items) if len(items) < len(ranked) else None,
        truncated=True if len(items) < min(len(ranked), request.limit) else None,
        warnings=list(visible.unusable) or None,
    )


def show(request: KnowledgeShowInput, visible: VisibleItems, store: ObjectStore) -> KnowledgeShowOutput:
    """One item in full.

    Raises:
        KnowledgeNotFound: when it does not exist, or the caller may not see it.
    """
    number = next((each for each in visible.shown() if visible.item(each).id == request.id), None)
    if number is None:
        raise visible.missing(request.id)
    shown = visible.item(number)
    entry = next(
        each
        for each in visible.manifest.items
        if (each.id, each.layer, each.owner) == (shown.id, shown.layer, shown.owner)
    )
    item = load_item(store, entry)
    fields: dict[str, Any] = {name: getattr(item, name) for name in ShownItem.model_fields}
    fields["superseded_by"] = superseding(visible.manifest, item) or None
    if not request.include_constraints:
        fields["constraints"] = None
    return KnowledgeShowOutput(item=ShownItem(**fields), history=item.history if request.include_history else None)


def _passes(request: KnowledgeQueryInput, visible: VisibleItems, number: int) -> bool:
    item = visible.item(number)
    tags = {tag.casefold() for tag in item.tags}
    return (
        item.status in request.status
        and request.type in (None, item.type)
        and request.layer in (None, item.layer)
        and (not request.tags or any(tag.casefold() in tags for tag in request.tags))
    )


def _place(visible: VisibleItems, number: int) -> tuple[int, int, str, str]:
    item = visible.item(number)
    return TYPES.index(item.type), LAYERS.index(item.layer), item.title.casefold(), item.id


def _summary(visible: VisibleItems, number: int) -> KnowledgeSummary:
    item = visible.item(number)
    return KnowledgeSummary(
        id=item.id,
        type=item.type,
        layer=item.layer,
        title=item.title,
        summary=item.summary,
        status=item.status,
        tags=item.tags,
        has_constraints=bool(item.constraints),
    )


def _vector(text: str, visible: VisibleItems, embedder: Callable[[], Embedder]) -> NDArray[Any] | None:
    try:
        made = embedder()
        # Vectors of another model cannot be compared; words can.
        return made.embed([text])[0] if made.model == visible.holdings.model else None
    except EmbeddingFailed:
        return None
