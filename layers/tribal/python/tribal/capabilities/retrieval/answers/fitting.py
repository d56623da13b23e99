"""Fits the answers that have no pages into what an answer may have."""

from __future__ import annotations

from tribal.capabilities.retrieval.answers.paging import Page, Place, filled
from tribal.capabilities.retrieval.toolbox import Toolbox
from tribal_contracts import Contract, GetJoinPathOutput, SearchTablesOutput, TableSearchResult

_INTERPRETATION = "query_interpretation"
_ALTERNATIVES = "alternatives"


def fitted_search(answer: SearchTablesOutput, toolbox: Toolbox) -> SearchTablesOutput:
    """The answer with as many of its results, the best first, as it has room for.

    Raises:
        AnswerTooLong: when the first of them alone exceeds the limit.
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

    around = "what is said beside the results"
    extras = _present(answer, _INTERPRETATION)
    return filled(Place(len(answer.tables)), answer.tables, shown, toolbox, around=around, extras=extras)


def fitted_join(answer: GetJoinPathOutput, toolbox: Toolbox) -> GetJoinPathOutput:
    """The answer, without its alternatives where it has no room for them.

    Raises:
        AnswerTooLong: when path and SQL alone exceed the limit.
    """

    def shown(page: Page[Contract]) -> GetJoinPathOutput:
        left_out = [name for name in extras if name not in page.extras]
        return answer.model_copy(update=dict.fromkeys(left_out))

    extras = _present(answer, _ALTERNATIVES)
    nothing: list[Contract] = []
    around = f"the path from {answer.source} to {answer.target}"
    return filled(Place(0), nothing, shown, toolbox, around=around, extras=extras)


def _present(answer: Contract, name: str) -> tuple[str, ...]:
    return (name,) if getattr(answer, name, None) else ()
