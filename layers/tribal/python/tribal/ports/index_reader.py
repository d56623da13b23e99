"""Asking an index."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, overload

from tribal.catalog.scope import EVERYTHING, Scope
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


_NOTHING: frozenset[str] = frozenset()


class Candidate(NamedTuple):
    """A record that matches, with the score of one signal; higher is better."""

    record_id: int
    score: float
    table_id: int | None = None
    """Id of the table record that a table or column record belongs to."""
    matched: frozenset[str] = frozenset()
    """Of a lexical candidate, the terms that it shares."""


class Candidates(Sequence[Candidate]):
    """The answer to one question, best first; a `Candidate` is made when one is looked at.

    Args:
        ids: N record ids, int64.
        scores: N, float64.
        table_ids: N ids of table records, int64; 0 stands for none.
        matched: of a lexical answer, the terms that each shares.
    """

    __slots__ = ("_matched", "ids", "scores", "table_ids")

    def __init__(
        self,
        ids: NDArray[Any],
        scores: NDArray[Any],
        table_ids: NDArray[Any],
        matched: Sequence[frozenset[str]] | None = None,
    ) -> None:
        self.ids = ids
        self.scores = scores
        self.table_ids = table_ids
        self._matched = matched

    @classmethod
    def of(cls, candidates: Iterable[Candidate]) -> Candidates:
        """The same as columns."""
        import numpy as np  # asked for where something is searched, and not by those who only look up

        listed = list(candidates)
        return cls(
            np.array([one.record_id for one in listed], np.int64),
            np.array([one.score for one in listed], np.float64),
            np.array([one.table_id or 0 for one in listed], np.int64),
            [one.matched for one in listed],
        )

    def matched(self, position: int) -> frozenset[str]:
        """The terms that one shares."""
        return _NOTHING if self._matched is None else self._matched[position]

    def __len__(self) -> int:
        return len(self.ids)

    @overload
    def __getitem__(self, position: int) -> Candidate: ...

    @overload
    def __getitem__(self, position: slice) -> Candidates: ...

    def __getitem__(self, position: int | slice) -> Candidate | Candidates:
        if isinstance(position, slice):
            matched = None if self._matched is None else self._matched[position]
            return Candidates(self.ids[position], self.scores[position], self.table_ids[position], matched)
        return Candidate(
            int(self.ids[position]),
            float(self.scores[position]),
            int(self.table_ids[position]) or None,
            self.matched(position),
        )

    def __iter__(self) -> Iterator[Candidate]:
        return (self[position] for position in range(len(self)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]  # equal to any sequence of the same candidates

    def __repr__(self) -> str:
        return f"Candidates({list(self)!r})"


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
