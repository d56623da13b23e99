"""The contracts of planning and documenting that are exported as JSON Schema."""

from __future__ import annotations

from pydantic import BaseModel

from tribal_contracts.documentation.budget import BudgetRecord
from tribal_contracts.documentation.catalog import (
    CatalogReading,
    CatalogSlice,
    CatalogSnapshot,
    CatalogStatistics,
    CatalogTable,
    ExpandedDatabases,
)
from tribal_contracts.documentation.corrections import (
    AgreedCorrection,
    Correction,
    ProposedCorrection,
    WrittenCorrection,
    WrittenWords,
)
from tribal_contracts.documentation.definitions import Definitions
from tribal_contracts.documentation.documents import (
    Annotations,
    DomainDocument,
    OverviewDocument,
    RelationshipsDocument,
    TableDocument,
)
from tribal_contracts.documentation.keys import InferredKeys
from tribal_contracts.documentation.lineage import DatabaseLineage
from tribal_contracts.documentation.plan import DocumentationPlan, WorkUnit
from tribal_contracts.documentation.progress import DocumentationManifest, DocumenterProgress, WorkUnitProgress
from tribal_contracts.documentation.prose import CatalogNames, KeptProse
from tribal_contracts.documentation.runs import FinishCheckpoint, RunOutline, UnitResult

EXPORTED: dict[str, type[BaseModel]] = {
    "documentation-plan": DocumentationPlan,
    "documenter-progress": DocumenterProgress,
    "work-unit-progress": WorkUnitProgress,
    "documentation-manifest": DocumentationManifest,
    "catalog-snapshot": CatalogSnapshot,
    "catalog-table": CatalogTable,
    "catalog-statistics": CatalogStatistics,
    "catalog-reading": CatalogReading,
    "expanded-databases": ExpandedDatabases,
    "inferred-keys": InferredKeys,
    "database-lineage": DatabaseLineage,
    "catalog-slice": CatalogSlice,
    "catalog-names": CatalogNames,
    "kept-prose": KeptProse,
    "budget-record": BudgetRecord,
    "table-document": TableDocument,
    "domain-document": DomainDocument,
    "relationships-document": RelationshipsDocument,
    "overview-document": OverviewDocument,
    "annotations": Annotations,
    "definitions": Definitions,
    "correction": Correction,
    "agreed-correction": AgreedCorrection,
    "proposed-correction": ProposedCorrection,
    "written-correction": WrittenCorrection,
    "written-words": WrittenWords,
    "work-unit": WorkUnit,
    "unit-result": UnitResult,
    "run-outline": RunOutline,
    "finish-checkpoint": FinishCheckpoint,
}
"""The contracts exported as JSON Schema, by file name."""
