"""Decide which collections a caller may see. To that caller, all other collections do not exist."""

from __future__ import annotations

from tribal.capabilities.chat.errors import CollectionNotFound
from tribal.ports import Caller
from tribal_contracts.chat.settings import CATALOG, ChatSettings, CollectionEntry


def is_visible(entry: CollectionEntry, caller: Caller) -> bool:
    """Return whether the caller may see a collection: every caller if it has no owner, otherwise only members."""
    if entry.owner is None:
        return entry.layer == "company"
    spaces = caller.identity.spaces(entry.layer)
    return any(value == entry.owner for space in spaces for _, value in space.identifiers)


def visible_collections(settings: ChatSettings, caller: Caller) -> list[CollectionEntry]:
    """Return the collections that the caller may see, `catalog` first."""
    catalog = settings.entry(CATALOG)
    assert catalog is not None, "catalog is always there"
    others = [each for each in settings.collections if each.title != CATALOG and is_visible(each, caller)]
    return [catalog, *others]


def find_collection(name: str, settings: ChatSettings, caller: Caller) -> CollectionEntry:
    """Return the collection with this name.

    Raises:
        CollectionNotFound: when it is not configured, or the caller may not see it.
    """
    visible = visible_collections(settings, caller)
    found = next((each for each in visible if each.title == name), None)
    if found is None:
        names = ", ".join(each.title for each in visible)
        raise CollectionNotFound(f"there is no collection {name[:100]!r}; you may use {names}")
    return found
