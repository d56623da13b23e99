"""Builds memory: its index, and the ports through which it guides and takes pointers."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from tribal.app.building import Building, Built
from tribal.capabilities.memory.parts import MemoryParts
from tribal.identity.locations import MEMORIES_FILE
from tribal.ports import Provider
from tribal_contracts import MemorySettings
from tribal_contracts.core.sections import find_section

if TYPE_CHECKING:
    from tribal.capabilities.memory.repository import Recovery
    from tribal.ports import Caller, Embedder, ObjectStore
    from tribal.ports.remembering.guidance import GuidanceSource
    from tribal.ports.remembering.memory_index import MemoryIndex
    from tribal.ports.remembering.pointer_writer import PointerWriter


def build(building: Building) -> Built:
    """Build memory; in AWS only where it is configured."""
    section = find_section(building.sections, MemorySettings)
    if section is None and building.settings is None:
        return Built()
    index: Provider[MemoryIndex] = Provider(partial(_index, building))
    parts = MemoryParts(
        index=index,
        recover=recovering(building.store, index, building.embedder),
        settings=section,
        audit=building.audit,
        limits_writes=building.limits,
    )
    return Built(
        parts=parts, guidance=partial(_guidance, building, parts), pointers=partial(_pointers, building, parts)
    )


def recovering(
    store: Provider[ObjectStore], index: Provider[MemoryIndex], embedder: Provider[Embedder]
) -> Callable[[], None]:
    """Returns a function that updates the index of memories from the stored ones, when memory is used."""

    def recovery() -> Recovery:
        from tribal.capabilities.memory.repository import Recovery, Repository

        return Recovery(lambda: Repository(store(), index(), embedder))

    provider = Provider(recovery)
    return lambda: provider().check()


def _index(building: Building) -> MemoryIndex:
    if building.settings is not None:
        from tribal.adapters.sqlite.memories import SqliteMemories

        return SqliteMemories(building.settings.store / MEMORIES_FILE)
    assert building.deployment is not None
    if building.deployment.index == "sqlite":
        from tribal.adapters.journal.memories import JournalMemories

        return JournalMemories(building.store())
    from tribal.adapters.opensearch.memories import OpenSearchMemories
    from tribal.app.parts import cluster_client

    # Callers wait for changes too, so time out early; repeating a change is harmless.
    return OpenSearchMemories(cluster_client(building.deployment, reading=True), building.embedder().dimensions)


def _guidance(building: Building, parts: MemoryParts) -> GuidanceSource:
    from tribal.capabilities.memory.guidance import MemoryGuidance

    settings = building.settings
    if settings is None:
        return MemoryGuidance(parts.index)
    # Showing a table must not create an index of memories if memory is not used.
    return MemoryGuidance(parts.ready_index, lambda: parts.settings is not None or (settings.store / "memory").exists())


def _pointers(building: Building, parts: MemoryParts, caller: Caller) -> PointerWriter:
    from tribal.capabilities.memory.change import write_context
    from tribal.capabilities.memory.pointers import MemoryPointers

    context = write_context(parts, building.store(), building.embedder, caller, building.clock.published())
    return MemoryPointers(context.repository, lambda: context.sessions.prune(context.repository))
