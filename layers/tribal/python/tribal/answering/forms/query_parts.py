"""Reads the parts of a query from a question: what is counted, on what conditions, by what date and groups."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from tribal.answering.explained import MEASURED_WORDS, MONEY_WORDS, family_of, is_number, numeric, words_of
from tribal.answering.focus import DATE_FAMILIES, Focus, dates_of, is_date, is_own_key
from tribal.answering.forms.common import named_table
from tribal.answering.forms.drafts import ColumnOf, Condition
from tribal.answering.matches import LABEL_WORDS, SYNONYM, ColumnMatch, denied_base, states_said, value_terms
from tribal.naming import split_identifier
from tribal.questions.ordinary import is_ordinary
from tribal.questions.periods import period_of
from tribal.questions.words import counted_word, is_participle, question_words
from tribal_contracts import DocumentedColumn, TableDocument

_LIST = re.compile(r"^(?:list|show|which|who|give|find|get|return|display)\b", re.IGNORECASE)
_COUNTS = re.compile(r"\b(?:how many|number of|count(?: of)?|how often)\b", re.IGNORECASE)
_FUNCTIONS = (
    ("AVG", re.compile(r"\b(?:average|mean|avg)\b", re.IGNORECASE)),
    ("MAX", re.compile(r"\b(?:maximum|highest|largest|biggest|longest|latest|max)\b", re.IGNORECASE)),
    ("MIN", re.compile(r"\b(?:minimum|lowest|smallest|shortest|earliest|min)\b", re.IGNORECASE)),
    ("SUM", re.compile(r"\b(?:how much|total|sum|revenue|turnover|overall)\b", re.IGNORECASE)),
)
_QUANTITY = frozenset("quantity qty".split())
_AUDIT = frozenset("created updated modified deleted inserted changed loaded synced imported".split())
_MADE = frozenset("created inserted added".split())
_RELATED = frozenset("last next due valid expires expiry expected".split())
"""Words of dates that are about something later than the row itself."""
_NAMES = frozenset("name title descr description label subject username".split())
_MOST_SHOWN = 3
_MOST_DATES = 3
_MOST_HOPS = 4
_HEAD = re.compile(
    r"\b(?:how (?:many|much)|number of|which|what|list(?: all)?(?: the)?|show(?: me)?(?: all)?(?: the)?)\s+"
    r"(?P<head>[\w-]+(?: [\w-]+)?)",
    re.IGNORECASE,
)


def head_of(question: str) -> list[str]:
    """The words right after "how many" or "which"; of two, only those that are no ordinary words."""
    found = _HEAD.search(question)
    words = question_words(found["head"]) if found else []
    counted = counted_word(question)
    return [word.text for word in words if word.text == counted or not is_ordinary(word.text)][:1]


def asked_counted(focus: Focus) -> tuple[TableDocument | None, str, ColumnMatch | None]:
    """The table whose rows count, what is computed, and the column that is computed on."""
    question, ranked = focus.question, focus.slots.of("measure")
    if ranked:
        return _ranked(ranked, focus)
    function = "COUNT" if _COUNTS.search(question) else ""
    if not function:
        function = next((name for name, pattern in _FUNCTIONS if pattern.search(question)), "")
    if function in ("MAX", "MIN") and _LIST.search(question):
        function = ""
    if function not in ("", "COUNT"):
        measure = next((each for each in asked_measures(focus) if _is_of(each, head_of(question), focus)), None)
        if measure is not None:
            return measure.table, function, measure
    counted_column = _counted_column(focus) if function == "COUNT" else None
    if counted_column is not None:
        return counted_column.table, "SUM", counted_column
    head = _named_head(focus) or frozenset(head_of(question))
    whole = named_table(focus, head) if head else None
    if whole is None and head:
        plainly = [
            (each, {word for word, sure in each.named.items() if sure > SYNONYM}) for each in focus.matches.values()
        ]
        inside = [each for each, words in plainly if head <= words]
        whole = max(inside, key=lambda each: (each.share, each.table.name in focus.main), default=None)
    group = focus.slots.of("group")
    counted = [each for name, each in focus.main.items() if not group or focus.matches[name].named.keys() - group]
    first = next(iter([*counted, *focus.main.values()]), None)
    base = whole.table if whole is not None and _is_near(whole.table, focus) else first
    return base, function, None


def _ranked(words: frozenset[str], focus: Focus) -> tuple[TableDocument | None, str, ColumnMatch | None]:
    """What the groups of a "top ten" are ranked by: how many rows of a table, or the sum of a column."""
    whole = named_table(focus, words)
    numbers = [
        each
        for each in asked_measures(focus)
        if (words & each.about and each.is_named) or (words & each.table_words and _is_money(each))
    ]
    group = named_table(focus, focus.slots.of("group"))
    if numbers and group and numbers[0].table.name == group.table.name:
        return group.table, "", None
    if numbers and not (whole and words <= whole.named.keys()):
        return numbers[0].table, "SUM", numbers[0]
    return (whole.table, "COUNT", None) if whole else (next(iter(focus.main.values()), None), "COUNT", None)


def _is_money(match: ColumnMatch) -> bool:
    return bool(words_of(match.column.name) & (MONEY_WORDS | _QUANTITY))


def _counted_column(focus: Focus) -> ColumnMatch | None:
    """The number column that a question counts by name, such as the days of "how many days of vacation"."""
    word = counted_word(focus.question)
    for each in focus.best_columns([word], tables=focus.main):
        is_label = split_identifier(each.column.name)[-1] in LABEL_WORDS
        if each.about >= {word} and each.is_whole and is_number(each.column) and not is_label:
            return None if word in each.table_words else each
    return None


def _named_head(focus: Focus) -> frozenset[str]:
    """The first of the words after "how many" or "which" that names a table, though it is ordinary."""
    found = _HEAD.search(focus.question)
    for word in question_words(found["head"]) if found else []:
        if not is_participle(word.text) and any(
            each.is_whole and word.text in each.named for each in focus.matches.values()
        ):
            return frozenset([word.text])
    return frozenset()


def _is_of(measure: ColumnMatch, head: Sequence[str], focus: Focus) -> bool:
    """Whether a column is of what a question asks "how much" of, by itself or by its table."""
    return set(head) <= measure.about | focus.matches[measure.table.name].places.keys()


def asked_measures(focus: Focus) -> list[ColumnMatch]:
    """The number columns that may hold the amount, the most likely first: those that are named, then money."""
    group, head = focus.slots.of("group"), frozenset(head_of(focus.question))
    tables = [*focus.main, *(name for name, each in focus.matches.items() if head and head <= each.named.keys())]
    near = [name for name in focus.matches if any(focus.way(first, name) for first in list(focus.main)[:1])]
    numbers = [
        each
        for each in focus.best_columns(tables=dict.fromkeys((*tables, *near)))
        if is_number(each.column) and not is_own_key(each) and each.about - group
    ]
    named = [each for each in numbers if each.is_named and each.about - each.table_words]
    measured = [each for each in named if words_of(each.column.name) & (MEASURED_WORDS | MONEY_WORDS)]
    money = [
        ColumnMatch(
            match.table, column, {}, (), False, 0.0, is_whole=False, score=0.0, table_words=frozenset(match.named)
        )
        for match in (focus.matches[name] for name in dict.fromkeys(tables))
        for column in numeric(match.table.columns)
        if words_of(column.name) & (MONEY_WORDS | _QUANTITY) and match.named.keys() - group
    ]
    money.sort(key=lambda each: not words_of(each.column.name) & {"amount", "total", "price", "quantity"})
    found = [*measured, *money, *named, *numbers]
    # The salary of a position is no average salary by position.
    return sorted(found, key=lambda each: (not each.table_words - group, bool(each.table_words & group)))


def asked_conditions(
    focus: Focus, base: TableDocument, measure: ColumnMatch | None, groups: Sequence[ColumnOf]
) -> Iterator[Condition]:
    """Find the conditions of a question: values, flags, and dates that say what has happened.

    Args:
        focus: what the question is about.
        base: the table whose rows count.
        measure: the column that is computed on.
        groups: the columns by which it groups, whose words are no conditions.
    """
    negated = focus.denied
    taken: set[str] = set(focus.slots.of("group") if groups else ()) | focus.slots.of("measure")
    taken |= {word.text for word in question_words(focus.question) if word.about_quantity and word.text.isalpha()}
    first = {base.name, *([measure.table.name] if measure else [])}
    literals = frozenset(word.text for each in focus.literals for word in question_words(each))
    joined = [name for name in focus.matches if name in focus.main or focus.way(base.name, name)]
    # Only what is written as a value is looked for in tables that the question does not name.
    matches = [
        each for each in focus.best_columns(tables=joined) if each.table.name in focus.main or each.about & literals
    ]
    matches.sort(key=lambda each: (each.table.name not in first, each.table.name not in focus.main))
    exact = {word for each in matches for word in _happened(each)} if period_of(focus.question) else set()
    for each in _with_values(matches, focus):
        terms = value_terms(each.column, each.values)
        words = frozenset(word.text for word in focus.asked if word.within(terms) >= 0.8)
        if words and not words & (taken | exact) and not words <= each.table_words:
            taken |= words
            denied = bool(words & negated) != any(map(denied_base, words))
            yield from (Condition(ColumnOf(each.table, each.column), value, denied) for value in each.values[:1])
    near = [
        each for each in matches if each.table.name in first or (each.table.name in focus.main and each.table_words)
    ]
    head = frozenset(head_of(focus.question)) | _named_head(focus)
    for each in near:
        telling = each.about - taken - each.table_words
        if not each.is_named or not telling or (measure and each.column == measure.column):
            continue
        family = family_of(each.column)
        happened = family in DATE_FAMILIES and any(word.endswith("ed") for word in telling)
        happened = happened and not period_of(focus.question)
        missing = bool(telling & negated) and telling <= negated
        had = each.column.is_foreign_key and each.table.name in first and not telling & head
        is_set = family == "boolean" or (each.column.nullable and (happened or missing or had))
        if is_set and each.share >= 0.5:
            taken |= telling
            denied = bool(telling & negated) != any(map(denied_base, telling))
            yield Condition(ColumnOf(each.table, each.column), denied=denied)


def _with_values(matches: Sequence[ColumnMatch], focus: Focus) -> Iterator[ColumnMatch]:
    """The columns of which the question has a value, by itself, by its meaning, or by the state that it means."""
    for each in matches:
        values = each.values or states_said(each.column, focus.asked)
        if values:
            yield replace(each, values=values)


def _happened(match: ColumnMatch) -> frozenset[str]:
    """The words that are in the name of a date just as they are asked, such as "opened"."""
    tokens = frozenset(split_identifier(match.column.name))
    return match.about & tokens if family_of(match.column) in DATE_FAMILIES else frozenset()


def asked_groups(focus: Focus, base: TableDocument) -> list[ColumnOf]:
    """The columns by which a question groups: a column of the table that is counted, else a key and a name."""
    words = frozenset(word.text for word in focus.asked if word.text in focus.slots.of("group"))
    if not words:
        return []
    table = named_table(focus, words)
    if table is not None and table.table.name == base.name:
        return []
    fitting = [
        each
        for each in focus.best_columns(words, tables=[base.name] if base.name in focus.matches else [])
        if words <= each.about | each.table_words and each.about & words
    ]
    own = [each for each in fitting if each.share or not each.values]
    if own and not own[0].column.is_foreign_key:
        return [ColumnOf(base, own[0].column)]
    if table is not None:
        return shown_columns(table.table)[:2]
    if own:
        return [ColumnOf(base, own[0].column)]
    if fitting:
        # "By phone" names a value: it is a condition.
        return []
    joined = [name for name in focus.matches if focus.way(base.name, name)]
    columns = [each for each in focus.best_columns(words, tables=joined) if each.about >= words and not each.values]
    return [ColumnOf(columns[0].table, columns[0].column)] if columns else []


def shown_columns(table: TableDocument) -> list[ColumnOf]:
    """Return the columns of a list: the key, and names."""
    keys = table.primary_key.columns if table.primary_key else []
    named = [each for each in table.columns if not _NAMES.isdisjoint(split_identifier(each.name)[-1:])]
    columns: list[DocumentedColumn] = [each for each in table.columns if each.name in keys] + named
    return [ColumnOf(table, each) for each in list({each.name: each for each in columns}.values())[:_MOST_SHOWN]]


def asked_dates(focus: Focus, base: TableDocument) -> list[ColumnOf]:
    """The dates that may be meant: those that the question or a metric names, else those that are no audit columns."""
    tables = [base, *focus.main.values()]
    metrics = {each.time_column for each in focus.context.defined.metrics}
    named = [
        ColumnOf(each.table, each.column)
        for each in focus.best_columns(
            tables=dict.fromkeys(table.name for table in tables if table.name in focus.matches)
        )
        if is_date(each.column) and _is_meant(each, focus)
    ]
    named.sort(key=lambda each: each.table.name != base.name)
    by_metric = [ColumnOf(table, each) for table in tables for each in dates_of(table) if each.name in metrics]
    if by_metric or named:
        return (by_metric or named)[:1]
    ways = {name: focus.way(base.name, name) for name in focus.matches}
    near = sorted((name for name, way in ways.items() if 0 < len(way) <= _MOST_HOPS), key=lambda name: len(ways[name]))
    for table in dict.fromkeys([*(table.name for table in tables), *near]):
        document = focus.context.documents.get(table)
        found = dates_of(document) if document else []
        said = document.description.text if document else ""
        telling = [each for each in found if re.search(rf"\b{re.escape(each.name)}\b", said)]
        telling = telling or _of_the_row(found)
        if document is not None and telling:
            return [ColumnOf(document, each) for each in telling[:_MOST_DATES]]
    return []


def _of_the_row(dates: Sequence[DocumentedColumn]) -> list[DocumentedColumn]:
    """The dates that every row has, other than audit columns; else when the row was made; else any."""
    own = [each for each in dates if not words_of(each.name) & (_AUDIT | _RELATED)]
    always = [each for each in own if not each.nullable]
    made = [each for each in dates if words_of(each.name) & _MADE]
    return always or made[:1] or own or list(dates[:1])


def _is_meant(match: ColumnMatch, focus: Focus) -> bool:
    """Whether a question names a date by more than the table's own name."""
    return bool(match.about - match.table_words - frozenset(head_of(focus.question)))


def _is_near(table: TableDocument, focus: Focus) -> bool:
    return table.name in focus.joined or table.copy_of is None
