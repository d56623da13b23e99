"""Tool `search_tables`: finds tables for a question, in an answer of limited size."""

from __future__ import annotations

from tribal.capabilities.retrieval.paging import fit_search
from tribal.capabilities.retrieval.searching.search import search
from tribal.capabilities.retrieval.toolbox import Toolbox, open_index
from tribal_contracts import SearchTablesInput, SearchTablesOutput


def search_tables(request: SearchTablesInput, toolbox: Toolbox) -> SearchTablesOutput:
    """Find tables by their content.

    Raises:
        ToolInputInvalid: when the query is blank or too long, or the limit out of range.
        DatabaseNotFound, DomainNotFound: when a filter names something that is not documented.
        AnswerTooLong: when a single table exceeds the size of an answer without an explicit limit.
        IndexNotReady: when there is no finished index.

    Source: specification section 6.1.
    """
    answer = search(request, open_index(toolbox), toolbox).answer
    return answer if "limit" in request.model_fields_set else fit_search(answer, toolbox)
