"""Tool `search_tables`: finds tables for a question, in an answer of limited size."""

from __future__ import annotations

from tribal.capabilities.retrieval.paging import fit_search
from tribal.capabilities.retrieval.searching.reading import read_question
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
    found = search(request, open_index(toolbox), toolbox)
    reading = read_question(request.query, found.documents, found.candidates, found.domains, found.documented).reading
    interpretation = found.answer.query_interpretation
    assert interpretation is not None, "search says how it understood the question"
    understood = interpretation.model_copy(update={"reading": reading})
    answer = found.answer.model_copy(update={"query_interpretation": understood})
    return answer if "limit" in request.model_fields_set else fit_search(answer, toolbox)
