"""Inputs and outputs of `memory_add`, `memory_search` and `memory_delete`. Source: memory specification, section 3.

Bounds and the refusal of unknown fields are ours: docs/contracts.md, Memory.
"""

from __future__ import annotations

import json
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, JsonValue, StringConstraints, model_validator

from tribal_contracts.core.camel import CamelContract, ClosedCamelContract
from tribal_contracts.core.shape import Count, ISOTimestamp, UnitInterval, Unset, optional
from tribal_contracts.documentation.definitions import ChangedTable

MemoryLayer = Literal["agent", "user", "session", "project", "team", "org", "company"]
MAX_CONTENT_CHARS = 4_000
MAX_QUERY_CHARS = 2_000
MAX_TAGS = 20
MAX_TAG_CHARS = 64
MAX_METADATA_BYTES = 8_192
MAX_METADATA_DEPTH = 5
MAX_RESULTS = 100
DEFAULT_THRESHOLD = 0.7
MEMORY_ID_PATTERN = r"^mem_[0-9a-f]{20}$"


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be blank")
    return text


def _depth(value: JsonValue) -> int:
    if isinstance(value, dict):
        return 1 + max(map(_depth, value.values()), default=0)
    if isinstance(value, list):
        return 1 + max(map(_depth, value), default=0)
    return 0


def _bounded_metadata(metadata: dict[str, JsonValue]) -> dict[str, JsonValue]:
    reserved = next((key for key in metadata if key.startswith("_")), None)
    if reserved is not None:
        raise ValueError(f"keys that begin with an underscore are reserved: {reserved[:MAX_TAG_CHARS]!r}")
    if _depth(metadata) > MAX_METADATA_DEPTH:
        raise ValueError(f"must not be nested deeper than {MAX_METADATA_DEPTH} levels")
    if len(json.dumps(metadata, ensure_ascii=False).encode("utf-8", "replace")) > MAX_METADATA_BYTES:
        raise ValueError(f"must not be larger than {MAX_METADATA_BYTES} bytes")
    return metadata


Tag = Annotated[str, StringConstraints(max_length=MAX_TAG_CHARS), AfterValidator(_not_blank)]
Tags = Annotated[list[Tag], Field(max_length=MAX_TAGS)]
Metadata = Annotated[dict[str, JsonValue], AfterValidator(_bounded_metadata)]


class MemoryAddInput(ClosedCamelContract):
    """Source: memory specification, section 3, memory_add."""

    content: Annotated[str, StringConstraints(max_length=MAX_CONTENT_CHARS), AfterValidator(_not_blank)] = Field(
        description="The content to remember"
    )
    layer: MemoryLayer = Field(default="user", description="Memory scope")
    tags: Tags | Unset = optional("Tags for categorization")
    metadata: Metadata | Unset = optional("Additional metadata")


class MemoryAddOutput(CamelContract):
    """Source: memory specification, section 3, memory_add."""

    success: Literal[True] = Field(default=True, description="Whether the operation succeeded")
    memory_id: str = Field(description="ID of the created memory")
    message: str = Field(description="Confirmation message")


class MemoryFilter(ClosedCamelContract):
    """Source: memory specification, section 2, principle 3."""

    tags: Tags = Field(description="Filter by tags")


class MemorySearchInput(ClosedCamelContract):
    """Source: memory specification, section 3, memory_search."""

    query: Annotated[str, StringConstraints(max_length=MAX_QUERY_CHARS), AfterValidator(_not_blank)] = Field(
        description="Search query"
    )
    layers: Annotated[list[MemoryLayer], Field(min_length=1)] | Unset = optional("Layers to search")
    limit: Annotated[int, Field(ge=1, le=MAX_RESULTS)] = Field(default=10, description="Maximum results")
    threshold: UnitInterval = Field(default=DEFAULT_THRESHOLD, description="Minimum similarity threshold")
    tags: Tags | Unset = optional("Filter by tags")
    filter: MemoryFilter | Unset = optional("Another spelling of tags")

    @model_validator(mode="after")
    def _tags_once(self) -> Self:
        if self.tags is not None and self.filter is not None:
            raise ValueError("tags and filter are two spellings of the same: send one of them")
        return self

    @property
    def wanted_tags(self) -> list[str]:
        """The tags of either spelling, of which one suffices."""
        return self.filter.tags if self.filter is not None else self.tags or []


class MemorySearchResult(CamelContract):
    """Source: memory specification, section 3, memory_search."""

    content: str = Field(description="Memory content")
    layer: MemoryLayer = Field(description="Layer this memory came from")
    score: UnitInterval = Field(description="Relevance score (0.0 - 1.0)")
    memory_id: str = Field(description="Memory ID")
    tags: list[str] | Unset = optional("Tags")
    created_at: ISOTimestamp | Unset = optional("Extension: when it was added.")
    source: str | Unset = optional("Extension: what it points to.")
    author: str | Unset = optional("Extension: who added it.")
    reasons: list[str] | Unset = optional("Extension: why it is in the answer.")
    table_changed_since: Literal[True] | Unset = optional("Extension: a table that it names has changed since.")
    changed_tables: list[ChangedTable] | Unset = optional("Extension: these tables, with their columns.")


class MemorySearchOutput(CamelContract):
    """Source: memory specification, section 3, memory_search."""

    success: Literal[True] = Field(default=True, description="Whether the operation succeeded")
    results: list[MemorySearchResult] = Field(description="Search results")
    total_count: Count = Field(description="Total results found (before limit)")
    searched_layers: list[MemoryLayer] = Field(description="Layers that were searched")
    returned: Count | Unset = optional("Extension: how many items this answer holds.")
    truncated: bool | Unset = optional("Extension: true when items were left out.")
    warnings: list[str] | Unset = optional("Extension: what to know about this answer.")


class MemoryDeleteInput(ClosedCamelContract):
    """Source: memory specification, section 3, memory_delete."""

    memory_id: Annotated[str, StringConstraints(max_length=200), AfterValidator(_not_blank)] = Field(
        description="ID of the memory to delete"
    )


class MemoryDeleteOutput(CamelContract):
    """Source: memory specification, section 3, memory_delete."""

    success: Literal[True] = Field(default=True, description="Whether the operation succeeded")
    message: str = Field(description="Confirmation message")
