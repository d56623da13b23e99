"""Tool `get_query_context`: the tables, joins and rules that SQL for a question needs, in one text of bounded size."""

from __future__ import annotations

from tribal.capabilities.retrieval.context.context_items import (
    definition_items,
    guidance_items,
    head,
    missing_words,
    query_items,
    table_items,
    view_items,
)
from tribal.capabilities.retrieval.context.gathering import gather
from tribal.capabilities.retrieval.context.joins_between import are_in, fan_out_items, join_items
from tribal.capabilities.retrieval.context.packing import Section, pack
from tribal.capabilities.retrieval.toolbox import Toolbox, open_index
from tribal_contracts import ContextTable, GetQueryContextInput, GetQueryContextOutput

_TABLES_SHARE, _JOINS_SHARE, _OTHERS_SHARE = 0.65, 0.2, 0.2
"""What a section may use before the others had their part. By judgement."""


def get_query_context(request: GetQueryContextInput, toolbox: Toolbox) -> GetQueryContextOutput:
    """Put together what SQL for a question, or over some tables, needs.

    Raises:
        ToolInputInvalid: when there is neither a question nor a table, or a limit is out of range.
        TableNotFound: when a table has no such name, or more than one has.
        DatabaseNotFound, DomainNotFound: when a filter names something that is not documented.
        IndexNotReady: when there is no finished index.

    Source: docs/contracts.md, Query context.
    """
    context = gather(request, open_index(toolbox), toolbox)
    documents, joins = context.documents, context.joins
    sections = [
        Section("", [*head(documents)], 1.0, always=True),
        Section("Tables", [*table_items(documents, context.terms)], _TABLES_SHARE, "sql"),
        Section("Joins", [*join_items(joins), *fan_out_items(joins)], _JOINS_SHARE, "sql"),
        Section("Views with SQL to reuse", [*view_items(context.views)], _OTHERS_SHARE, "sql"),
        Section("Verified queries", [*query_items(context.defined.queries)], _OTHERS_SHARE, "sql"),
        Section("Metrics and terms", [*definition_items(context.defined)], _OTHERS_SHARE),
        Section("Decided and remembered", [*guidance_items(context.guidance)], _OTHERS_SHARE),
        Section("", [*missing_words(context.missing)], 1.0, always=True),
    ]
    packed = pack(sections, request.max_tokens)
    shown = [name for name in documents if name in packed.shown]
    return GetQueryContextOutput(
        success=True,
        tokens_used=0,
        text=packed.text,
        tables=[ContextTable(table=name, reason=context.reasons[name]) for name in shown],
        joins=[join for join in joins if are_in(shown, join)],
        missing=list(context.missing),
        omitted=list(packed.omitted),
        warnings=list(context.warnings) or None,
        truncated=True if packed.omitted else None,
    )
