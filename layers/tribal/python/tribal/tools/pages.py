"""All pages of an answer as one, for people: agents turn the pages themselves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tribal.ports.tool import ToolSpec
from tribal.tools.call import with_tokens_used
from tribal.tools.registry import REGISTRY, Registry
from tribal_contracts import Contract


def whole_answer(
    spec: ToolSpec, first: Contract, page_at: Callable[[str], Contract], tools: Registry = REGISTRY
) -> Contract:
    """An answer with the items of all pages from its own on; if one of them fails, that failure.

    Args:
        spec: the tool, whose `paged` says which lists go on.
        first: its answer.
        page_at: asks the same with a cursor.
        tools: where the tool is listed.
    """
    answer: Any = first
    cursor = getattr(first, "next_cursor", None)
    while spec.paged and cursor is not None:
        page: Any = page_at(cursor)
        if tools.group_of(spec.name).error_of(page) is not None:
            failure: Contract = page
            return failure
        for path in spec.paged:
            answer = _continued(answer, page, path)
        cursor = page.next_cursor
        counts = {"returned": answer.returned + page.returned, "truncated": page.truncated, "next_cursor": cursor}
        answer = answer.model_copy(update=counts)
    return answer if answer is first else with_tokens_used(answer)


def _continued(answer: Any, page: Any, path: str) -> Any:
    """The answer with a list of the page, at a dotted path of fields, behind its own."""
    name, _, below = path.partition(".")
    own, following = getattr(answer, name), getattr(page, name)
    if own is None:
        return answer
    longer = _continued(own, following, below) if below else [*own, *following]
    return answer.model_copy(update={name: longer})
