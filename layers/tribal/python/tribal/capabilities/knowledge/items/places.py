"""What the path of a file says about its item: layer, owner and type."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from tribal.ports.remembering.identity import is_identifier
from tribal_contracts import KnowledgeSettings
from tribal_contracts.knowledge import KnowledgeLayer, KnowledgeType

_TYPE_OF: dict[str, KnowledgeType] = {"adrs": "adr", "policies": "policy", "patterns": "pattern", "specs": "spec"}
_LAYER_OF: dict[str, KnowledgeLayer] = {"orgs": "org", "teams": "team", "projects": "project"}
_SUFFIXES = (".md", ".markdown")

_WORD = re.compile(r"[a-z0-9]+")


@dataclass(frozen=True, slots=True)
class Place:
    """The layer, owner and type of an item."""

    layer: KnowledgeLayer
    owner: str
    type: KnowledgeType


@dataclass(frozen=True, slots=True)
class Layout:
    """The layout of a source.

    Attributes:
        folder: the folder with all items; empty for the root.
        company: the company that the store belongs to.
        flat: the place of all items, if the source is one folder of items of one layer and type.
    """

    folder: str = ""
    company: str | None = None
    flat: Place | None = None

    def place_of(self, path: str) -> Place | None:
        """The place of a file; `None` if it is not an item."""
        below = f"{self.folder.strip('/')}/" if self.folder.strip("/") else ""
        if not path.startswith(below) or not path.casefold().endswith(_SUFFIXES):
            return None
        parts = path.removeprefix(below).split("/")
        # Files that begin with a dot or an underscore are templates, and an index of decisions is not a decision.
        name = parts[-1].casefold()
        words = set(_WORD.findall(name.rpartition(".")[0]))
        if name.startswith((".", "_")) or "template" in words or words in ({"readme"}, {"index"}):
            return None
        if self.flat is not None:
            return self.flat
        if len(parts) >= 3 and parts[0] == "company" and parts[1] in _TYPE_OF and self.company is not None:
            return Place("company", self.company, _TYPE_OF[parts[1]])
        if len(parts) >= 4 and parts[0] in _LAYER_OF and parts[2] in _TYPE_OF and is_identifier(parts[1]):
            return Place(_LAYER_OF[parts[0]], parts[1], _TYPE_OF[parts[2]])
        return None

    def refusal_of(self, path: str) -> str | None:
        """Why a file in the place of an item cannot be one; `None` for every other file."""
        if self.company is None and replace(self, company="?").place_of(path) != self.place_of(path):
            return "it belongs to the company, which is not configured; write `identity: {company: ...}`"
        return None


@dataclass(frozen=True, slots=True)
class SyncSelection:
    """The types and layers of items to sync."""

    types: frozenset[KnowledgeType] | None = None
    layers: frozenset[KnowledgeLayer] | None = None
    rebuild: bool = False
    """Whether to read unchanged items again."""

    @property
    def is_all(self) -> bool:
        """Whether every item is included."""
        return self.types is None and self.layers is None

    def takes(self, layer: KnowledgeLayer | None, kind: KnowledgeType | None) -> bool:
        """Whether an item is included; items without a place always are."""
        return (layer is None or self.layers is None or layer in self.layers) and (
            kind is None or self.types is None or kind in self.types
        )


EVERYTHING = SyncSelection()


def layout_of(settings: KnowledgeSettings, company: str | None) -> Layout:
    """The layout of the configured source; `company` is the one that the store belongs to."""
    if settings.layout == "layered":
        return Layout(settings.folder, company)
    assert settings.layer is not None
    assert settings.owner is not None
    return Layout(settings.folder, company, Place(settings.layer, settings.owner, settings.type or "adr"))
