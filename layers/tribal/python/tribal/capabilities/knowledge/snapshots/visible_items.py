"""The items of the published snapshot that a caller may see."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING

from pydantic import JsonValue

from tribal.capabilities.knowledge.errors import KnowledgeNotFound, NothingPublished
from tribal.capabilities.knowledge.snapshots.projection import projection_of
from tribal.capabilities.knowledge.snapshots.search import SearchableItems
from tribal.capabilities.knowledge.snapshots.snapshot import load_manifest
from tribal.identity.scope import Scope
from tribal.ports.derived import Derived
from tribal.ports.remembering.identity import LAYERS, Identity
from tribal.scoping.bounds import Bounds
from tribal_contracts.knowledge import KNOWLEDGE_LAYERS, KnowledgeManifest, ProjectedItem

if TYPE_CHECKING:
    from tribal.ports import Application, Caller, ObjectStore
    from tribal.ports.index_reader import Embedder

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
    holdings: SearchableItems
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
    derived: Derived

    def visible(self, identity: Identity, bounds: Bounds) -> VisibleItems:
        """The items that a caller sees.

        Raises:
            NothingPublished: when there was no sync yet.
            SourceFailed: when the snapshot is damaged. Retryable.
        """
        manifest, _ = load_manifest(self.store)
        if manifest is None:
            raise NothingPublished("there was no sync yet; run `tribal sync`, or call sync_now")
        holdings = self.derived.get(
            ("knowledge", manifest.hash),
            "holdings",
            lambda: SearchableItems(projection_of(manifest, self.store, self.embedder, writing=False)),
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
