"""Builds the parts of memory that applications share."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tribal.ports import Provider

if TYPE_CHECKING:
    from tribal.capabilities.memory.parts import MemoryParts
    from tribal.capabilities.memory.repository import Recovery
    from tribal.ports import Caller, Clock, Embedder, ObjectStore
    from tribal.ports.remembering.memory_index import MemoryIndex
    from tribal.ports.remembering.pointer_writer import PointerWriter


def recovering(
    store: Provider[ObjectStore], index: Provider[MemoryIndex], embedder: Provider[Embedder]
) -> Callable[[], None]:
    """Returns a function that updates the index of memories from the stored ones, when memory is used."""

    def recovery() -> Recovery:
        from tribal.capabilities.memory.repository import Recovery, Repository

        return Recovery(lambda: Repository(store(), index(), embedder))

    provider = Provider(recovery)
    return lambda: provider().check()


def pointer_writers(
    parts: MemoryParts, store: Provider[ObjectStore], embedder: Provider[Embedder], clock: Clock
) -> Callable[[Caller], PointerWriter]:
    """Return a function that opens a caller's pointer writer."""

    def writer(caller: Caller) -> PointerWriter:
        from tribal.capabilities.memory.change import write_context
        from tribal.capabilities.memory.pointers import MemoryPointers

        context = write_context(parts, store(), embedder, caller, clock.published())
        return MemoryPointers(context.repository, lambda: context.sessions.prune(context.repository))

    return writer
