"""Reading an index."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, TypeVar, overload

from tribal.identity.scope import EVERYTHING, Scope
from tribal_contracts import (
    Contract,
    DatabaseType,
    DocType,
    DocumentRecord,
    IndexMetadata,
    KeyGraph,
    TableCopy,
    TableKind,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray


INDEX_VERSION = "15"
"""Version of the index's contents and encoding; an index of another version is rebuilt, never migrated."""

VectorKind = DocType | Literal["table_name"]
"""What a vector represents: a whole record of that type, or only the name of a table."""


Part = TypeVar("Part", bound=Contract)

_NOTHING: frozenset[str] = frozenset()


class Candidate(NamedTuple):
    """A matching record with its score from one signal; higher is better."""

    record_id: int
    score: float
    table_id: int | None = None
    """Id of the table record that a table or column record belongs to."""
    matched: frozenset[str] = frozenset()
    """For a lexical match, the query terms that the record contains."""


class MatchedTerms:
    """Which terms of a query each record contains; a set is built only on access.

    Args:
        terms: the terms, at most 64.
        held: N uint64, a bit for each term.
    """

    __slots__ = ("_held", "_terms")

    def __init__(self, terms: Sequence[str], held: NDArray[Any]) -> None:
        self._terms = tuple(terms)
        self._held = held

    @classmethod
    def of(cls, matched: Sequence[frozenset[str]]) -> MatchedTerms:
        """From a set of terms for each record."""
        import numpy as np  # imported here because lookups alone do not need numpy

        terms = sorted(frozenset().union(*matched))
        bits = {each: sum(1 << bit for bit, term in enumerate(terms) if term in each) for each in {*matched}}
        return cls(terms, np.array([bits[each] for each in matched], np.uint64))

    def __getitem__(self, position: int) -> frozenset[str]:
        bits = int(self._held[position])
        return frozenset(term for bit, term in enumerate(self._terms) if bits >> bit & 1)

    def slice(self, positions: slice) -> MatchedTerms:
        """Those of some records."""
        return MatchedTerms(self._terms, self._held[positions])

    def any_of(self, terms: Collection[str]) -> NDArray[Any]:
        """Whether each record contains one of some terms; N bool."""
        import numpy as np  # imported here because lookups alone do not need numpy

        wanted = sum(1 << bit for bit, term in enumerate(self._terms) if term in terms)
        found: NDArray[Any] = (self._held & np.uint64(wanted)) != 0
        return found


class Candidates(Sequence[Candidate]):
    """The result of one query, best first; stored as columns, a `Candidate` is built only on access.

    Args:
        ids: N record ids, int64.
        scores: N, float64.
        table_ids: N ids of table records, int64; 0 means none.
        matched: for a lexical query, the query terms that each record contains.
    """

    __slots__ = ("_matched", "ids", "scores", "table_ids")

    def __init__(
        self,
        ids: NDArray[Any],
        scores: NDArray[Any],
        table_ids: NDArray[Any],
        matched: MatchedTerms | None = None,
    ) -> None:
        self.ids = ids
        self.scores = scores
        self.table_ids = table_ids
        self._matched = matched

    @classmethod
    def of(cls, candidates: Iterable[Candidate]) -> Candidates:
        """Convert candidates to columns."""
        import numpy as np  # imported here because lookups alone do not need numpy

        listed = list(candidates)
        return cls(
            np.array([one.record_id for one in listed], np.int64),
            np.array([one.score for one in listed], np.float64),
            np.array([one.table_id or 0 for one in listed], np.int64),
            MatchedTerms.of([one.matched for one in listed]),
        )

    def matched(self, position: int) -> frozenset[str]:
        """The query terms that the candidate at this position contains; empty for a vector query."""
        return _NOTHING if self._matched is None else self._matched[position]

    def with_any_of(self, terms: Collection[str]) -> NDArray[Any]:
        """Ids of the records that contain one of some terms of a lexical query."""
        return self.ids[:0] if self._matched is None else self.ids[self._matched.any_of(terms)]

    def __len__(self) -> int:
        return len(self.ids)

    @overload
    def __getitem__(self, position: int) -> Candidate: ...

    @overload
    def __getitem__(self, position: slice) -> Candidates: ...

    def __getitem__(self, position: int | slice) -> Candidate | Candidates:
        if isinstance(position, slice):
            matched = None if self._matched is None else self._matched.slice(position)
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
    """Restricts which records a read may return."""

    scope: Scope = EVERYTHING
    database: str | None = None
    domain: str | None = None
    hidden: frozenset[str] = frozenset()
    """Words that mention objects outside of the scope (`IndexEntry.mentions`).

    A record that mentions any of them is found only by its names, its body and the vector of its name. Callers with a
    scope of schemas never find a record by terms about other schemas.
    """

    def admits(self, table: IndexedTable) -> bool:
        """Whether a table is in the scope, the database and the domain."""
        return self.database in (None, table.database) and self.domain in (None, table.domain)


@dataclass(frozen=True, slots=True, eq=False)
class WordQuery:
    """A query for records that share a term, ranked by BM25 with names weighted threefold, ties by id.

    A term matches only in texts that the filter allows to search. Term frequencies, which influence only the order, are
    counted over the whole index.
    """

    terms: Sequence[str]
    doc_type: DocType
    where: IndexFilter
    limit: int


@dataclass(frozen=True, slots=True, eq=False)
class VectorQuery:
    """A query for records by cosine similarity of one kind of vector, best first, ties by id.

    A zero vector matches nothing. For `column` vectors, the result has the nearest column of each table; for
    `table_name` vectors, the ids of the table records. A table whose texts may not be searched is compared by the
    vector of its name; other such records are skipped. Empty when the index has no vectors.
    """

    vector: NDArray[Any]
    kind: VectorKind
    where: IndexFilter
    limit: int


@dataclass(frozen=True, slots=True)
class IndexedTable:
    """The identity of an indexed table, without its documentation."""

    record_id: int
    database: str
    schema: str
    table: str
    domain: str
    database_type: DatabaseType
    kind: TableKind = "table"
    copy_of: TableCopy | None = None
    is_junction: bool = False
    """Whether it only links rows of other tables."""
    partitions: tuple[str, ...] = ()
    """Fully qualified names of partitions that are documented with the table."""


class IndexReader(Protocol):
    """A projection of the documents that can be discarded and rebuilt. Every read respects the filter's scope.

    Readers see one finished generation at a time, and reading never writes. Every method raises `IndexNotReady` when
    there is no usable index, unless it says otherwise.
    """

    def reading(self) -> AbstractContextManager[None]:
        """Pin this thread to one generation within the block, whatever is published meanwhile."""
        ...

    def generation(self) -> Hashable:
        """A token for the generation being read, unique across all generations of all indexes.

        Values derived from a generation are cached under its token, which changes with every change that readers can
        observe.
        """
        ...

    def metadata(self) -> IndexMetadata | None:
        """What the index was built from; `None` while there is no usable finished index. Never raises."""
        ...

    def candidates(self, questions: Sequence[WordQuery | VectorQuery]) -> list[Candidates]:
        """Run several queries against one generation; a remote index answers them in one request."""
        ...

    def term_counts(self, terms: Sequence[str], doc_type: DocType, where: IndexFilter) -> dict[str, int]:
        """The number of records that contain each term; terms found in none are left out."""
        ...

    def long_words(self) -> list[str]:
        """The long words of all tables (`IndexEntry.long_words`), in order.

        They are those of hidden tables and texts too: show a caller only what `term_counts` counts for it.
        """
        ...

    def records(self, ids: Sequence[int]) -> dict[int, DocumentRecord]:
        """Records by id; unknown ids are left out."""
        ...

    def documents(self, ids: Sequence[int], part: type[Part]) -> dict[int, Part]:
        """Table documents by id, or the fields that `part` has; other ids are left out.

        Args:
            ids: as in `records`.
            part: `TableDocument`, or a contract with some of its fields, which is parsed several times faster.
        """
        ...

    def tables(self, where: IndexFilter) -> list[IndexedTable]:
        """Every table, ordered by name."""
        ...

    def domain_records(self, where: IndexFilter) -> list[DocumentRecord]:
        """The record of every domain of every database, ordered by domain and database."""
        ...

    def key_graph(self) -> KeyGraph | None:
        """Every foreign key; `None` before the first index."""
        ...

    def close(self) -> None:
        """Close files and connections."""
        ...


class Embedder(Protocol):
    """Turns texts into vectors."""

    @property
    def model(self) -> str:
        """Name of the model, recorded with the index."""
        ...

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        ...

    @property
    def near(self) -> float:
        """Cosine similarity from which a text is near to a question in meaning."""
        ...

    @property
    def takes_questions(self) -> bool:
        """Whether a question is embedded as asked; if not, only its content words are."""
        ...

    @property
    def sends_texts(self) -> bool:
        """Whether texts leave this machine."""
        ...

    def may_embed(self, database: str) -> bool:
        """Whether texts about a database may be embedded: none with `describer: rules` leaves this machine."""
        ...

    def embed(self, texts: Sequence[str]) -> NDArray[Any]:
        """N x D float32, L2-normalised; a text without any known token yields a zero vector.

        Raises:
            EmbeddingFailed: when the model cannot be used.
        """
        ...

    def knows(self, words: Sequence[str]) -> list[bool]:
        """Whether each word is in the vocabulary as a whole; made-up words are split into single letters.

        Raises:
            EmbeddingFailed: when the model cannot be used.
        """
        ...
