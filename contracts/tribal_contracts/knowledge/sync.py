"""Inputs and outputs of `sync_now` and `sync_status`, and what is kept of syncs.

Source: memory specification, section 5.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from tribal_contracts.core.camel import CamelContract, ClosedCamelContract
from tribal_contracts.core.knowledge_settings import KnowledgeLayer, KnowledgeType
from tribal_contracts.core.shape import ContentHash, Count, ISOTimestamp, Unset, optional
from tribal_contracts.knowledge.items import ItemFailure


class SyncNowInput(ClosedCamelContract):
    """Source: memory specification, section 5, sync_now."""

    force: bool = Field(default=False, description="Force full sync (ignore delta detection)")
    types: Annotated[list[KnowledgeType], Field(min_length=1)] | Unset = optional("Only sync specific knowledge types")
    layers: Annotated[list[KnowledgeLayer], Field(min_length=1)] | Unset = optional("Only sync specific layers")


class SyncResult(CamelContract):
    """Source: memory specification, section 5, sync_now."""

    added: Count
    updated: Count
    deleted: Count
    unchanged: Count
    failures: Count


class SyncNowOutput(CamelContract):
    """Source: memory specification, section 5, sync_now."""

    success: bool = Field(description="Whether sync completed successfully")
    result: SyncResult = Field(description="Sync results")
    duration_ms: Count = Field(description="Sync duration in milliseconds")
    message: str = Field(description="Message")


class SyncStatusInput(ClosedCamelContract):
    """Source: memory specification, section 5, sync_status."""


class SyncStats(CamelContract):
    """Source: memory specification, section 5, sync_status."""

    total_syncs: Count
    total_items_synced: Count
    avg_sync_duration_ms: Count


class SyncStatusOutput(CamelContract):
    """Source: memory specification, section 5, sync_status."""

    healthy: bool = Field(description="Whether sync is healthy")
    last_sync_at: ISOTimestamp | None = Field(description="Last sync timestamp")
    time_since_sync: str = Field(description="Time since last sync (human readable)")
    failed_items: Count = Field(description="Number of failed items")
    stats: SyncStats = Field(description="Sync statistics")
    warnings: list[str] | Unset = optional("Extension: what to know about this answer.")


class SyncedItem(CamelContract):
    """What the last sync made of an item."""

    id: str
    layer: KnowledgeLayer
    owner: str
    type: KnowledgeType
    object: ContentHash | None
    """The object of the item; `None` while a sync that has not ended may have written or removed the pointer."""
    is_pointed_to: bool
    """Whether memory has a pointer to it, or may have."""


class SyncState(CamelContract):
    """What pointers follow which items. File: `knowledge/synced.json`. Extension contract."""

    schema_version: Literal["1.0"]
    items: list[SyncedItem]


class SyncRecord(CamelContract):
    """What is kept of syncs. File: `progress/sync.json`. Extension contract."""

    schema_version: Literal["1.0"]
    last_sync_at: ISOTimestamp | None
    """When the last one ended that was not cut short; `None` before the first."""
    succeeded: bool
    """Whether the last one ended, and left no failures."""
    problem: str | None
    """Why the last one was cut short."""
    failures: list[ItemFailure]
    stats: SyncStats
    total_duration_ms: Count
