"""Adds memories to the caller's spaces and removes them: first the object, which is authoritative, then the index."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from tribal.capabilities.memory.content import masked_content, masked_labels
from tribal.capabilities.memory.errors import (
    IdentifierMissing,
    MemoryForbidden,
    MemoryInputInvalid,
    MemoryNotFound,
    MemoryRateLimited,
    MemorySpaceFull,
)
from tribal.capabilities.memory.pointers import is_pointer
from tribal.capabilities.memory.records import distinct_tags, memory_id, remove, save
from tribal.capabilities.memory.repository import Repository, Writer
from tribal.capabilities.memory.sessions import Sessions
from tribal.ports import Caller, ObjectStore
from tribal.ports.remembering.audit import AuditLog, discard
from tribal.ports.remembering.identity import LAYERS, SHARED_LAYERS, Space, right_to_write
from tribal.ports.remembering.memory_index import MemoryIndex
from tribal.ports.remembering.selection import MemorySelection
from tribal.rate_limits import TokenBuckets
from tribal_contracts import MemorySettings
from tribal_contracts.memory import (
    MemoryAddInput,
    MemoryAddOutput,
    MemoryDeleteInput,
    MemoryDeleteOutput,
    MemoryRecord,
)

if TYPE_CHECKING:
    from tribal.capabilities.memory.parts import MemoryParts
    from tribal.ports.index.reader import Embedder
    from tribal_contracts import TableState

MOST_MEMORIES = 10_000
"""Limit of a space. Source: docs/contracts.md, Memory."""

_WRITES = TokenBuckets()


@dataclass(frozen=True, slots=True)
class WriteContext:
    """Where memories are written, and for whom; `now` is their time of creation."""

    store: ObjectStore
    index: MemoryIndex
    embedder: Callable[[], Embedder]
    settings: MemorySettings
    caller: Caller
    now: str
    audit: AuditLog = discard
    states: Callable[[MemoryRecord], list[TableState]] = lambda _: []
    """The documented tables that a memory names, as they are now."""

    @property
    def repository(self) -> Repository:
        """The objects and their index."""
        return Repository(self.store, self.index, self.embedder, Writer(self.caller.subject, self.now, self.audit))

    @property
    def sessions(self) -> Sessions:
        """When sessions were used."""
        lasting = timedelta(days=self.settings.session_days)
        return Sessions(self.store, datetime.fromisoformat(self.now), lasting)


def write_context(
    parts: MemoryParts, store: ObjectStore, embedder: Callable[[], Embedder], caller: Caller, now: str
) -> WriteContext:
    """The context of a caller's writes, with the parts of an application."""
    settings = parts.settings or MemorySettings()
    return WriteContext(store, parts.ready_index(), embedder, settings, caller, now, parts.audit)


def require_rate(caller: Caller, parts: MemoryParts) -> None:
    """Count a write, where the rate of writes is limited.

    Raises:
        MemoryRateLimited: when the limit is exceeded.
    """
    per_minute = (parts.settings or MemorySettings()).writes_per_minute if parts.limits_writes else 0
    if per_minute and _WRITES.seconds_to_wait(caller.subject, per_minute, burst=per_minute):
        raise MemoryRateLimited(f"more than {per_minute} memories were written in a minute; try again in a minute")


def add(request: MemoryAddInput, context: WriteContext) -> MemoryAddOutput:
    """Answer `memory_add`; adding the same content again adds its tags, and records its tables as they are now.

    Raises:
        MemoryInputInvalid: when the content is refused, the layer has no single space, or the space is full.
        MemoryForbidden: when the caller may not write to the layer.
    """
    space = _space_to_write(request.layer, context)
    content, replaced = masked_content(request.content, request.layer)
    tags, metadata, more_replaced = masked_labels(request.tags or (), request.metadata or {}, request.layer)
    name = memory_id(space, content)
    context.sessions.remove_ended(space, context.repository)
    all_of_it = MemorySelection((space,))
    if context.index.count(all_of_it) >= MOST_MEMORIES and not list(context.index.of_spaces(all_of_it, [name])):
        raise MemorySpaceFull(
            f"the layer {request.layer!r} is full: it has {MOST_MEMORIES} memories; delete some first"
        )
    record = MemoryRecord(
        schema_version="1.0",
        memory_id=name,
        layer=request.layer,
        identifiers=dict(space.identifiers),
        content=content,
        tags=distinct_tags(tags),
        metadata=metadata,
        created_at=context.now,
        author=context.caller.subject,
        session=context.caller.identity.session,
        used_at=context.now,
    )
    record = record.model_copy(update={"table_states": context.states(record) or None})
    if space.layer == "session":
        context.sessions.note(space)
    with context.repository.changing(space, [name], "add"):
        _, is_new = save(context.store, space, record, renews=True)
    # Callers who may not see an existing memory do not learn that it exists.
    is_known = not is_new and any(context.index.of_spaces(MemorySelection((space,), (), context.caller.scope), [name]))
    message = "Already stored" if is_known else "Memory stored successfully"
    if replaced or more_replaced:
        message += "; personal data in it was masked, because others read this layer"
    return MemoryAddOutput(memory_id=name, message=message)


def delete(request: MemoryDeleteInput, context: WriteContext) -> MemoryDeleteOutput:
    """Answer `memory_delete`.

    Raises:
        MemoryNotFound: when it does not exist, or the caller may not see it.
        MemoryForbidden: when the caller may see it but not delete it.
    """
    caller = context.caller
    spaces = tuple(space for layer in LAYERS for space in caller.identity.spaces(layer))
    seen = MemorySelection(spaces, (), caller.scope, context.sessions.since(caller.identity))
    found = list(context.index.of_spaces(seen, [request.memory_id]))
    if not found:
        raise MemoryNotFound(f"Memory {request.memory_id!r} not found")
    for each in found:
        _require_deleting(each.record, caller)
    for each in found:
        with context.repository.changing(each.space, [request.memory_id], "delete"):
            remove(context.store, each.space, request.memory_id)
        context.sessions.remove_ended(each.space, context.repository)
    return MemoryDeleteOutput(message="Memory deleted successfully")


def _space_to_write(layer: str, context: WriteContext) -> Space:
    caller = context.caller
    if layer not in context.settings.writable_layers:
        raise MemoryForbidden(
            f"tools may not write to the layer {layer!r}; memory.writable_layers in databases.yaml lists the layers "
            "they may write to"
        )
    if not caller.may(right_to_write(layer)):
        raise MemoryForbidden(f"this needs the right {right_to_write(layer)!r}")
    spaces = caller.identity.spaces_to_write(layer)
    if not spaces:
        raise IdentifierMissing(f"you have no identifier for the layer {layer!r}")
    if len(spaces) > 1:
        named = ", ".join(repr(space.identifiers[-1][1]) for space in spaces)
        raise MemoryInputInvalid(f"you belong to several spaces of the layer {layer!r} ({named}); choose one")
    return spaces[0]


def _require_deleting(record: MemoryRecord, caller: Caller) -> None:
    if is_pointer(record):
        raise MemoryForbidden(f"it points to {record.source}; remove that, and the memory is removed too")
    own = record.layer not in SHARED_LAYERS or record.author == caller.subject
    if not (own and caller.may(right_to_write("user"))) and not caller.may(right_to_write(record.layer)):
        raise MemoryForbidden(f"this needs the right {right_to_write(record.layer)!r}")
