"""Rank what to document first, and list the questions that it would answer, within the caller's scope."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from tribal.capabilities.retrieval.bounded_table import bounded_table
from tribal.capabilities.retrieval.names import find_table, name_of
from tribal.capabilities.retrieval.toolbox import Toolbox
from tribal.documenting.todo import (
    Blocked,
    Todo,
    TodoList,
    blocked_by_column,
    blocked_words,
    gaps_by_table,
    missing,
    rank,
)
from tribal.page_data.survey import Survey, documents, with_hidden_texts
from tribal_contracts import TableDocument
from tribal_contracts.answering.open_gaps import OpenGap

TODO_ITEMS = 100
LISTED_QUESTIONS, PAGE_QUESTIONS = 2, 5
"""Questions of one table or column in the list and on the table's page; of the others, only the number is shown."""


def todo_list(found: Survey, toolbox: Toolbox, gaps: Sequence[OpenGap], limit: int) -> TodoList:
    """Rank what to document first; `gaps` are those that the caller may see."""
    by_table = gaps_by_table(gaps)
    entries = [table.entry for table in found.tables if table.name in by_table]
    asked: dict[str, tuple[Todo, ...]] = {}
    for _, document in documents(entries, toolbox):
        # Gaps are compared with the whole document, which may say more than the caller sees.
        blocked = blocked_by_column(document, by_table[document.name])
        seen = with_hidden_texts(bounded_table(document, found.opened.bounds), document)
        asked[document.name] = tuple(missing(seen, blocked))
    items = (item for table in found.tables for item in asked.get(table.name, table.facts.missing))
    return rank(items, limit, blocked_words(gaps))


def todo_part(found: Survey, toolbox: Toolbox, gaps: Sequence[OpenGap]) -> dict[str, Any]:
    """Return the ranked list of what to document; `gaps` are those that the caller may see."""
    listed = todo_list(found, toolbox, gaps, TODO_ITEMS)
    return {
        "total": listed.total,
        "items": [
            [item.table, item.column or 0, item.tables_that_refer, *_blocked(item.blocked)] for item in listed.items
        ],
        "words": [[each.word, *_blocked(each.blocked)] for each in listed.words],
    }


def questions_part(name: str, found: Survey, toolbox: Toolbox, gaps: Sequence[OpenGap]) -> list[list[Any]]:
    """The questions that a table and its columns leave open, as its page shows them.

    Raises:
        TableNotFound: when no table of that name is visible to the caller.
    """
    entry = find_table(name, found.opened.tables)
    of_table = gaps_by_table(gaps).get(name_of(entry), ())
    found_documents = documents([entry], toolbox) if of_table else ()
    return [row for _, document in found_documents for row in open_questions(document, of_table)]


def open_questions(document: TableDocument, gaps: Iterable[OpenGap]) -> list[list[Any]]:
    """Per table, as 0, or column: the number of questions, their texts, and what they found missing."""
    found = sorted(blocked_by_column(document, gaps).items(), key=lambda each: (-each[1].count, each[0] or ""))
    return [[column or 0, *_blocked(blocked, PAGE_QUESTIONS)] for column, blocked in found]


def _blocked(blocked: Blocked, limit: int = LISTED_QUESTIONS) -> list[Any]:
    return [blocked.count, blocked.questions[:limit], blocked.lacks[:limit]]
