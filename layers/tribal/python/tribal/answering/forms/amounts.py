"""The form about figures and lists: the verified query, or tables, conditions, date and grouping with a draft."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tribal.answering.explained import MEASURED_WORDS, code_columns, codes_without_meaning, family_of, numeric, words_of
from tribal.answering.focus import DATE_FAMILIES, Focus, dates_of, is_own_key
from tribal.answering.forms.drafts import ColumnOf, Condition, Draft
from tribal.answering.forms.filled import Filled, Lack, Library
from tribal.answering.forms.objects import named_table, not_said, unknown
from tribal.answering.forms.pairs import alternative, step_statement
from tribal.answering.matches import ColumnMatch, denied_base
from tribal.answering.statements import (
    Statement,
    about_column,
    about_table,
    column_name,
    definitions,
    of_table,
    short_column_name,
    short_name,
)
from tribal.naming import index_terms, split_identifier, stem
from tribal.questions.ordinary import is_ordinary
from tribal.questions.periods import grouped_unit, period_of
from tribal.questions.words import QuestionWord, counted_word, question_words
from tribal.rendering.markdown import one_line
from tribal.rendering.words import listing
from tribal_contracts import DocumentedColumn, TableDocument

_LIST = re.compile(r"^(?:list|show|which|who|give|find|get|return|display)\b", re.IGNORECASE)
_LEAST = re.compile(
    r"\b(?:least|fewest|lowest|smallest|shortest|cheapest|youngest|earliest|slowest|bottom)\b", re.IGNORECASE
)
_SUPERLATIVE = re.compile(r"\b(?:top|most|best|least|fewest|\w{3,}est)\b", re.IGNORECASE)
_COUNTS = re.compile(r"\b(?:how many|number of|count(?: of)?|how often)\b", re.IGNORECASE)
_FUNCTIONS = (
    ("AVG", re.compile(r"\b(?:average|mean|avg)\b", re.IGNORECASE)),
    ("MAX", re.compile(r"\b(?:maximum|highest|largest|biggest|longest|latest|max)\b", re.IGNORECASE)),
    ("MIN", re.compile(r"\b(?:minimum|lowest|smallest|shortest|earliest|min)\b", re.IGNORECASE)),
    ("SUM", re.compile(r"\b(?:how much|total|sum|revenue|turnover|overall)\b", re.IGNORECASE)),
)
_RANKED = re.compile(r"\b(?:top|most|highest|best|largest|biggest)\b", re.IGNORECASE)
_MONEY = frozenset("amount price cost revenue total fee salary sum value paid cents net gross".split())
_AUDIT = frozenset("created updated modified deleted inserted changed loaded synced imported".split())
_STATES = frozenset("status state stage phase stat".split())
_MADE = frozenset("created inserted added".split())
_RELATED = frozenset("last next due valid expires expiry expected".split())
"""Words of dates that are about something later than the row itself."""
_NAMES = frozenset("name title descr description label subject username".split())
_MOST_SHOWN = 3
_MOST_DATES = 3
_MOST_HOPS = 4
_MOST_SAID, _MOST_LEFT = 6, 4


@dataclass(slots=True)
class _Parts:
    """The parts of a query, as far as they are known."""

    base: TableDocument
    function: str
    measure: ColumnMatch | None = None
    date: ColumnOf | None = None
    lacks: Sequence[Lack] = ()


def amount(focus: Focus, library: Library) -> Filled:
    """Say how a figure is computed, or a list made."""
    defined = focus.context.defined
    current = next((each for each in defined.queries if each.status == "current"), None)
    said = [each for each in definitions(focus) if each.kind != "query" or current]
    if current is not None:
        tables = [name for name in current.tables if name in focus.matches] or list(focus.main)
        return Filled(said, tables, sql=current.sql, words=frozenset(word.text for word in focus.asked))
    base, function, measure = _base(focus)
    if base is None:
        return unknown(focus)
    lacks: list[Lack] = []
    conditions = list(_conditions(focus, base, measure))
    groups, shown, unit = _groups(focus, base), [], grouped_unit(focus.question)
    if not function:
        shown = _shown(base, focus)
    period = period_of(focus.question)
    candidates = _dates(focus, base) if period or unit else []
    date = candidates[0] if len(candidates) == 1 else None
    if (period or unit) and date is None:
        lacks.append(_which_date(base, candidates))
    order = None
    if not function and _SUPERLATIVE.search(focus.question):
        order = next((each for each in _measures(focus) if each.table.name == base.name), None)
        if order is None:
            lacks.append(Lack(base.name, "missing_information", "nothing says by which column to rank"))
    if function and function != "COUNT" and measure is None:
        text = f"nothing says which column of {short_name(base.name)} holds this amount"
        lacks.append(Lack(base.name, "missing_information", text, blocks=True))
    draft = Draft(
        base,
        function,
        ColumnOf(measure.table, measure.column) if measure else None,
        conditions,
        date,
        period,
        unit,
        groups,
        shown,
        is_ranked=bool(groups and _RANKED.search(focus.question)),
        order=ColumnOf(order.table, order.column) if order else None,
        ascending=_LEAST.search(focus.question) is not None,
    )
    return _filled(draft, said, candidates, lacks, focus, library)


def _filled(
    draft: Draft,
    defined: Sequence[Statement],
    dates: Sequence[ColumnOf],
    lacks: list[Lack],
    focus: Focus,
    library: Library,
) -> Filled:
    tables = draft.tables
    needed = list(dict.fromkeys((*tables, *(each.table.name for each in dates))))
    joined = library.join(needed, focus.question) if len(needed) > 1 else None
    if joined is not None and not joined.path_found:
        names = listing(list(map(short_name, needed)))
        lacks.append(Lack(tables[0], "missing_information", f"no key joins {names}", blocks=True))
    literals = [each for each in focus.literals if not _is_placed(each, draft, focus)]
    lacks += [Lack(tables[0], "missing_information", f"nothing says which column holds “{each}”") for each in literals]
    words = focus.lacking(needed)
    said = [*defined, *([about_table(draft.base)] if _is_told(draft.base) else [])]
    if draft.measure is not None:
        said.append(about_column(draft.measure.table, draft.measure.column))
    used = [*([draft.order] if draft.order else []), *(each.of for each in draft.conditions)]
    used += [*([draft.date] if draft.date else dates), *draft.groups]
    said += [about_column(each.table, each.column) for each in used[:_MOST_SAID]]
    unplaced = _unplaced(draft, focus) - frozenset(words)
    if unplaced:
        near = [each for each in focus.best_columns(unplaced, tables=needed) if not is_own_key(each)]
        near = [each for each in near if each.about - focus.matches[each.table.name].named.keys()]
        said += [about_column(each.table, each.column) for each in near[:_MOST_LEFT]]
    if unclear := sorted({*unplaced, *words}):
        lacks.append(_unclear(unclear, draft.base))
    said += [step_statement(step) for step in (joined.path or () if joined else ())]
    said += alternative(joined) if joined else ()
    if _is_about_nothing(words, focus):
        return unknown(focus)
    sql = None
    if not lacks and not words and not unplaced:
        sql = draft.sql(joined)
        if sql is not None and not library.fits(sql, draft.base.database):
            sql = None
    if any(each.blocks for each in lacks):
        nearest = said or [about_table(draft.base)]
        return not_said(Filled(list(dict.fromkeys(nearest)), needed, lacks, is_answered=False))
    said += [_lacking(each, draft.base) for each in lacks]
    return Filled(list(dict.fromkeys(said)), needed, lacks, sql=sql)


def _is_told(table: TableDocument) -> bool:
    return bool(table.description.text) and table.description.source != "derived"


def _unclear(words: Sequence[str], base: TableDocument) -> Lack:
    """Say that nothing tells which rows words mean: by the column that holds its state, if there is one."""
    named = listing([f"“{one_line(each)}”" for each in words])
    states = [each for each in code_columns(base.columns) if not each.is_foreign_key]
    states.sort(key=lambda each: (not words_of(each.name) & _STATES, not codes_without_meaning(each)))
    if not states:
        return Lack(base.name, "missing_information", f"nothing says which rows of {short_name(base.name)} are {named}")
    column = states[0]
    values = (
        f" ({listing([one_line(each) for each in column.allowed_values], last='or')})" if column.allowed_values else ""
    )
    text = f"nothing says which {short_column_name(base, column)}{values} is {named}"
    return Lack(column_name(base, column), "missing_information", text)


def _unplaced(draft: Draft, focus: Focus) -> frozenset[str]:
    """The words of a question that the tables have, and that no part of a draft stands for: a condition is missing."""
    used = [
        draft.measure,
        draft.order,
        draft.date,
        *draft.groups,
        *draft.shown,
        *(each.of for each in draft.conditions),
    ]
    placed = set(focus.slots.of("group"))
    for name in draft.tables:
        placed |= focus.matches[name].named.keys() if name in focus.matches else set()
    for each in used:
        if each is not None and each.table.name in focus.matches:
            found = next((one for one in focus.matches[each.table.name].columns if one.column == each.column), None)
            placed |= found.about if found else set()
    literals = {word.text for each in focus.literals for word in question_words(each)}
    functions = {word.text for word in question_words(focus.question) if word.about_quantity or word.about_time}
    ordinary = {word.text for word in focus.asked if is_ordinary(word.text)}
    asked = {word.text for word in focus.asked} - ordinary - focus.verbs | _states_asked(focus.question)
    return frozenset(asked - placed - literals - functions)


_ADJECTIVES = frozenset("late early overdue new old open active inactive current former own foreign external".split())


_IS_IN_STATE = re.compile(
    r"\b(?:is|are|isn't|aren't)(?: (?:not|still|already|yet|currently|now))* (?P<state>\w+ed)\b", re.IGNORECASE
)


def _states_asked(question: str) -> set[str]:
    """The words of a question that choose rows although they are ordinary, or verbs: "late", "closed"."""
    found = {word.text for word in question_words(question) if word.text in _ADJECTIVES}
    return found | {each["state"].lower() for each in _IS_IN_STATE.finditer(question)}


def _lacking(lack: Lack, table: TableDocument) -> Statement:
    return of_table(table, lack.target or table.name, f"{lack.text[0].upper()}{lack.text[1:]}.")


def _is_about_nothing(words: Sequence[str], focus: Focus) -> bool:
    """Whether what is asked for is among the words that nothing explains."""
    head = _head(focus.question)
    if head and set(head) <= set(words):
        return True
    weights = {word.text: word.weight for word in focus.asked}
    return sum(weights[word] for word in words) > 0.5 * sum(weights.values())


_HEAD = re.compile(
    r"\b(?:how (?:many|much)|number of|which|what|list(?: all)?(?: the)?|show(?: me)?(?: all)?(?: the)?)\s+"
    r"(?P<head>[\w-]+(?: [\w-]+)?)",
    re.IGNORECASE,
)


def _head(question: str) -> list[str]:
    """The words right after "how many" or "which"; of two, only those that are no ordinary words."""
    found = _HEAD.search(question)
    words = question_words(found["head"]) if found else []
    counted = counted_word(question)
    telling = [word.text for word in words if word.text == counted or not is_ordinary(word.text)]
    return telling[:1]


def _base(focus: Focus) -> tuple[TableDocument | None, str, ColumnMatch | None]:
    """The table whose rows count, what is computed, and the column that is computed on."""
    question = focus.question
    function = "COUNT" if _COUNTS.search(question) else ""
    if not function:
        function = next((name for name, pattern in _FUNCTIONS if pattern.search(question)), "")
    if function in ("MAX", "MIN") and _LIST.search(question):
        function = ""
    if function not in ("", "COUNT"):
        measure = next(iter(_measures(focus)), None)
        if measure is not None:
            return measure.table, function, measure
    head = frozenset(_head(question))
    whole = named_table(focus, head) if head else None
    if whole is None and head:
        inside = [each for each in focus.matches.values() if head <= each.named.keys()]
        whole = max(inside, key=lambda each: (each.share, each.table.name in focus.main), default=None)
    group = focus.slots.of("group")
    counted = [each for name, each in focus.main.items() if not group or focus.matches[name].named.keys() - group]
    first = next(iter([*counted, *focus.main.values()]), None)
    base = whole.table if whole is not None and _is_near(whole.table, focus) else first
    return base, function, None


def _is_near(table: TableDocument, focus: Focus) -> bool:
    return table.name in focus.main or table.name in focus.joined or table.copy_of is None


def _measures(focus: Focus) -> list[ColumnMatch]:
    """The number columns that may hold the amount, the most likely first: those that are named, then money."""
    group = focus.slots.of("group")
    numbers = [
        each
        for each in focus.best_columns(tables=focus.main)
        if each.column in numeric([each.column]) and not is_own_key(each) and each.about - group
    ]
    named = [each for each in numbers if each.is_named and each.about - focus.matches[each.table.name].named.keys()]
    measured = [each for each in named if words_of(each.column.name) & (MEASURED_WORDS | _MONEY)]
    money = [
        ColumnMatch(match.table, column, {}, (), is_named=False, share=0.0, is_whole=False, score=0.0)
        for match in (focus.matches[name] for name in focus.main)
        for column in numeric(match.table.columns)
        if words_of(column.name) & _MONEY and match.named.keys() - group
    ]
    money.sort(key=lambda each: not words_of(each.column.name) & {"amount", "total", "price"})
    return [*measured, *money, *named, *numbers]


def _conditions(focus: Focus, base: TableDocument, measure: ColumnMatch | None) -> Iterator[Condition]:
    """The conditions of a question: values, flags, and dates that say what has happened."""
    negated = {each.word for each in (focus.context.question.words if focus.context.question else ()) if each.negated}
    taken: set[str] = set(focus.slots.of("group"))
    first = {base.name, *([measure.table.name] if measure else [])}
    matches = focus.best_columns(tables=focus.main)
    matches.sort(key=lambda each: each.table.name not in first)
    exact = {word for each in matches for word in _happened(each)} if period_of(focus.question) else set()
    for each in (one for one in matches if one.values):
        words = frozenset(word.text for word in focus.asked if word.within(_value_terms(each)) >= 0.8)
        if (
            words
            and not words & taken
            and not words & exact
            and not words <= focus.matches[each.table.name].named.keys()
        ):
            taken |= words
            denied = bool(words & negated) != any(map(denied_base, words))
            yield from (Condition(ColumnOf(each.table, each.column), value, denied) for value in each.values[:1])
    for each in matches:
        telling = each.about - taken - focus.matches[each.table.name].named.keys()
        if not each.is_named or not telling or (measure and each.column == measure.column):
            continue
        family = family_of(each.column)
        happened = family in DATE_FAMILIES and any(word.endswith("ed") for word in telling)
        happened = happened and not period_of(focus.question)
        missing = bool(telling & negated) and telling <= negated
        is_set = family == "boolean" or (each.column.nullable and (happened or missing))
        if is_set and each.share >= 0.5:
            taken |= telling
            denied = bool(telling & negated) != any(map(denied_base, telling))
            yield Condition(ColumnOf(each.table, each.column), denied=denied)


def _happened(match: ColumnMatch) -> frozenset[str]:
    """The words that are in the name of a date just as they are asked, such as "opened"."""
    tokens = frozenset(split_identifier(match.column.name))
    return match.about & tokens if family_of(match.column) in DATE_FAMILIES else frozenset()


def _value_terms(match: ColumnMatch) -> frozenset[str]:
    meanings = match.column.value_meanings or {}
    texts = [text for value in match.values for text in (value, meanings[value].text if value in meanings else "")]
    return frozenset(term for text in texts for term in index_terms(text)) if texts else frozenset()


def _is_placed(literal: str, draft: Draft, focus: Focus) -> bool:
    """Whether a literal of a question is a condition, names something, or is part of the time."""
    words: Sequence[QuestionWord] = question_words(literal)
    named = {word for name in draft.tables for word in focus.matches[name].places} if draft.tables else set()
    known = {stem(value.casefold()) for each in draft.conditions if each.value for value in each.value.split()}
    return all(
        word.about_time or word.about_quantity or word.text in named or word.stem in known or is_ordinary(word.text)
        for word in words
    )


def _groups(focus: Focus, base: TableDocument) -> list[ColumnOf]:
    """The columns by which a question groups: a column of the table that is counted, else a key and a name."""
    words = frozenset(word.text for word in focus.asked if word.text in focus.slots.of("group"))
    if not words:
        return []
    own = [
        each
        for each in focus.best_columns(words, tables=[base.name] if base.name in focus.matches else [])
        if words <= each.about | focus.matches[base.name].named.keys() and each.about & words
    ]
    if own and not own[0].column.is_foreign_key:
        return [ColumnOf(base, own[0].column)]
    table = named_table(focus, words)
    if table is not None and table.table.name != base.name:
        return _shown(table.table, focus)[:2]
    if own:
        return [ColumnOf(base, own[0].column)]
    columns = [each for each in focus.best_columns(words) if each.about & words]
    return [ColumnOf(columns[0].table, columns[0].column)] if columns else []


def _shown(table: TableDocument, focus: Focus) -> list[ColumnOf]:
    """The columns of a list: the key, a name, and those that the question names."""
    del focus
    keys = table.primary_key.columns if table.primary_key else []
    named = [
        each for each in table.columns if split_identifier(each.name)[-1:] and split_identifier(each.name)[-1] in _NAMES
    ]
    columns: list[DocumentedColumn] = [each for each in table.columns if each.name in keys] + named
    return [ColumnOf(table, each) for each in list({each.name: each for each in columns}.values())[:_MOST_SHOWN]]


def _dates(focus: Focus, base: TableDocument) -> list[ColumnOf]:
    """The dates that may be meant: those that the question or a metric names, else those that are no audit columns."""
    tables = [base, *focus.main.values()]
    metrics = {each.time_column for each in focus.context.defined.metrics}
    named = [
        ColumnOf(each.table, each.column)
        for each in focus.best_columns(
            tables=dict.fromkeys(table.name for table in tables if table.name in focus.matches)
        )
        if each.column in dates_of(each.table) and _is_meant(each, focus)
    ]
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
    return bool(match.about - focus.matches[match.table.name].named.keys())


def _which_date(base: TableDocument, found: Sequence[ColumnOf]) -> Lack:
    if not found:
        return Lack(base.name, "missing_information", f"there is no date in {short_name(base.name)}", blocks=True)
    names = listing([short_column_name(each.table, each.column) for each in found], last="or")
    return Lack(found[0].table.name, "ambiguity", f"nothing says whether {names} is the date that counts")
