"""Shortens answers without pages to the size limit."""

from __future__ import annotations

from tribal.capabilities.retrieval.answers.paging import Page, Place, fill_page
from tribal.capabilities.retrieval.toolbox import Toolbox
from tribal_contracts import Contract, GetJoinPathOutput, SearchTablesOutput, TableSearchResult

_INTERPRETATION = "query_interpretation"
_ALTERNATIVES = "alternatives"


def fit_search(answer: SearchTablesOutput, toolbox: Toolbox) -> SearchTablesOutput:
    """Keep as many results as fit, best first.

    Raises:
        AnswerTooLong: when the first result alone exceeds the limit.
    """

    def shown(page: Page[TableSearchResult]) -> SearchTablesOutput:
        found: dict[str, object] = {
            "tables": list(page.items),
            "returned": len(page.items),
            "truncated": answer.total_matches > len(page.items),
        }
        if _INTERPRETATION not in page.extras:
            found[_INTERPRETATION] = None
        return answer.model_copy(update=found)

    around = "the answer without its results"
    extras = _present(answer, _INTERPRETATION)
    return fill_page(Place(len(answer.tables)), answer.tables, shown, toolbox, around=around, extras=extras)


def fit_join(answer: GetJoinPathOutput, toolbox: Toolbox) -> GetJoinPathOutput:
    """Leave out the alternatives if they do not fit.

    Raises:
        AnswerTooLong: when path and SQL alone exceed the limit.
    """

    def shown(page: Page[Contract]) -> GetJoinPathOutput:
        left_out = [name for name in extras if name not in page.extras]
        return answer.model_copy(update=dict.fromkeys(left_out))

    extras = _present(answer, _ALTERNATIVES)
    nothing: list[Contract] = []
    around = f"the path from {answer.source} to {answer.target}"
    return fill_page(Place(0), nothing, shown, toolbox, around=around, extras=extras)


def _present(answer: Contract, name: str) -> tuple[str, ...]:
    return (name,) if getattr(answer, name, None) else ()
