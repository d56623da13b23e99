"""Joins all pages of an answer for people; agents page themselves."""

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
    """The answer with the items of all following pages, or the failure of a page.

    Args:
        spec: the tool; its `paged` names the lists that continue.
        first: its first answer.
        page_at: repeats the call with a cursor.
        tools: the registry of the tool.
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
    """The answer with the page's list at a dotted path appended to its own."""
    name, _, below = path.partition(".")
    own, following = getattr(answer, name), getattr(page, name)
    if own is None:
        return answer
    longer = _continued(own, following, below) if below else [*own, *following]
    return answer.model_copy(update={name: longer})
