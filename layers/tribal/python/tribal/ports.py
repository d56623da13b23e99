"""What the stages ask of the world: small Protocols and the values that pass through them.

Stages know these and nothing of the vendors behind them; `tribal.wiring` chooses who answers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar

from tribal.catalog.scope import EVERYTHING, Scope
from tribal_contracts import (
    CatalogSchema,
    CatalogTable,
    DatabaseType,
    Description,
    DocType,
    DocumentRecord,
    IncomingKey,
    IndexMetadata,
    KeyGraph,
    SliceNeighbour,
    TableStatistics,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from pydantic import SecretStr

    from tribal.masking import MaskedSamples

Item = TypeVar("Item")
Result = TypeVar("Result")

# --- Reading a database ---------------------------------------------------------------------------------------------

SchemaAndTable = tuple[str, str]
Presence = Literal["present", "gone", "unreadable"]


@dataclass(frozen=True, slots=True)
class CatalogContents:
    """The structure of one database; tables are in order of schema and name."""

    server_database: str
    server_version: str
    schemas: tuple[CatalogSchema, ...]
    unreadable_schemas: tuple[str, ...]
    tables: tuple[CatalogTable, ...]
    statistics: Mapping[SchemaAndTable, TableStatistics]


@dataclass(frozen=True, slots=True)
class TableSample:
    """Some rows of a table as text, in a repeatable order; values are cut to a bounded length."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str | None, ...], ...]


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement that a reader may send; `{...}` marks what it fills in."""

    purpose: str
    sql: str


@dataclass(frozen=True, slots=True)
class MissingGrant:
    """Something that this user may not read, and the statement that an administrator runs to allow it."""

    what: str
    grant: str


@dataclass(frozen=True, slots=True)
class AccessReport:
    """What a user can and cannot read of a database."""

    server_database: str
    server_version: str
    user: str
    readable_schemas: tuple[str, ...]
    unreadable_schemas: tuple[str, ...]
    tables_total: int
    tables_selectable: int
    missing: tuple[MissingGrant, ...]


class CatalogReader(Protocol):
    """Reads one database, and never writes.

    Raises, from every method: `DatabaseUnreachable`, `LoginRefused`, `ConnectionLost`, `StatementTimedOut`.
    """

    def read(self) -> CatalogContents:
        """The whole structure, in a few set-based queries whatever the number of tables."""
        ...

    def sample(self, table: CatalogTable, rows: int) -> TableSample:
        """At most `rows` rows, the same ones while the data stays the same.

        Raises:
            TableGone: when the table is not there any more.
            AccessDenied: when it may not be selected from.
        """
        ...

    def presence(self, tables: Sequence[SchemaAndTable]) -> dict[SchemaAndTable, Presence]:
        """Whether each table is positively there, positively gone, or hidden from this user."""
        ...

    def access(self) -> AccessReport:
        """What this user can and cannot read."""
        ...

    def statements(self) -> list[Statement]:
        """Every statement that this reader would ever send."""
        ...

    def close(self) -> None:
        """Close every connection; the reader is of no further use."""
        ...


# --- Keeping objects ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ObjectInfo:
    """An object without its bytes. `etag` is opaque; `content_hash` is the SHA-256 of the bytes."""

    key: str
    size_bytes: int
    etag: str
    content_hash: str


@dataclass(frozen=True, slots=True)
class StoredObject:
    """An object with its bytes and the `etag` that a conditional put of its successor names."""

    data: bytes
    etag: str


class ObjectStore(Protocol):
    """Holds the truth. Keys are relative, separated by `/`, without `..`; a put is atomic and durable.

    Raises, from every writing method: `StoreUnwritable`.
    """

    @property
    def location(self) -> str:
        """Where the store lies, for people."""
        ...

    def get(self, key: str) -> StoredObject:
        """Read an object.

        Raises:
            ObjectNotFound: when there is none.
        """
        ...

    def lines(self, key: str) -> Iterator[bytes]:
        """Read an object line by line, without holding it whole; line ends are left out.

        Raises:
            ObjectNotFound: when there is none.
        """
        ...

    def put(self, key: str, data: bytes, *, if_match: str | None = None, if_absent: bool = False) -> str:
        """Write an object and return its new `etag`.

        Raises:
            PreconditionFailed: when `if_match` is not the present `etag`, or `if_absent` and there is an object.
        """
        ...

    def put_lines(self, key: str, lines: Iterable[bytes]) -> str:
        """Write an object of many lines without holding it whole, and return its new `etag`."""
        ...

    def head(self, key: str) -> ObjectInfo | None:
        """What is known of an object; `None` when there is none."""
        ...

    def keys(self, prefix: str = "") -> Iterator[str]:
        """Keys that start with the prefix, in order."""
        ...

    def delete(self, key: str) -> None:
        """Remove an object; does nothing when there is none."""
        ...


# --- Searching ------------------------------------------------------------------------------------------------------

INDEX_VERSION = "1"
"""Version of what an index holds and how; an index of another version is rebuilt, never migrated."""


@dataclass(frozen=True, slots=True)
class IndexFilter:
    """Which records a read may return."""

    scope: Scope = EVERYTHING
    database: str | None = None
    domain: str | None = None


@dataclass(frozen=True, slots=True)
class Candidate:
    """A record that matches, with the score of one signal; higher is better."""

    record_id: int
    score: float
    table_id: int | None = None
    """Id of the table record that a table or column record belongs to."""
    matched: frozenset[str] = frozenset()
    """Of a lexical candidate, the terms that it shares."""


@dataclass(frozen=True, slots=True)
class IndexCounts:
    """How much an index holds, finished or not."""

    documents: int
    vectors: int


@dataclass(frozen=True, slots=True)
class TableEntry:
    """The least that is known of an indexed table."""

    record_id: int
    database: str
    schema: str
    table: str
    domain: str
    database_type: DatabaseType


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """A record with the terms that find it and its vector; `terms` are already tokenised, one field a tuple."""

    record: DocumentRecord
    names: tuple[str, ...]
    """Terms of its name, which weigh most."""
    body: tuple[str, ...]
    """Terms of everything else."""
    vector: NDArray[Any] | None
    """D float32, L2-normalised."""


class SearchIndex(Protocol):
    """A projection of the documents that can be thrown away and rebuilt. Every read keeps to the filter's scope.

    Raises, from every reading method: `IndexNotReady`; from every writing one: `IndexWriteFailed`. A writer's own reads
    (`metadata`, `sources`, `counts`) never raise: an index that cannot be used is to them as if it were not there.
    """

    def metadata(self) -> IndexMetadata | None:
        """What the index was built from; `None` while there is no finished index."""
        ...

    def lexical(self, terms: Sequence[str], doc_type: DocType, where: IndexFilter, limit: int) -> list[Candidate]:
        """Records that share a term, by BM25 with names weighing three times, best first, ties by id."""
        ...

    def term_counts(self, terms: Sequence[str], doc_type: DocType, scope: Scope) -> dict[str, int]:
        """How many records hold each term; a term that none holds is left out."""
        ...

    def nearest(self, vector: NDArray[Any], doc_type: DocType, where: IndexFilter, limit: int) -> list[Candidate]:
        """Records by cosine similarity, best first, ties by id; a zero vector is near to nothing.

        Empty when the index has no vectors.
        """
        ...

    def records(self, ids: Sequence[int]) -> dict[int, DocumentRecord]:
        """Records by id; an unknown id is left out."""
        ...

    def tables(self, where: IndexFilter) -> list[TableEntry]:
        """Every table, in order of its name."""
        ...

    def domain_records(self, where: IndexFilter) -> list[DocumentRecord]:
        """The record of every domain of every database, in order of domain and database."""
        ...

    def key_graph(self) -> KeyGraph | None:
        """Every foreign key; `None` before the first index."""
        ...

    def sources(self) -> dict[str, str]:
        """Content hash of each file that the index holds, by path relative to `docs/`."""
        ...

    def counts(self) -> IndexCounts:
        """How much the index holds."""
        ...

    def replace(
        self,
        changed: Mapping[str, Sequence[IndexEntry]],
        removed: Iterable[str],
        hashes: Mapping[str, str] | None = None,
    ) -> None:
        """Put the records of changed files in place of what those files had, and drop those of removed files, at once.

        Keys and members are paths relative to `docs/`. `hashes` holds the content hash of changed files, which `sources`
        remembers; where it is silent the hash of the file's first record counts, so only a file without records needs it.
        """
        ...

    def finish(self, metadata: IndexMetadata, graph: KeyGraph) -> None:
        """Publish the key graph and the metadata, at once, after the last `replace`."""
        ...

    def clear(self) -> None:
        """Throw everything away."""
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


# --- Describing -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TableContext:
    """All that a describer may know of a table."""

    database: str
    database_type: DatabaseType
    domain: str
    table: CatalogTable
    row_count: int
    incoming: tuple[IncomingKey, ...]
    neighbours: Mapping[str, SliceNeighbour]
    """By fully qualified name."""
    samples: Mapping[str, MaskedSamples]
    """By column; empty when no sample was taken."""


@dataclass(frozen=True, slots=True)
class TableDescription:
    """What a describer says of a table."""

    table: Description
    columns: Mapping[str, Description]
    """By column; every column of the table has one."""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DomainContext:
    """What a describer may know of a domain: its tables with their descriptions, most central first."""

    database: str
    domain: str
    title: str
    tables: Sequence[tuple[str, str]]
    schema_comments: Sequence[str] = field(default_factory=tuple)


class Describer(Protocol):
    """Puts a table and a domain into words."""

    @property
    def version(self) -> str:
        """Changes whenever the same input would be described in other words."""
        ...

    def describe_table(self, context: TableContext) -> TableDescription:
        """Describe a table and every column of it."""
        ...

    def describe_domain(self, context: DomainContext) -> Description:
        """Say what a domain is about."""
        ...


class Secrets(Protocol):
    """Named secrets."""

    def get(self, name: str) -> SecretStr | None:
        """The secret of that name; `None` when there is none."""
        ...

    def refresh(self, name: str) -> SecretStr | None:
        """The same, read anew: called once after a login was refused."""
        ...


# --- Running --------------------------------------------------------------------------------------------------------


class Clock(Protocol):
    """Two times: the one that is published and may stand still, and the real one."""

    def published(self) -> str:
        """ISO 8601 in UTC: `SOURCE_DATE_EPOCH` where that is set, else the present."""
        ...

    def real(self) -> datetime:
        """The present in UTC, for leases, deadlines and run ids."""
        ...

    def elapsed_ms(self, since: datetime) -> int:
        """Milliseconds since a real time; 0 where the published clock stands still."""
        ...

    @property
    def stands_still(self) -> bool:
        """Whether `SOURCE_DATE_EPOCH` is set."""
        ...


class Deadline(Protocol):
    """When a stage has to hand back."""

    def remaining_seconds(self) -> float:
        """Seconds that are left; infinite when there is no deadline."""
        ...


class Lease(Protocol):
    """The right to write, held by one run at a time."""

    @property
    def run_id(self) -> str:
        """The run that holds it."""
        ...

    def check(self) -> None:
        """Make sure that the lease is still ours, before anything is published.

        Raises:
            LeaseLost: when another run has taken it over.
        """
        ...


class ProcessLock(Protocol):
    """A lock that the operating system frees when its holder dies, however it dies."""

    def try_acquire(self) -> bool:
        """Take the lock without waiting; false while anybody else holds it.

        Raises:
            StoreUnwritable: when the lock cannot be kept where it should be.
        """
        ...

    def release(self) -> None:
        """Give the lock back; does nothing when it is not held."""
        ...


Outcome = Literal["documented", "unchanged", "failed", "indexed", "skipped"]


class ProgressSink(Protocol):
    """Is told how far a run has come. Called from many threads."""

    def begin(self, stage: str, total: int) -> None:
        """A stage starts with `total` items to do."""
        ...

    def advance(self, stage: str, item: str, outcome: Outcome) -> None:
        """One item of a stage is done."""
        ...

    def end(self, stage: str, summary: str) -> None:
        """A stage is done."""
        ...

    def note(self, message: str) -> None:
        """Something that a person should know."""
        ...


class WorkerPool(Protocol):
    """Does many things at once."""

    def run(
        self, function: Callable[[Item], Result], items: Iterable[Item], at_once: int
    ) -> Iterator[tuple[Item, Result]]:
        """Yield each item with its result as it is done, at most `at_once` at a time.

        Items are taken one by one, so that an endless iterable needs no memory. An error of `function` is raised here,
        after the calls under way have ended; so is `RunInterrupted` once `stop` was called.
        """
        ...

    @property
    def stopping(self) -> bool:
        """Whether somebody asked to stop: what is long should look at it between two items."""
        ...
