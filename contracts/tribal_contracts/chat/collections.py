"""What the store holds of a collection. Extension contracts; paths are under `collections/{name}/`."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from tribal_contracts.chat.settings import CollectionLayer, CollectionName, Profile
from tribal_contracts.core.shape import ContentHash, Contract, Count, ISOTimestamp, Unset, optional

FileKind = Literal["pdf", "docx", "md", "txt", "html"]


class EmbeddingRecord(Contract):
    """The model of a collection's vectors."""

    model: str
    """Provider and name, or the name of the model of the index."""
    dimensions: Annotated[int, Field(ge=1)]


class CollectionRecord(Contract):
    """A collection. File: `collection.json`, written once, when the first file is uploaded."""

    schema_version: Literal["1.0"] = "1.0"
    name: CollectionName
    profile: Profile
    layer: CollectionLayer
    owner: str | None
    course_id: str
    embedding: EmbeddingRecord
    created_at: ISOTimestamp


class CollectionSource(Contract):
    """A file of a collection."""

    source_id: ContentHash
    """SHA-256 of its bytes."""
    names: list[str]
    """The names under which it was uploaded, without folders."""
    paths: list[str] = Field(default_factory=list)
    """Its paths in archives that have folders."""
    kind: FileKind
    pages: Count
    passages: Count
    added_at: ISOTimestamp


class RemovedSource(Contract):
    """A file that was removed."""

    source_id: ContentHash
    removed_at: ISOTimestamp
    gone_at: ISOTimestamp | Unset = optional("When its last copy was deleted.")


class CollectionManifest(Contract):
    """What answers may use. File: `manifest.json`, changed by conditional put only."""

    schema_version: Literal["1.0"] = "1.0"
    sources: list[CollectionSource]
    removed: list[RemovedSource] = Field(default_factory=list)
    allowed: list[str] = Field(default_factory=list)
    """The models that may answer, by the provider's names, successors included."""


class SourceRecord(Contract):
    """How a file was read. File: `sources/{source_id}/source.json`, written after its passages."""

    schema_version: Literal["1.0"] = "1.0"
    source: CollectionSource
    size_bytes: Count
    masked: Count
    """Texts that were replaced because they looked like personal data or secrets."""


class Passage(Contract):
    """A piece of a page. A line of `sources/{source_id}/passages.jsonl`, with its vector."""

    number: Count
    """In its file, from 0."""
    text: str
    source_filename: str
    page_number: Annotated[int, Field(ge=1)]
    course_id: str


class StoredPassage(Passage):
    """A passage with its vector."""

    vector: str
    """float32, little-endian, of length 1, in base64."""


class PassageIndexPointer(Contract):
    """The current generation of the index. File: `index/current.json`, replaced last."""

    schema_version: Literal["1.0"] = "1.0"
    content_hash: ContentHash
    """Of the file `index/{content_hash}.db`."""
    size_bytes: Count
    sources: list[ContentHash]
    passages: Count
    embedding: EmbeddingRecord


class CollectionSummary(Contract):
    """A collection that a caller may see."""

    name: CollectionName
    profile: Profile
    layer: CollectionLayer
    owner: str | None
    course_id: str
    models: list[str]
    """The entries of `models` that may answer."""
    embedding: EmbeddingRecord | None
    """`None` before its first upload."""
    files: Count
    passages: Count


class CollectionList(Contract):
    """The collections that a caller may see, but for the documentation itself."""

    collections: list[CollectionSummary]


class CollectionContents(CollectionSummary):
    """A collection with its files."""

    sources: list[CollectionSource]

    @property
    def summary(self) -> CollectionSummary:
        """The collection without its files."""
        return CollectionSummary(**self.model_dump(exclude={"sources"}))
