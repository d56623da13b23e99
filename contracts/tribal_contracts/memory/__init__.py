"""Contracts of memory: what agents learned, kept for the next one."""

from __future__ import annotations

from pydantic import BaseModel

from tribal_contracts.core.camel import ToolError
from tribal_contracts.memory.records import MemoryRecord
from tribal_contracts.memory.tools import (
    MemoryAddInput,
    MemoryAddOutput,
    MemoryDeleteInput,
    MemoryDeleteOutput,
    MemorySearchInput,
    MemorySearchOutput,
)

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
