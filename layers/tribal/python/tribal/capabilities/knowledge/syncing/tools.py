"""The tools that sync. Use cases and contracts are imported only when a tool is called."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from tribal.capabilities.knowledge.tools import parts_of
from tribal.ports.tool import Effect, ToolGroup, ToolSpec, models_of, tool_errors

if TYPE_CHECKING:
    from tribal.ports.application import Application
    from tribal.ports.caller import Caller
    from tribal_contracts import Contract
    from tribal_contracts.knowledge import SyncNowInput, SyncStatusInput

RIGHT_TO_SYNC = "knowledge:sync"
_READ = "knowledge:read"
_INTERNAL = "SYN_INTERNAL"
_WIRE_CODES: dict[str, Any] = {
    "SYN_INPUT_INVALID": "INVALID_INPUT",
    "SYN_ACCESS_DENIED": "UNAUTHORIZED",
    "SYN_LOCKED": "CONFLICT",
    "SYN_TIMED_OUT": "TIMEOUT",
    "KNW_NOTHING_PUBLISHED": "NOT_FOUND",
    "MEM_TIMED_OUT": "TIMEOUT",
    "MEM_CONFLICT": "CONFLICT",
}


def sync_now(request: SyncNowInput, caller: Caller, app: Application) -> Contract:
    """Answer `sync_now`: run one sync with the parts of an application."""
    from tribal.capabilities.knowledge.errors import NothingPublished
    from tribal.capabilities.knowledge.items.places import layout_of
    from tribal.capabilities.knowledge.syncing.sync import SyncContext, sync
    from tribal.identity.locations import SYNC_LEASE

    parts = parts_of(app)
    origin = parts.origin
    if origin is None:
        raise NothingPublished(
            "no source of decisions is configured; write `knowledge: {repository: FOLDER OR URL}` into databases.yaml"
        )
    return sync(
        request,
        SyncContext(
            open_source=origin.open,
            layout=layout_of(origin.settings, origin.company),
            store=app.store(),
            embedder=app.embedder,
            pointers=None if app.pointers is None else app.pointers(caller),
            clock=app.clock,
            lock=app.locks(SYNC_LEASE),
            seconds=math.inf if parts.sync_seconds is None else parts.sync_seconds,
        ),
    )


def _status(_: SyncStatusInput, caller: Caller, app: Application) -> Contract:
    from datetime import datetime

    from tribal.capabilities.knowledge.syncing.record import load_record, status
    from tribal.ports.remembering.identity import SHARED_LAYERS

    parts = parts_of(app)
    spaces = [space for layer in SHARED_LAYERS for space in caller.identity.spaces(layer)]
    return status(
        load_record(app.store()),
        datetime.fromisoformat(app.clock.published()),
        parts.stale_hours,
        {(space.layer, space.identifiers[-1][1]) for space in spaces},
        is_configured=parts.origin is not None,
    )


def _is_done(answer: Any) -> bool:
    return bool(getattr(answer, "success", True))


SYNC = ToolGroup(
    name="sync",
    tools=(
        ToolSpec(
            name="sync_now",
            title="Sync decisions",
            summary="Sync decisions and policies from where they are kept.",
            description="Manually trigger synchronization between memory and knowledge systems. Use this after"
            " significant knowledge updates or if you suspect memories are out of date with the latest organizational"
            " policies.",
            models=models_of("tribal_contracts.knowledge", "SyncNowInput", "SyncNowOutput"),
            handler=sync_now,
            right=RIGHT_TO_SYNC,
            effect=Effect(read_only=False),
            command="sync",
            is_done=_is_done,
        ),
        ToolSpec(
            name="sync_status",
            title="Status of syncs",
            summary="Show when decisions were synced last, and what failed.",
            description="Check the status of memory-knowledge synchronization, including last sync time, pending"
            " changes, and any sync failures.",
            models=models_of("tribal_contracts.knowledge", "SyncStatusInput", "SyncStatusOutput"),
            handler=_status,
            right=_READ,
            command="sync-status",
            is_earlier_command=True,
        ),
    ),
    **tool_errors(_WIRE_CODES, _INTERNAL),
    invalid_input_code="SYN_INPUT_INVALID",
    internal_code=_INTERNAL,
    access_denied_code="SYN_ACCESS_DENIED",
    heading="Remember",
    instructions="Decisions are as of the last sync: sync_status says when that was, sync_now repeats it;"
    " warnings say what failed. A failure has errorCode, details whose code says more, and retryable.",
    explained=frozenset(("errorCode", "details", "retryable", "warnings")),
)
