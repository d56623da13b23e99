"""Contracts of memory: what agents learned, kept for the next one."""

from __future__ import annotations

from pydantic import BaseModel

from tribal_contracts.core.camel import ToolError
from tribal_contracts.memory.records import MemoryRecord
from tribal_contracts.memory.tools import (
    DEFAULT_THRESHOLD,
    MAX_TAGS,
    MemoryAddInput,
    MemoryAddOutput,
    MemoryDeleteInput,
    MemoryDeleteOutput,
    MemoryLayer,
    MemorySearchInput,
    MemorySearchOutput,
    MemorySearchResult,
)

__all__ = [
    "DEFAULT_THRESHOLD",
    "EXPORTED",
    "MAX_TAGS",
    "MemoryAddInput",
    "MemoryAddOutput",
    "MemoryDeleteInput",
    "MemoryDeleteOutput",
    "MemoryLayer",
    "MemoryRecord",
    "MemorySearchInput",
    "MemorySearchOutput",
    "MemorySearchResult",
    "ToolError",
]

EXPORTED: dict[str, type[BaseModel]] = {
    "tool-error": ToolError,
    "memory-record": MemoryRecord,
    "memory-add-input": MemoryAddInput,
    "memory-add-output": MemoryAddOutput,
    "memory-search-input": MemorySearchInput,
    "memory-search-output": MemorySearchOutput,
    "memory-delete-input": MemoryDeleteInput,
    "memory-delete-output": MemoryDeleteOutput,
}
"""The contracts exported as JSON Schema, by file name."""
