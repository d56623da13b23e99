"""What is stored of a memory, and the settings of memory. Extension contracts."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, JsonValue, StringConstraints

from tribal_contracts.core.camel import CamelContract
from tribal_contracts.core.sections import CapabilitySettings
from tribal_contracts.core.shape import ISOTimestamp, Unset, optional
from tribal_contracts.documentation.definitions import TableState
from tribal_contracts.memory.tools import MEMORY_ID_PATTERN, MemoryLayer

MAX_TABLES = 10
"""Tables whose states a memory has."""


class MemoryRecord(CamelContract):
    """One memory: the truth about it. File: `memory/{layer}/{space}/{memoryId}.json`, changed conditionally."""

    schema_version: Literal["1.0"]
    memory_id: Annotated[str, StringConstraints(pattern=MEMORY_ID_PATTERN)]
    layer: MemoryLayer
    identifiers: dict[str, str]
    """The identifiers of its space, by kind: of a memory of a session `user` and `session`."""
    content: str
    tags: list[str]
    metadata: dict[str, JsonValue]
    created_at: ISOTimestamp
    author: str
    """Subject of the caller who added it."""
    session: str | None
    """The session in which it was added, whatever its layer."""
    used_at: ISOTimestamp
    """Of a session's memory, the last use of that session known to the store; else when it was added or changed."""
    source: str | Unset = optional("Extension: what it points to; it changes only when that changes.")
    table_states: Annotated[list[TableState], Field(max_length=MAX_TABLES)] | Unset = optional(
        "Extension: the documented tables that it names, as they were when it was added."
    )


class MemorySettings(CapabilitySettings):
    """The part `memory` of `databases.yaml`."""

    writable_layers: list[MemoryLayer] = Field(
        default_factory=lambda: list[MemoryLayer](("agent", "user", "session", "project")),
        description="Layers that tools may write memories to.",
    )
    writes_per_minute: int = Field(
        default=60,
        ge=0,
        le=100_000,
        description="Most writes of a caller per minute over HTTPS and MCP; 0 lifts the limit.",
    )
    session_days: float = Field(
        default=7.0, gt=0, le=3_650, description="Days after the last use of a session when its memories expire."
    )
