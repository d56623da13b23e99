"""Asking an index."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol

from tribal.catalog.scope import EVERYTHING, Scope
from tribal.ports.candidates import Candidates
from tribal_contracts import (
    DatabaseType,
    DocType,
    DocumentRecord,
    IndexMetadata,
    KeyGraph,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray


INDEX_VERSION = "3"
"""Version of what an index holds and how; an index of another version is rebuilt, never migrated."""

VectorKind = DocType | Literal["table_name"]
"""What a vector stands for: a whole record of a type or, of a table, its name alone."""


@dataclass(frozen=True, slots=True)
class IndexFilter:
    """Which records a read may return."""

    scope: Scope = EVERYTHING
    database: str | None = None
    domain: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class ByWords:
    """A question for records that share a term, by BM25 with names weighing three times, best first, ties by id."""

    terms: Sequence[str]
    doc_type: DocType
    where: IndexFilter
    limit: int


@dataclass(frozen=True, slots=True, eq=False)
class ByVector:
    """A question for records by the cosine similarity of one kind of vector, best first, ties by id.

    A zero vector is near to nothing. A table that is found by its name is given by the id of its record. Empty when the
    index has no vectors.
    """

    vector: NDArray[Any]
    kind: VectorKind
    where: IndexFilter
    limit: int


@dataclass(frozen=True, slots=True)
class IndexedTable:
    """The least that is known of an indexed table."""

    record_id: int
    database: str
    schema: str
    table: str
    domain: str
    database_type: DatabaseType


class IndexReader(Protocol):
    """A projection of the documents that can be thrown away and rebuilt. Every read keeps to the filter's scope.

    Whoever reads sees one finished generation, and asking leaves nothing behind. Every method raises `IndexNotReady`
    where there is nothing to ask, but for those that say otherwise.
    """

    def reading(self) -> AbstractContextManager[None]:
        """Within the block, what this thread reads is of one generation, whatever is published meanwhile."""
        ...

    def generation(self) -> Hashable:
        """A token of the generation that is read: no other one, of this index or of any other, ever has the same.

        What is worked out from a generation is kept under its token. It changes with whatever readers may notice.
        """
        ...

    def metadata(self) -> IndexMetadata | None:
        """What the index was built from; `None` while there is no finished index that can be used. Never raises."""
        ...

    def candidates(self, questions: Sequence[ByWords | ByVector]) -> list[Candidates]:
        """The answers to several questions, all of one generation: an index over a network is asked once for them."""
        ...

    def term_counts(self, terms: Sequence[str], doc_type: DocType, scope: Scope) -> dict[str, int]:
        """How many records hold each term; a term that none holds is left out."""
        ...

    def records(self, ids: Sequence[int]) -> dict[int, DocumentRecord]:
        """Records by id; an unknown id is left out."""
        ...

    def tables(self, where: IndexFilter) -> list[IndexedTable]:
        """Every table, in order of its name."""
        ...

    def domain_records(self, where: IndexFilter) -> list[DocumentRecord]:
        """The record of every domain of every database, in order of domain and database."""
        ...

    def key_graph(self) -> KeyGraph | None:
        """Every foreign key; `None` before the first index."""
        ...

    def close(self) -> None:
        """Let go of files and connections."""
        ...


class Embedder(Protocol):
    """Turns texts into vectors, without any network."""

    @property
    def model(self) -> str:
        """Name of the model, recorded with the index."""
        ...

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        ...

    def embed(self, texts: Sequence[str]) -> NDArray[Any]:
        """N x D float32, L2-normalised; a text without any known token is a zero vector.

        Raises:
            EmbeddingFailed: when the model cannot be used.
        """
        ...
