"""Contracts of the index and of the tools that query it."""

from __future__ import annotations

from pydantic import BaseModel

from tribal_contracts.retrieval.checking import CheckSqlInput, CheckSqlOutput
from tribal_contracts.retrieval.indexing import DocumentRecord, IndexerProgress, IndexMetadata, KeyGraph
from tribal_contracts.retrieval.tools import (
    GetDomainOverviewInput,
    GetDomainOverviewOutput,
    GetJoinPathInput,
    GetJoinPathOutput,
    GetTableSchemaInput,
    GetTableSchemaOutput,
    ListDomainsInput,
    ListDomainsOutput,
    SearchTablesInput,
    SearchTablesOutput,
)

EXPORTED: dict[str, type[BaseModel]] = {
    "indexer-progress": IndexerProgress,
    "index-metadata": IndexMetadata,
    "document-record": DocumentRecord,
    "key-graph": KeyGraph,
    "search-tables-input": SearchTablesInput,
    "search-tables-output": SearchTablesOutput,
    "get-table-schema-input": GetTableSchemaInput,
    "get-table-schema-output": GetTableSchemaOutput,
    "get-join-path-input": GetJoinPathInput,
    "get-join-path-output": GetJoinPathOutput,
    "get-domain-overview-input": GetDomainOverviewInput,
    "get-domain-overview-output": GetDomainOverviewOutput,
    "check-sql-input": CheckSqlInput,
    "check-sql-output": CheckSqlOutput,
    "list-domains-input": ListDomainsInput,
    "list-domains-output": ListDomainsOutput,
}
"""The contracts exported as JSON Schema, by file name."""
