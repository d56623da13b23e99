"""The messages and files shared by the parts of Tribal Knowledge: frozen pydantic models, no I/O.

Source: specification section 9.

A model is imported when it is first used, because importing all of them takes a third of a second.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tribal_contracts.core.access import AccessToken as AccessToken
    from tribal_contracts.core.access import AccessTokens as AccessTokens
    from tribal_contracts.core.access import ServeSettings as ServeSettings
    from tribal_contracts.core.camel import ToolError as ToolError
    from tribal_contracts.core.codes import ERROR_CODES as ERROR_CODES
    from tribal_contracts.core.codes import CodeDefaults as CodeDefaults
    from tribal_contracts.core.codes import agent_error as agent_error
    from tribal_contracts.core.configuration import ProfileEntry as ProfileEntry
    from tribal_contracts.core.knowledge_settings import KnowledgeSettings as KnowledgeSettings
    from tribal_contracts.core.knowledge_settings import SyncSettings as SyncSettings
    from tribal_contracts.core.model_tests import ModelRecord as ModelRecord
    from tribal_contracts.core.model_tests import ModelTest as ModelTest
    from tribal_contracts.core.model_tests import ModelTests as ModelTests
    from tribal_contracts.core.models import NANODOLLARS as NANODOLLARS
    from tribal_contracts.core.models import ModelEntry as ModelEntry
    from tribal_contracts.core.models import ModelPrice as ModelPrice
    from tribal_contracts.core.models import ModelProvider as ModelProvider
    from tribal_contracts.core.models import ModelQuote as ModelQuote
    from tribal_contracts.core.models import ModelSettings as ModelSettings
    from tribal_contracts.core.models import ModelUsage as ModelUsage
    from tribal_contracts.core.models import NamedModel as NamedModel
    from tribal_contracts.core.models import SpendingSettings as SpendingSettings
    from tribal_contracts.core.models import WrittenTexts as WrittenTexts
    from tribal_contracts.core.models import sum_texts as sum_texts
    from tribal_contracts.core.models import sum_usage as sum_usage
    from tribal_contracts.core.runs import CatalogCoverage as CatalogCoverage
    from tribal_contracts.core.runs import CoverageRecord as CoverageRecord
    from tribal_contracts.core.runs import DomainCoverage as DomainCoverage
    from tribal_contracts.core.runs import LeaseRecord as LeaseRecord
    from tribal_contracts.core.runs import RunRecord as RunRecord
    from tribal_contracts.core.runs import SourceRecord as SourceRecord
    from tribal_contracts.core.sections import CapabilitySettings as CapabilitySettings
    from tribal_contracts.core.sections import IdentitySettings as IdentitySettings
    from tribal_contracts.core.shape import SCHEMA_VERSION as SCHEMA_VERSION
    from tribal_contracts.core.shape import AgentError as AgentError
    from tribal_contracts.core.shape import AgentStatus as AgentStatus
    from tribal_contracts.core.shape import ClosedContract as ClosedContract
    from tribal_contracts.core.shape import ContentHash as ContentHash
    from tribal_contracts.core.shape import Contract as Contract
    from tribal_contracts.core.shape import Count as Count
    from tribal_contracts.core.shape import DatabaseType as DatabaseType
    from tribal_contracts.core.shape import DomainName as DomainName
    from tribal_contracts.core.shape import ErrorSeverity as ErrorSeverity
    from tribal_contracts.core.shape import FullyQualifiedTableName as FullyQualifiedTableName
    from tribal_contracts.core.shape import ISOTimestamp as ISOTimestamp
    from tribal_contracts.core.shape import RowCount as RowCount
    from tribal_contracts.core.shape import TablePriority as TablePriority
    from tribal_contracts.core.shape import UnitInterval as UnitInterval
    from tribal_contracts.core.shape import Unset as Unset
    from tribal_contracts.documentation.budget import BudgetAccount as BudgetAccount
    from tribal_contracts.documentation.budget import BudgetHolder as BudgetHolder
    from tribal_contracts.documentation.budget import BudgetRecord as BudgetRecord
    from tribal_contracts.documentation.budget import BudgetSpend as BudgetSpend
    from tribal_contracts.documentation.budget import ModelPause as ModelPause
    from tribal_contracts.documentation.catalog import CatalogCheck as CatalogCheck
    from tribal_contracts.documentation.catalog import CatalogColumn as CatalogColumn
    from tribal_contracts.documentation.catalog import CatalogExclusion as CatalogExclusion
    from tribal_contracts.documentation.catalog import CatalogForeignKey as CatalogForeignKey
    from tribal_contracts.documentation.catalog import CatalogIndex as CatalogIndex
    from tribal_contracts.documentation.catalog import CatalogKey as CatalogKey
    from tribal_contracts.documentation.catalog import CatalogPolicy as CatalogPolicy
    from tribal_contracts.documentation.catalog import CatalogReading as CatalogReading
    from tribal_contracts.documentation.catalog import CatalogRoutine as CatalogRoutine
    from tribal_contracts.documentation.catalog import CatalogSchema as CatalogSchema
    from tribal_contracts.documentation.catalog import CatalogSlice as CatalogSlice
    from tribal_contracts.documentation.catalog import CatalogSnapshot as CatalogSnapshot
    from tribal_contracts.documentation.catalog import CatalogStatistics as CatalogStatistics
    from tribal_contracts.documentation.catalog import CatalogTable as CatalogTable
    from tribal_contracts.documentation.catalog import CatalogTrigger as CatalogTrigger
    from tribal_contracts.documentation.catalog import CompositeField as CompositeField
    from tribal_contracts.documentation.catalog import ExpandedDatabases as ExpandedDatabases
    from tribal_contracts.documentation.catalog import IncomingKey as IncomingKey
    from tribal_contracts.documentation.catalog import Index as Index
    from tribal_contracts.documentation.catalog import KeyElsewhere as KeyElsewhere
    from tribal_contracts.documentation.catalog import SliceNeighbour as SliceNeighbour
    from tribal_contracts.documentation.catalog import TableCopy as TableCopy
    from tribal_contracts.documentation.catalog import TableKind as TableKind
    from tribal_contracts.documentation.catalog import TableStatistics as TableStatistics
    from tribal_contracts.documentation.configuration import DatabaseEntry as DatabaseEntry
    from tribal_contracts.documentation.configuration import DatabaseLimits as DatabaseLimits
    from tribal_contracts.documentation.configuration import Glob as Glob
    from tribal_contracts.documentation.configuration import LintRules as LintRules
    from tribal_contracts.documentation.configuration import Selection as Selection
    from tribal_contracts.documentation.corrections import AgreedCorrection as AgreedCorrection
    from tribal_contracts.documentation.corrections import Correction as Correction
    from tribal_contracts.documentation.corrections import ProposedCorrection as ProposedCorrection
    from tribal_contracts.documentation.corrections import WrittenCorrection as WrittenCorrection
    from tribal_contracts.documentation.corrections import WrittenWords as WrittenWords
    from tribal_contracts.documentation.definitions import ChangedTable as ChangedTable
    from tribal_contracts.documentation.definitions import DefinedMetric as DefinedMetric
    from tribal_contracts.documentation.definitions import DefinedTerm as DefinedTerm
    from tribal_contracts.documentation.definitions import Definition as Definition
    from tribal_contracts.documentation.definitions import DefinitionProblem as DefinitionProblem
    from tribal_contracts.documentation.definitions import Definitions as Definitions
    from tribal_contracts.documentation.definitions import LocatedMetric as LocatedMetric
    from tribal_contracts.documentation.definitions import LocatedTerm as LocatedTerm
    from tribal_contracts.documentation.definitions import Metric as Metric
    from tribal_contracts.documentation.definitions import TableState as TableState
    from tribal_contracts.documentation.definitions import Term as Term
    from tribal_contracts.documentation.definitions import UnusableFile as UnusableFile
    from tribal_contracts.documentation.definitions import VerifiedQuery as VerifiedQuery
    from tribal_contracts.documentation.documents import Annotations as Annotations
    from tribal_contracts.documentation.documents import Description as Description
    from tribal_contracts.documentation.documents import DescriptionSource as DescriptionSource
    from tribal_contracts.documentation.documents import DocumentedCheck as DocumentedCheck
    from tribal_contracts.documentation.documents import DocumentedColumn as DocumentedColumn
    from tribal_contracts.documentation.documents import DocumentedForeignKey as DocumentedForeignKey
    from tribal_contracts.documentation.documents import DocumentedIndex as DocumentedIndex
    from tribal_contracts.documentation.documents import DocumentedKey as DocumentedKey
    from tribal_contracts.documentation.documents import DocumentedRelation as DocumentedRelation
    from tribal_contracts.documentation.documents import DomainAnnotation as DomainAnnotation
    from tribal_contracts.documentation.documents import DomainDocument as DomainDocument
    from tribal_contracts.documentation.documents import DomainLink as DomainLink
    from tribal_contracts.documentation.documents import DomainTable as DomainTable
    from tribal_contracts.documentation.documents import Evidence as Evidence
    from tribal_contracts.documentation.documents import EvidenceKind as EvidenceKind
    from tribal_contracts.documentation.documents import OverviewDocument as OverviewDocument
    from tribal_contracts.documentation.documents import OverviewDomain as OverviewDomain
    from tribal_contracts.documentation.documents import PartitionStrategy as PartitionStrategy
    from tribal_contracts.documentation.documents import Relationship as Relationship
    from tribal_contracts.documentation.documents import RelationshipsDocument as RelationshipsDocument
    from tribal_contracts.documentation.documents import TableAnnotation as TableAnnotation
    from tribal_contracts.documentation.documents import TableDocument as TableDocument
    from tribal_contracts.documentation.documents import ValuesFrom as ValuesFrom
    from tribal_contracts.documentation.keys import ColumnComparison as ColumnComparison
    from tribal_contracts.documentation.keys import DocumentedInferredKey as DocumentedInferredKey
    from tribal_contracts.documentation.keys import InferredKey as InferredKey
    from tribal_contracts.documentation.keys import InferredKeys as InferredKeys
    from tribal_contracts.documentation.keys import KeyEvidence as KeyEvidence
    from tribal_contracts.documentation.keys import KeyEvidenceKind as KeyEvidenceKind
    from tribal_contracts.documentation.keys import KeyIdentifies as KeyIdentifies
    from tribal_contracts.documentation.lineage import DatabaseLineage as DatabaseLineage
    from tribal_contracts.documentation.lineage import LineageVia as LineageVia
    from tribal_contracts.documentation.lineage import MeaningSource as MeaningSource
    from tribal_contracts.documentation.lineage import ReadColumn as ReadColumn
    from tribal_contracts.documentation.lineage import ReadLabel as ReadLabel
    from tribal_contracts.documentation.lineage import ValueMeaning as ValueMeaning
    from tribal_contracts.documentation.lineage import ViewReads as ViewReads
    from tribal_contracts.documentation.plan import Complexity as Complexity
    from tribal_contracts.documentation.plan import DatabaseAnalysis as DatabaseAnalysis
    from tribal_contracts.documentation.plan import DocumentationPlan as DocumentationPlan
    from tribal_contracts.documentation.plan import DomainMove as DomainMove
    from tribal_contracts.documentation.plan import Minutes as Minutes
    from tribal_contracts.documentation.plan import PlanSummary as PlanSummary
    from tribal_contracts.documentation.plan import TableSpec as TableSpec
    from tribal_contracts.documentation.plan import WorkUnit as WorkUnit
    from tribal_contracts.documentation.progress import DatabaseManifest as DatabaseManifest
    from tribal_contracts.documentation.progress import DocumentationManifest as DocumentationManifest
    from tribal_contracts.documentation.progress import DocumenterProgress as DocumenterProgress
    from tribal_contracts.documentation.progress import DocumenterStats as DocumenterStats
    from tribal_contracts.documentation.progress import IndexableFile as IndexableFile
    from tribal_contracts.documentation.progress import WorkUnitManifest as WorkUnitManifest
    from tribal_contracts.documentation.progress import WorkUnitProgress as WorkUnitProgress
    from tribal_contracts.documentation.prose import CatalogNames as CatalogNames
    from tribal_contracts.documentation.prose import DroppedSentence as DroppedSentence
    from tribal_contracts.documentation.prose import KeptProse as KeptProse
    from tribal_contracts.documentation.prose import KeptSlice as KeptSlice
    from tribal_contracts.documentation.runs import FinishCheckpoint as FinishCheckpoint
    from tribal_contracts.documentation.runs import HandedBack as HandedBack
    from tribal_contracts.documentation.runs import OutlineUnit as OutlineUnit
    from tribal_contracts.documentation.runs import RunOutline as RunOutline
    from tribal_contracts.documentation.runs import TableResult as TableResult
    from tribal_contracts.documentation.runs import UnitResult as UnitResult
    from tribal_contracts.documentation.runs import WrittenFile as WrittenFile
    from tribal_contracts.documentation.tasks import CloseTask as CloseTask
    from tribal_contracts.documentation.tasks import ComposedRun as ComposedRun
    from tribal_contracts.documentation.tasks import ComposeTask as ComposeTask
    from tribal_contracts.documentation.tasks import DatabasePointer as DatabasePointer
    from tribal_contracts.documentation.tasks import DocumentTask as DocumentTask
    from tribal_contracts.documentation.tasks import FailedTask as FailedTask
    from tribal_contracts.documentation.tasks import FinishTask as FinishTask
    from tribal_contracts.documentation.tasks import OpenedRun as OpenedRun
    from tribal_contracts.documentation.tasks import OpenTask as OpenTask
    from tribal_contracts.documentation.tasks import ReadResult as ReadResult
    from tribal_contracts.documentation.tasks import ReadTask as ReadTask
    from tribal_contracts.documentation.tasks import RunRequest as RunRequest
    from tribal_contracts.documentation.tasks import UnitCounts as UnitCounts
    from tribal_contracts.documentation.tasks import UnitFailure as UnitFailure
    from tribal_contracts.documentation.tasks import UnitItem as UnitItem
    from tribal_contracts.documentation.tasks import Wave as Wave
    from tribal_contracts.memory.records import MemorySettings as MemorySettings
    from tribal_contracts.project_file import CAPABILITY_SECTIONS as CAPABILITY_SECTIONS
    from tribal_contracts.project_file import AnswerLimits as AnswerLimits
    from tribal_contracts.project_file import ProjectFile as ProjectFile
    from tribal_contracts.retrieval.calls import CallerRecord as CallerRecord
    from tribal_contracts.retrieval.calls import IdentityRecord as IdentityRecord
    from tribal_contracts.retrieval.calls import ToolCall as ToolCall
    from tribal_contracts.retrieval.calls import ToolCallEvent as ToolCallEvent
    from tribal_contracts.retrieval.checking import CheckSqlInput as CheckSqlInput
    from tribal_contracts.retrieval.checking import CheckSqlOutput as CheckSqlOutput
    from tribal_contracts.retrieval.checking import SqlFinding as SqlFinding
    from tribal_contracts.retrieval.context import Cardinality as Cardinality
    from tribal_contracts.retrieval.context import ContextJoin as ContextJoin
    from tribal_contracts.retrieval.context import ContextTable as ContextTable
    from tribal_contracts.retrieval.context import GetQueryContextInput as GetQueryContextInput
    from tribal_contracts.retrieval.context import GetQueryContextOutput as GetQueryContextOutput
    from tribal_contracts.retrieval.indexing import DocType as DocType
    from tribal_contracts.retrieval.indexing import DocumentRecord as DocumentRecord
    from tribal_contracts.retrieval.indexing import IndexerProgress as IndexerProgress
    from tribal_contracts.retrieval.indexing import IndexMetadata as IndexMetadata
    from tribal_contracts.retrieval.indexing import KeyEdge as KeyEdge
    from tribal_contracts.retrieval.indexing import KeyGraph as KeyGraph
    from tribal_contracts.retrieval.lineage import GetLineageInput as GetLineageInput
    from tribal_contracts.retrieval.lineage import GetLineageOutput as GetLineageOutput
    from tribal_contracts.retrieval.lineage import LineageDirection as LineageDirection
    from tribal_contracts.retrieval.lineage import LineageEdge as LineageEdge
    from tribal_contracts.retrieval.lineage import LineageEnd as LineageEnd
    from tribal_contracts.retrieval.lineage import LineageNode as LineageNode
    from tribal_contracts.retrieval.lineage import UnresolvedTable as UnresolvedTable
    from tribal_contracts.retrieval.names import ListNamesInput as ListNamesInput
    from tribal_contracts.retrieval.names import ListNamesOutput as ListNamesOutput
    from tribal_contracts.retrieval.names import NameKind as NameKind
    from tribal_contracts.retrieval.questions import Mention as Mention
    from tribal_contracts.retrieval.questions import QuestionReading as QuestionReading
    from tribal_contracts.retrieval.questions import ReadWord as ReadWord
    from tribal_contracts.retrieval.tools import ColumnDetail as ColumnDetail
    from tribal_contracts.retrieval.tools import ColumnSummary as ColumnSummary
    from tribal_contracts.retrieval.tools import DomainInfo as DomainInfo
    from tribal_contracts.retrieval.tools import DomainTableSummary as DomainTableSummary
    from tribal_contracts.retrieval.tools import ForeignKeyDetail as ForeignKeyDetail
    from tribal_contracts.retrieval.tools import GetDomainOverviewInput as GetDomainOverviewInput
    from tribal_contracts.retrieval.tools import GetDomainOverviewOutput as GetDomainOverviewOutput
    from tribal_contracts.retrieval.tools import GetJoinPathInput as GetJoinPathInput
    from tribal_contracts.retrieval.tools import GetJoinPathOutput as GetJoinPathOutput
    from tribal_contracts.retrieval.tools import GetTableSchemaInput as GetTableSchemaInput
    from tribal_contracts.retrieval.tools import GetTableSchemaOutput as GetTableSchemaOutput
    from tribal_contracts.retrieval.tools import GuidanceItem as GuidanceItem
    from tribal_contracts.retrieval.tools import IndexDetail as IndexDetail
    from tribal_contracts.retrieval.tools import JoinAlternative as JoinAlternative
    from tribal_contracts.retrieval.tools import JoinStep as JoinStep
    from tribal_contracts.retrieval.tools import ListDomainsInput as ListDomainsInput
    from tribal_contracts.retrieval.tools import ListDomainsOutput as ListDomainsOutput
    from tribal_contracts.retrieval.tools import QueryInterpretation as QueryInterpretation
    from tribal_contracts.retrieval.tools import RelatedTable as RelatedTable
    from tribal_contracts.retrieval.tools import SearchTablesInput as SearchTablesInput
    from tribal_contracts.retrieval.tools import SearchTablesOutput as SearchTablesOutput
    from tribal_contracts.retrieval.tools import TableName as TableName
    from tribal_contracts.retrieval.tools import TableSchema as TableSchema
    from tribal_contracts.retrieval.tools import TableSearchResult as TableSearchResult
    from tribal_contracts.retrieval.tools import ToolOutput as ToolOutput
else:
    _NAMES_BY_MODULE = {
        "core.access": "AccessToken AccessTokens ServeSettings",
        "core.camel": "ToolError",
        "core.codes": "ERROR_CODES CodeDefaults agent_error",
        "core.configuration": "ProfileEntry",
        "core.knowledge_settings": "KnowledgeSettings SyncSettings",
        "core.model_tests": "ModelRecord ModelTest ModelTests",
        "core.models": "NANODOLLARS ModelEntry ModelPrice ModelProvider ModelQuote ModelSettings ModelUsage NamedModel "
        "SpendingSettings WrittenTexts sum_texts sum_usage",
        "core.runs": "CatalogCoverage CoverageRecord DomainCoverage LeaseRecord RunRecord SourceRecord",
        "core.sections": "CapabilitySettings IdentitySettings",
        "core.shape": "SCHEMA_VERSION AgentError AgentStatus ClosedContract ContentHash "
        "Contract Count DatabaseType DomainName ErrorSeverity FullyQualifiedTableName "
        "ISOTimestamp RowCount TablePriority UnitInterval Unset",
        "documentation.budget": "BudgetAccount BudgetHolder BudgetRecord BudgetSpend ModelPause",
        "documentation.catalog": "CatalogCheck CatalogColumn CatalogExclusion CatalogForeignKey CatalogIndex "
        "CatalogKey CatalogPolicy CatalogReading CatalogRoutine CatalogSchema CatalogSlice CatalogSnapshot "
        "CatalogStatistics CatalogTable CatalogTrigger CompositeField ExpandedDatabases IncomingKey Index KeyElsewhere "
        "SliceNeighbour TableCopy TableKind TableStatistics",
        "documentation.configuration": "DatabaseEntry DatabaseLimits Glob LintRules Selection",
        "documentation.corrections": "AgreedCorrection Correction ProposedCorrection WrittenCorrection WrittenWords",
        "documentation.definitions": "ChangedTable DefinedMetric DefinedTerm Definition DefinitionProblem Definitions "
        "LocatedMetric LocatedTerm Metric TableState Term UnusableFile VerifiedQuery",
        "documentation.documents": "Annotations Description DescriptionSource DocumentedCheck DocumentedColumn "
        "DocumentedForeignKey DocumentedIndex DocumentedKey DocumentedRelation DomainAnnotation "
        "DomainDocument DomainLink DomainTable Evidence EvidenceKind OverviewDocument "
        "OverviewDomain PartitionStrategy Relationship RelationshipsDocument TableAnnotation TableDocument "
        "ValuesFrom",
        "documentation.keys": "ColumnComparison DocumentedInferredKey InferredKey InferredKeys KeyEvidence "
        "KeyEvidenceKind KeyIdentifies",
        "documentation.lineage": "DatabaseLineage LineageVia MeaningSource ReadColumn ReadLabel ValueMeaning ViewReads",
        "documentation.plan": "Complexity DatabaseAnalysis DocumentationPlan DomainMove Minutes PlanSummary TableSpec "
        "WorkUnit",
        "documentation.progress": "DatabaseManifest DocumentationManifest DocumenterProgress DocumenterStats "
        "IndexableFile WorkUnitManifest WorkUnitProgress",
        "documentation.prose": "CatalogNames DroppedSentence KeptProse KeptSlice",
        "documentation.runs": "FinishCheckpoint HandedBack OutlineUnit RunOutline TableResult UnitResult WrittenFile",
        "documentation.tasks": "CloseTask ComposedRun ComposeTask DatabasePointer DocumentTask "
        "FailedTask FinishTask OpenedRun OpenTask ReadResult ReadTask RunRequest UnitCounts "
        "UnitFailure UnitItem Wave",
        "memory.records": "MemorySettings",
        "project_file": "CAPABILITY_SECTIONS AnswerLimits ProjectFile",
        "retrieval.calls": "CallerRecord IdentityRecord ToolCall ToolCallEvent",
        "retrieval.context": "Cardinality ContextJoin ContextTable GetQueryContextInput GetQueryContextOutput",
        "retrieval.checking": "CheckSqlInput CheckSqlOutput SqlFinding",
        "retrieval.indexing": "DocType DocumentRecord IndexerProgress IndexMetadata KeyEdge KeyGraph",
        "retrieval.lineage": "GetLineageInput GetLineageOutput LineageDirection LineageEdge LineageEnd LineageNode "
        "UnresolvedTable",
        "retrieval.names": "ListNamesInput ListNamesOutput NameKind",
        "retrieval.questions": "Mention QuestionReading ReadWord",
        "retrieval.tools": "ColumnDetail ColumnSummary DomainInfo DomainTableSummary ForeignKeyDetail "
        "GetDomainOverviewInput GetDomainOverviewOutput GetJoinPathInput GetJoinPathOutput "
        "GetTableSchemaInput GetTableSchemaOutput GuidanceItem IndexDetail JoinAlternative "
        "JoinStep ListDomainsInput ListDomainsOutput QueryInterpretation RelatedTable "
        "SearchTablesInput SearchTablesOutput TableName TableSchema TableSearchResult ToolOutput",
    }
    _MODULES = {name: module for module, names in _NAMES_BY_MODULE.items() for name in names.split()}

    def __getattr__(name):
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
        globals()[name] = value
        return value
