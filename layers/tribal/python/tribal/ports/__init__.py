"""The interfaces between the stages and the outside world: small Protocols and the values that pass through them.

Stages depend on these and never on a vendor; `tribal.app` chooses the adapters. Submodules load lazily, when one of
their names is first accessed, because `tribal --help` lists the tools and must not import the contracts.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tribal.ports.application import Application, Provider, RunContext
    from tribal.ports.caller import Caller
    from tribal.ports.catalog_reader import (
        AccessReport,
        BrokenTexts,
        CatalogContents,
        CatalogReader,
        MissingGrant,
        Presence,
        SchemaAndTable,
        Statement,
        TableSample,
        UnreadPart,
        name_of,
    )
    from tribal.ports.derived import DerivedValues
    from tribal.ports.describing import (
        Describer,
        Describers,
        DomainContext,
        DomainDescription,
        HumanDescription,
        LookupValues,
        Secrets,
        TableContext,
        TableDescription,
    )
    from tribal.ports.index.reader import (
        INDEX_VERSION,
        Candidate,
        Candidates,
        Embedder,
        IndexedTable,
        IndexFilter,
        IndexReader,
        MatchedTerms,
        VectorKind,
        VectorQuery,
        WordQuery,
    )
    from tribal.ports.index.writer import IndexCounts, IndexEntry, IndexWriter
    from tribal.ports.models.calls import (
        BudgetedModel,
        CallLimits,
        FailureKind,
        LanguageModel,
        ModelAnnouncement,
        ModelAnswer,
        ModelFacts,
        ModelFailure,
        ModelOutcome,
        ModelPrices,
        ModelReadiness,
        ModelRequest,
        Spending,
        UnsentRequest,
    )
    from tribal.ports.object_store import (
        ObjectInfo,
        ObjectStore,
        StoredObject,
    )
    from tribal.ports.options import (
        DOCUMENT_VERSION,
        DocumentingOptions,
        Options,
        PlanOptions,
        RunParameters,
        Selection,
    )
    from tribal.ports.remembering.identity import Identity, Space
    from tribal.ports.remembering.memory_index import FoundMemory, IndexedMemory, MemoryIndex
    from tribal.ports.remembering.selection import MemorySelection
    from tribal.ports.running import (
        Clock,
        ItemOutcome,
        Lease,
        MessageQueue,
        ProcessLock,
        ProgressSink,
        WorkerPool,
    )
    from tribal.ports.stopping import StopToken
    from tribal.ports.tool import READS, Effect, ToolGroup, ToolSpec
else:
    _NAMES_BY_MODULE = {
        "application": "Application Provider RunContext",
        "caller": "Caller",
        "remembering.identity": "Identity Space",
        "remembering.memory_index": "FoundMemory IndexedMemory MemoryIndex",
        "remembering.selection": "MemorySelection",
        "derived": "DerivedValues",
        "describing": "Describer Describers DomainContext DomainDescription Secrets HumanDescription LookupValues "
        "TableContext TableDescription",
        "index.reader": "INDEX_VERSION VectorQuery WordQuery Candidate Candidates Embedder IndexedTable IndexFilter "
        "IndexReader MatchedTerms VectorKind",
        "index.writer": "IndexCounts IndexEntry IndexWriter",
        "models.calls": "BudgetedModel CallLimits FailureKind LanguageModel ModelAnnouncement ModelAnswer ModelFacts "
        "ModelFailure ModelOutcome ModelPrices ModelReadiness ModelRequest Spending UnsentRequest",
        "options": "DOCUMENT_VERSION DocumentingOptions Options PlanOptions RunParameters Selection",
        "catalog_reader": "AccessReport BrokenTexts CatalogContents CatalogReader MissingGrant Presence SchemaAndTable "
        "Statement TableSample UnreadPart name_of",
        "running": "Clock Lease ItemOutcome MessageQueue ProcessLock ProgressSink WorkerPool",
        "stopping": "StopToken",
        "object_store": "ObjectInfo ObjectStore StoredObject",
        "tool": "READS ToolGroup Effect ToolSpec",
    }
    _MODULES = {name: module for module, names in _NAMES_BY_MODULE.items() for name in names.split()}

    def __getattr__(name):
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
        globals()[name] = value
        return value


__all__ = [
    "DOCUMENT_VERSION",
    "INDEX_VERSION",
    "READS",
    "AccessReport",
    "BrokenTexts",
    "Application",
    "Caller",
    "FoundMemory",
    "Identity",
    "IndexedMemory",
    "MemoryIndex",
    "MemorySelection",
    "Space",
    "ToolGroup",
    "DerivedValues",
    "DocumentingOptions",
    "Effect",
    "IndexReader",
    "IndexWriter",
    "MatchedTerms",
    "Options",
    "PlanOptions",
    "Provider",
    "VectorQuery",
    "WordQuery",
    "Candidate",
    "Candidates",
    "CatalogContents",
    "CatalogReader",
    "Clock",
    "Describer",
    "Describers",
    "DomainContext",
    "DomainDescription",
    "FailureKind",
    "BudgetedModel",
    "CallLimits",
    "LanguageModel",
    "ModelAnswer",
    "ModelFacts",
    "ModelFailure",
    "ModelOutcome",
    "ModelPrices",
    "ModelAnnouncement",
    "ModelReadiness",
    "ModelRequest",
    "HumanDescription",
    "LookupValues",
    "Embedder",
    "IndexCounts",
    "IndexEntry",
    "IndexFilter",
    "IndexedTable",
    "Lease",
    "MessageQueue",
    "MissingGrant",
    "UnreadPart",
    "ObjectInfo",
    "ObjectStore",
    "ItemOutcome",
    "Presence",
    "ProcessLock",
    "ProgressSink",
    "RunContext",
    "RunParameters",
    "SchemaAndTable",
    "Secrets",
    "Selection",
    "Spending",
    "Statement",
    "StopToken",
    "StoredObject",
    "TableContext",
    "TableDescription",
    "TableSample",
    "ToolSpec",
    "UnsentRequest",
    "VectorKind",
    "WorkerPool",
    "name_of",
]
