"""The published snapshot as a caller may see it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tribal.catalog.scope import Scope
from tribal.errors import NothingPublished
from tribal.knowledge.finding import Library
from tribal.knowledge.projection import projection_of
from tribal.knowledge.publishing import load_manifest
from tribal.ports.derived import Derived
from tribal.ports.remembering.identity import LAYERS, Identity
from tribal_contracts.knowledge import KnowledgeManifest, ProjectedItem

if TYPE_CHECKING:
    from tribal.ports import ObjectStore
    from tribal.ports.index_reader import Embedder

_PARTS = 3
"""Of a table's name: database, schema and table."""


@dataclass(frozen=True, slots=True)
class Shelf:
    """A snapshot, and which of its items a caller sees.

    Attributes:
        manifest: the snapshot.
        library: all of its items.
        seen: numbers of those that the caller sees; of several with one id the most specific first.
    """

    manifest: KnowledgeManifest
    library: Library
    seen: Sequence[int]

    def item(self, number: int) -> ProjectedItem:
        """An item by number."""
        return self.library.items[number]

    def first(self) -> list[int]:
        """Numbers of the items that are shown: of several with one id the most specific."""
        shown: dict[str, int] = {}
        for number in self.seen:
            shown.setdefault(self.item(number).id, number)
        return list(shown.values())


@dataclass(frozen=True, slots=True)
class Shelves:
    """Reads the snapshot; what is made of it is kept as long as it is the newest."""

    store: ObjectStore
    embedder: Callable[[], Embedder]
    derived: Derived

    def of(self, identity: Identity, scope: Scope) -> Shelf:
        """What a caller sees.

        Raises:
            NothingPublished: when nothing was synced yet.
            SourceFailed: when the snapshot is damaged. Retryable.
        """
        manifest, _ = load_manifest(self.store)
        if manifest is None:
            raise NothingPublished("nothing was synced yet; run `tribal sync`, or call sync_now")
        library = self.derived.get(
            ("knowledge", manifest.hash),
            "library",
            lambda: Library(projection_of(manifest, self.store, self.embedder, writing=False)),
        )
        owners = {
            (space.layer, value)
            for layer in LAYERS
            for space in identity.spaces(layer)
            for _, value in space.identifiers
        }
        numbers = [
            number
            for number, each in enumerate(library.items)
            if (each.layer, each.owner) in owners and _is_open(each, scope)
        ]
        return Shelf(manifest, library, sorted(numbers, key=lambda each: LAYERS.index(library.items[each].layer)))


def _is_open(item: ProjectedItem, scope: Scope) -> bool:
    """Whether a caller may see an item: not if it names only tables that he may not see."""
    if scope == Scope() or not item.tables:
        return True
    places = [name.split(".")[:2] for name in item.tables if name.count(".") == _PARTS - 1]
    return any(scope.allows(*place) for place in places)
