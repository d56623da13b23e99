"""Rank what to document first, and list the questions that it would answer, within the caller's scope."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from tribal.capabilities.retrieval.bounded_table import bounded_table
from tribal.capabilities.retrieval.names import find_table, name_of
from tribal.capabilities.retrieval.toolbox import Toolbox
from tribal.documenting.corrections import Subject, written_texts
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
from tribal.errors import ConfigurationError
from tribal.identity.table_names import TableIdentity
from tribal.naming.mentions import OwnNames
from tribal.page_data.survey import Survey, documents, with_hidden_texts
from tribal.ports import ObjectStore
from tribal_contracts import TableDocument
from tribal_contracts.answering.open_gaps import GapQuestion, OpenGap

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


def todo_part(
    found: Survey, toolbox: Toolbox, gaps: Sequence[OpenGap], store: ObjectStore | None = None
) -> dict[str, Any]:
    """Return the ranked list of what to document.

    Args:
        found: what the caller may see.
        toolbox: of the caller.
        gaps: those that the caller may see.
        store: has the texts that wait for the next run; without it, they are left out, as in a site.
    """
    listed = todo_list(found, toolbox, gaps, TODO_ITEMS)
    pending = [] if store is None else [*_pending(listed.items, found, store)]
    return {
        **({"pending": pending} if pending else {}),
        "total": listed.total,
        "items": [
            [item.table, item.column or 0, item.tables_that_refer, *_blocked(item.blocked)] for item in listed.items
        ],
        "words": [[each.word, *_blocked(each.blocked)] for each in listed.words],
    }


def _pending(items: Iterable[Todo], found: Survey, store: ObjectStore) -> Iterator[list[Any]]:
    """Yield the texts that people wrote about listed tables and columns, which the next run takes over.

    A text that mentions something hidden is left out, as it is withheld once it is documented.
    """
    columns = {table.name: table.columns for table in found.tables}
    by_database: dict[str, Callable[[Subject], str | None]] = {}
    for item in items:
        table = TableIdentity.parse(item.table)
        if table.database not in by_database:
            by_database[table.database] = _texts_of(store, table.database)
        text = by_database[table.database](Subject((table.schema, table.table), column=item.column))
        if text is None:
            continue
        own = OwnNames.of([table.database, table.schema, table.table, *(each.name for each in columns[item.table])])
        if not found.opened.bounds.withholds(text, own):
            yield [item.table, item.column or 0, text]


def _texts_of(store: ObjectStore, database: str) -> Callable[[Subject], str | None]:
    try:
        return written_texts(store, database)
    except ConfigurationError:
        # The next run says what is wrong with the file, and so does the editor of a text.
        return lambda _: None


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
    """Per table, as 0, or column: the number of questions, their texts, what they found missing, and wrong answers."""
    found = sorted(blocked_by_column(document, gaps).items(), key=lambda each: (-each[1].count, each[0] or ""))
    return [[column or 0, *_blocked(blocked, PAGE_QUESTIONS)] for column, blocked in found]


def _blocked(blocked: Blocked, limit: int = LISTED_QUESTIONS) -> list[Any]:
    """The number of questions, some of them, what they found missing, and all answers that were marked as wrong."""
    marks = [_mark(each) for each in blocked.marks]
    shown = [blocked.count - len(marks), blocked.questions[:limit], blocked.lacks[:limit]]
    return [*shown, marks] if marks else shown


def _mark(question: GapQuestion) -> list[Any]:
    """The id of a mark, the question, why its answer is wrong, who says so, and on which day."""
    day = (question.marked_at or "")[: len("2026-11-30")]
    return [question.mark, question.text, question.description, question.owner or "", day]
