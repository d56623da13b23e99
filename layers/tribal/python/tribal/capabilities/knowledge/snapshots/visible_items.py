"""The items of the published snapshot that a caller may see, and the search in them by words and by meaning."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic import JsonValue

from tribal.capabilities.knowledge.errors import KnowledgeNotFound, NothingPublished
from tribal.capabilities.knowledge.snapshots.projection import projection_of, vectors_of
from tribal.capabilities.knowledge.snapshots.snapshot import load_manifest
from tribal.identity.scope import Scope
from tribal.naming.tokens import content_words, query_terms
from tribal.ports.derived import DerivedValues
from tribal.ports.remembering.identity import LAYERS, Identity
from tribal.scoping.bounds import Bounds
from tribal_contracts.knowledge import KNOWLEDGE_LAYERS, KnowledgeManifest, ProjectedItem, Projection

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tribal.ports import Application, Caller, ObjectStore
    from tribal.ports.index.reader import Embedder


_NEAR_MISSES = 3
_PARTS = 3
"""Parts of a table's name: database, schema and table."""


@dataclass(frozen=True, slots=True)
class VisibleItems:
    """A snapshot, and the items that a caller sees.

    Attributes:
        manifest: the snapshot.
        holdings: all its items.
        seen: numbers of the items that apply to the caller; of several with one id, the most specific first.
        withheld: those of them whose text mentions a table that is hidden from the caller: checked, but not shown.
        layers: those that the caller has an identifier for, the widest first.
    """

    manifest: KnowledgeManifest
    holdings: _SearchableItems
    seen: Sequence[int]
    layers: Sequence[str]
    withheld: Set[int] = frozenset()
    unusable: Sequence[str] = ()
    """Warnings about unusable files: of their constraints, only earlier versions are checked."""

    def item(self, number: int) -> ProjectedItem:
        """An item by number."""
        return self.holdings.items[number]

    def first(self) -> list[int]:
        """Numbers of the effective items: of several with one id, the most specific."""
        first: dict[str, int] = {}
        for number in self.seen:
            first.setdefault(self.item(number).id, number)
        return list(first.values())

    def shown(self) -> list[int]:
        """Numbers of the items that the caller may read."""
        return [number for number in self.first() if number not in self.withheld]

    def missing(self, asked: str) -> KnowledgeNotFound:
        """The error for an item that does not exist, with similar ids that the caller may see."""
        ids = sorted({self.item(each).id for each in self.shown()})
        holding = [each for each in ids if asked.casefold() in each.casefold()]
        near = list(dict.fromkeys([*get_close_matches(asked, ids, _NEAR_MISSES), *holding]))[:_NEAR_MISSES]
        details: dict[str, JsonValue] = {"requestedId": asked, "searchedLayers": list(self.layers)}
        return KnowledgeNotFound(
            f"Knowledge item {asked!r} not found", details | ({"nearMisses": [*near]} if near else {})
        )


@dataclass(frozen=True, slots=True)
class SnapshotReader:
    """Reads the snapshot; derived data is cached while it is the newest."""

    store: ObjectStore
    embedder: Callable[[], Embedder]
    derived: DerivedValues

    def visible(self, identity: Identity, bounds: Bounds) -> VisibleItems:
        """The items that a caller sees.

        Raises:
            NothingPublished: when no sync has run yet.
            SourceFailed: when the snapshot is damaged. Retryable.
        """
        manifest, _ = load_manifest(self.store)
        if manifest is None:
            raise NothingPublished("no sync has run yet; run `tribal sync`, or call sync_now")
        holdings = self.derived.get(
            ("knowledge", manifest.hash),
            "holdings",
            lambda: _SearchableItems(projection_of(manifest, self.store, self.embedder, writing=False)),
        )
        layers = [layer for layer in KNOWLEDGE_LAYERS if identity.spaces(layer)]
        owners = {
            (space.layer, value)
            for layer in layers
            for space in identity.spaces(layer)
            for _, value in space.identifiers
        }
        numbers = [
            number
            for number, each in enumerate(holdings.items)
            if (each.layer, each.owner) in owners and _is_open(each, bounds.scope)
        ]
        numbers.sort(key=lambda each: LAYERS.index(holdings.items[each].layer))
        failed = sum(each.layer is None or (each.layer, each.owner) in owners for each in manifest.failures)
        warning = (
            f"{failed:,} {'file' if failed == 1 else 'files'} with decisions could not be used; sync_status shows",
        )
        withheld = {each for each in numbers if not bounds.hidden.isdisjoint(holdings.items[each].words)}
        return VisibleItems(manifest, holdings, numbers, layers, withheld, warning if failed else ())


def visible_items(caller: Caller, app: Application) -> VisibleItems:
    """The items of the published snapshot that a caller sees; see `SnapshotReader.visible`."""
    return SnapshotReader(app.store(), app.embedder, app.derived).visible(caller.identity, app.bounds(caller.scope))


def _is_open(item: ProjectedItem, scope: Scope) -> bool:
    """Whether a caller may see an item: not if it names only tables hidden from the caller."""
    if scope == Scope() or not item.tables:
        return True
    places = [name.split(".")[:2] for name in item.tables if name.count(".") == _PARTS - 1]
    return any(scope.allows(*place) for place in places)


_K1, _B = 1.2, 0.75
"""BM25 parameters with Lucene's defaults."""
_MEANING = 0.5
"""Weight of the cosine relative to the words, whose best score is 1. By judgement."""
_NEAR = 0.35
"""Minimum cosine of an item that shares no word with the query. By judgement."""


class _SearchableItems:
    """The items of a projection, ready to search."""

    def __init__(self, projection: Projection) -> None:
        self.items = projection.items
        self.model = projection.model
        self._vectors = vectors_of(projection)
        held: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
        for number, each in enumerate(projection.items):
            for term, count in each.terms.items():
                held[term].append((number, count))
        lengths = np.array([sum(each.terms.values()) for each in projection.items], np.float64)
        self._shortness = _K1 * (1 - _B + _B * lengths / max(float(lengths.mean()), 1.0)) if len(lengths) else lengths
        self._postings = {term: np.array(pairs, np.int64).T for term, pairs in held.items()}

    def scores(self, query: str, vector: NDArray[Any] | None) -> NDArray[Any]:
        """The score of each item; 0 if nothing matches.

        Args:
            query: the question.
            vector: vector of the question, if the same model made it.
        """
        words = self._words(query_terms(content_words(query), self._postings))
        best = words.max(initial=0.0)
        scores: NDArray[Any] = words / best if best else words
        if vector is not None and self._vectors is not None:
            cosines = self._vectors @ vector
            scores = scores + np.where((scores > 0) | (cosines >= _NEAR), _MEANING * np.clip(cosines, 0.0, 1.0), 0.0)
        return scores

    def _words(self, terms: Sequence[str]) -> NDArray[Any]:
        scores = np.zeros(len(self.items))
        for term in dict.fromkeys(terms):
            postings = self._postings.get(term)
            if postings is None:
                continue
            rows, counts = postings
            rarity = math.log(1 + (len(self.items) - len(rows) + 0.5) / (len(rows) + 0.5))
            scores[rows] += rarity * counts * (_K1 + 1) / (counts + self._shortness[rows])
        return scores
