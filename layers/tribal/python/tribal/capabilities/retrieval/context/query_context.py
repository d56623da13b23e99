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
from tribal.capabilities.retrieval.context.gathering import GatheredContext, gather
from tribal.capabilities.retrieval.context.joins_between import fan_out_items, join_items, join_name
from tribal.capabilities.retrieval.context.packing import Packed, Section, pack
from tribal.capabilities.retrieval.toolbox import Toolbox, open_index
from tribal.ports.tool import tokens_of
from tribal.rendering.words import listing, shorten
from tribal_contracts import AgentError, ContextTable, GetQueryContextInput, GetQueryContextOutput

_REASON_CHARS = 120
_FEW = 5
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
        Section("Tables", [*table_items(documents, context.terms, context.needed)], _TABLES_SHARE, "sql"),
        Section("Joins", [*join_items(joins, context.needed), *fan_out_items(joins)], _JOINS_SHARE, "sql"),
        Section("Views with SQL to reuse", [*view_items(context.views)], _OTHERS_SHARE, "sql"),
        Section("Verified queries", [*query_items(context.defined.queries)], _OTHERS_SHARE, "sql"),
        Section("Metrics and terms", [*definition_items(context.defined)], _OTHERS_SHARE),
        Section("Decided and remembered", [*guidance_items(context.guidance, context.guiding)], _OTHERS_SHARE),
        Section("", [*missing_words(context.missing)], 1.0, always=True),
    ]
    packed = pack(sections, request.max_tokens)
    shown = [name for name in documents if name in packed.shown]
    answer = GetQueryContextOutput(
        success=True,
        tokens_used=0,
        text=packed.text,
        tables=[ContextTable(table=name, reason=shorten(context.reasons[name], _REASON_CHARS)) for name in shown],
        joins=[join for join in joins if join_name(join) in packed.shown],
        missing=list(context.missing),
        omitted=list(packed.omitted),
        reading=context.reading,
        warnings=[*context.warnings, *_left_out(context, packed, toolbox)] or None,
        truncated=True if packed.omitted else None,
    )
    return _bounded(answer, 2 * request.max_tokens)


def _bounded(answer: GetQueryContextOutput, most: int) -> GetQueryContextOutput:
    """Drop what the answer can do without until it has at most so many tokens."""
    for name, value in (("reading", None), ("omitted", answer.omitted[:_FEW]), ("joins", []), ("omitted", [])):
        if tokens_of(len(answer.to_compact_json())) <= most:
            break
        answer = answer.model_copy(update={name: value})
    return answer


def _left_out(context: GatheredContext, packed: Packed, toolbox: Toolbox) -> list[AgentError]:
    """A warning if something that the SQL needs did not fit."""
    names = [name for name in context.needed if name not in packed.shown]
    if not names:
        return []
    message = f"{listing(names)} did not fit, which the SQL may need; ask with a higher max_tokens"
    return [toolbox.warning("RET_ANSWER_PARTIAL", message)]
