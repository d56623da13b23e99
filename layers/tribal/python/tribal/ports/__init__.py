"""What the stages ask of the world: small Protocols and the values that pass through them.

Stages know these and nothing of the vendors behind them; `tribal.app` chooses who answers.
"""

from __future__ import annotations

from tribal.ports.application import Application
from tribal.ports.candidates import Candidate, Candidates
from tribal.ports.derived import Derived
from tribal.ports.describing import (
    Describer,
    DomainContext,
    Secrets,
    TableContext,
    TableDescription,
)
from tribal.ports.index_reader import (
    INDEX_VERSION,
    ByVector,
    ByWords,
    Embedder,
    IndexedTable,
    IndexFilter,
    IndexReader,
    VectorKind,
)
from tribal.ports.index_writer import IndexCounts, IndexEntry, IndexWriter
from tribal.ports.messaging import MessageQueue
from tribal.ports.options import DocumentingOptions, Options, PlanOptions, RunParameters
from tribal.ports.provider import Provider
from tribal.ports.reading import (
    AccessReport,
    CatalogContents,
    CatalogReader,
    MissingGrant,
    Presence,
    SchemaAndTable,
    Statement,
    TableSample,
)
from tribal.ports.running import (
    Clock,
    Lease,
    Outcome,
    ProcessLock,
    ProgressSink,
    RunContext,
    WorkerPool,
)
from tribal.ports.stopping import StopToken
from tribal.ports.storing import (
    ObjectInfo,
    ObjectStore,
    StoredObject,
)

__all__ = [
    "INDEX_VERSION",
    "AccessReport",
    "Application",
    "Derived",
    "DocumentingOptions",
    "IndexReader",
    "IndexWriter",
    "Options",
    "PlanOptions",
    "Provider",
    "ByVector",
    "ByWords",
    "Candidate",
    "Candidates",
    "CatalogContents",
    "CatalogReader",
    "Clock",
    "Describer",
    "DomainContext",
    "Embedder",
    "IndexCounts",
    "IndexedTable",
    "IndexEntry",
    "IndexFilter",
    "Lease",
    "MessageQueue",
    "MissingGrant",
    "ObjectInfo",
    "ObjectStore",
    "Outcome",
    "Presence",
    "ProcessLock",
    "ProgressSink",
    "RunContext",
    "RunParameters",
    "SchemaAndTable",
    "Secrets",
    "Statement",
    "StopToken",
    "StoredObject",
    "TableContext",
    "TableDescription",
    "TableSample",
    "VectorKind",
    "WorkerPool",
]
