"""What the company decided: items, and the snapshot that publishes them. Extension contracts over the specification's
item.

Source: memory specification, section 4; docs/contracts.md, Knowledge.
"""

from __future__ import annotations

from typing import Annotated, Literal, get_args

from pydantic import Field, JsonValue, StringConstraints

from tribal_contracts.core.camel import CamelContract
from tribal_contracts.core.knowledge_settings import KnowledgeLayer, KnowledgeType
from tribal_contracts.core.shape import ContentHash, Count, ISOTimestamp, Unset, optional
from tribal_contracts.knowledge.constraints import Constraint, Severity, Unreadable

KnowledgeStatus = Literal["draft", "proposed", "accepted", "deprecated", "superseded"]
TYPES: tuple[KnowledgeType, ...] = get_args(KnowledgeType)
KNOWLEDGE_LAYERS: tuple[KnowledgeLayer, ...] = get_args(KnowledgeLayer)
"""The widest first."""
STATUSES: tuple[KnowledgeStatus, ...] = get_args(KnowledgeStatus)
ItemId = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$")]


class HistoryEntry(CamelContract):
    """A commit that changed an item."""

    version: str
    timestamp: ISOTimestamp
    author: str
    message: str


class ShownItem(CamelContract):
    """An item as `knowledge_show` returns it. Source: memory specification, section 4, knowledge_show."""

    id: str
    type: KnowledgeType
    layer: KnowledgeLayer
    title: str
    summary: str
    content: str = Field(description="Full markdown content")
    status: KnowledgeStatus
    severity: Severity
    tags: list[str]
    constraints: list[Constraint] | Unset = optional()
    metadata: dict[str, JsonValue]
    created_at: ISOTimestamp
    updated_at: ISOTimestamp
    supersedes: str | Unset = optional()
    superseded_by: list[str] | Unset = optional()
    unreadable: Unreadable | Unset = optional("Extension: whether a file that cannot be read blocks or warns")


class KnowledgeItem(ShownItem):
    """One item of a snapshot. File: `knowledge/items/{sha256}.json`, never changed.

    `superseded_by` has what the item itself says: ids, or files next to its own.
    """

    schema_version: Literal["1.0"]
    owner: str
    """Identifier of the company, organization, team or project that it belongs to."""
    path: str
    """Its file in the source."""
    tables: list[str]
    """Names of tables that it says it is about."""
    warnings: list[str]
    """What to know about how it was read."""
    history: list[HistoryEntry]
    """The newest first, at most 50; empty without git."""


class ItemFailure(CamelContract):
    """A file of the source that could not be used."""

    path: str
    line: int | None
    reason: str
    layer: KnowledgeLayer | None = None
    """Of whom it would be an item; `None` where its place does not say so."""
    owner: str | None = None
    type: KnowledgeType | None = None


class SkippedFile(CamelContract):
    """A file of an item that was rejected."""

    path: str
    layer: KnowledgeLayer
    type: KnowledgeType


class SnapshotEntry(CamelContract):
    """An item of a snapshot."""

    id: ItemId
    type: KnowledgeType
    layer: KnowledgeLayer
    owner: str
    path: str
    object: ContentHash
    """Of the item's bytes, which is its name too."""
    version: str
    """Of its file in the source: while that is the same nothing of it is read again."""
    supersedes: str | None
    """Id of the item that it says it supersedes."""


class KnowledgeManifest(CamelContract):
    """What is published. File: `knowledge/manifest.json`, replaced conditionally and last."""

    schema_version: Literal["1.0"]
    commit: str
    """Of git, else the hash of all paths and bytes."""
    published_at: ISOTimestamp
    items: list[SnapshotEntry]
    failures: list[ItemFailure]
    skipped: list[SkippedFile]
    """Files of items that are rejected: they are not published."""
    hash: ContentHash
    """Of the entries."""


class ProjectedItem(CamelContract):
    """What is searched and checked of an item."""

    id: ItemId
    type: KnowledgeType
    layer: KnowledgeLayer
    owner: str
    title: str
    summary: str
    status: KnowledgeStatus
    severity: Severity
    tags: list[str]
    constraints: list[Constraint]
    tables: list[str]
    mentions: list[str]
    """What in its text is written as names are."""
    words: list[str]
    """The words by which all of its text may mention tables."""
    author: str
    """Who changed it last, else whose it is."""
    updated_at: ISOTimestamp
    terms: dict[str, int]
    """How often it has each term, more where that counts more."""
    unreadable: Unreadable | Unset = optional()
    """Whether a file that cannot be read blocks or warns; blocks when unset."""
    vector: str | None
    """Little-endian float16 in base64."""


class Projection(CamelContract):
    """What is searched and checked of a snapshot. File: `knowledge/projections/{hash}.json`, rebuilt when missing."""

    schema_version: Literal["1.0"]
    model: str
    """Which made the vectors; empty without."""
    dimensions: Count
    items: list[ProjectedItem]
