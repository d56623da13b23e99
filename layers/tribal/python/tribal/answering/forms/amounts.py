"""The form about figures and lists: the verified query, or tables, conditions, date and grouping with a draft."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from tribal.answering.explained import UNIT_WORDS, has_unit, is_described, is_number, units_asked
from tribal.answering.focus import Focus, is_own_key
from tribal.answering.forms.common import lack_statement, lacking_codes, named_table, not_said, unknown
from tribal.answering.forms.drafts import ColumnOf, Condition, Draft
from tribal.answering.forms.filled import Filled, Lack, Library
from tribal.answering.forms.pairs import alternative, step_statement, unclear_key
from tribal.answering.forms.query_parts import (
    asked_conditions,
    asked_counted,
    asked_dates,
    asked_groups,
    asked_measures,
    head_of,
    shown_columns,
)
from tribal.answering.forms.states import alike, states_asked, unclear, unclear_states
from tribal.answering.matches import ColumnMatch
from tribal.answering.statements import (
    Statement,
    about_column,
    about_table,
    column_name,
    definitions,
    short_column_name,
    short_name,
)
from tribal.naming import STOP_WORDS, index_terms, stem
from tribal.questions.ordinary import is_ordinary
from tribal.questions.periods import grouped_unit, period_of
from tribal.questions.words import QuestionWord, is_participle, question_words
from tribal.rendering.markdown import one_line
from tribal.rendering.words import listing
from tribal_contracts import TableDocument

_OTHERS = frozenset(("another", "other", "someone", "anyone"))
_SURE = 0.8
"""The confidence from which a key that no one declared is used in a draft. By judgement."""
_MOST_SAID, _MOST_LEFT = 6, 4
_LEAST = re.compile(
    r"\b(?:least|fewest|lowest|smallest|shortest|cheapest|youngest|earliest|slowest|bottom)\b", re.IGNORECASE
)
_SUPERLATIVE = re.compile(r"\b(?:top|most|best|least|fewest|\w{3,}est)\b", re.IGNORECASE)
_RANKED = re.compile(r"\b(?:top|most|highest|best|largest|biggest)\b", re.IGNORECASE)


def amount(focus: Focus, library: Library) -> Filled:
    """Say how a figure is computed, or a list made."""
    defined = focus.context.defined
    query = next((each for each in defined.queries if each.status != "broken"), None)
    said = [each for each in definitions(focus) if each.kind != "query" or query]
    if query is not None:
        tables = [name for name in query.tables if name in focus.matches] or list(focus.main)
        return Filled(said, tables, sql=query.sql, words=frozenset(word.text for word in focus.asked))
    base, function, measure = asked_counted(focus)
    if base is None:
        return unknown(focus)
    lacks: list[Lack] = []
    groups, shown, unit = asked_groups(focus, base), [], grouped_unit(focus.question)
    conditions = list(asked_conditions(focus, base, measure, groups))
    whole = named_table(focus, focus.slots.of("group"))
    own = whole is not None and whole.table.name == base.name
    period = period_of(focus.question)
    # "By phone last month": the period is no part of the group.
    named_so = [each.text for each in focus.slots.words.get("group", ()) if not (period and each.about_time)]
    words = frozenset(named_so) - _placed_by(conditions, focus) - STOP_WORDS - _OTHERS
    if not groups and not unit and words and not own and not (measure is None and focus.slots.of("measure")):
        named = listing([f"“{one_line(each)}”" for each in sorted(words)])
        lacks.append(Lack(base.name, "missing_information", f"nothing says what {named} is here"))
    if not function:
        shown, groups = [*shown_columns(base), *groups], []
    candidates = asked_dates(focus, base) if period or unit else []
    date = candidates[0] if len(candidates) == 1 else None
    if (period or unit) and date is None:
        lacks.append(_which_date(base, candidates))
    order = None
    if not function and _SUPERLATIVE.search(focus.question):
        order = next((each for each in asked_measures(focus) if each.table.name == base.name), None)
        if order is None:
            lacks.append(Lack(base.name, "missing_information", "nothing says by which column to rank"))
    if function and function != "COUNT" and measure is None:
        head = head_of(focus.question)
        what = f"“{one_line(head[0])}”" if head else "this amount"
        text = f"nothing says which column of {short_name(base.name)} holds {what}"
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
        is_ranked=bool(groups and (_RANKED.search(focus.question) or focus.slots.of("measure"))),
        order=ColumnOf(order.table, order.column) if order else None,
        ascending=_LEAST.search(focus.question) is not None,
    )
    return _filled(draft, said, candidates, lacks, focus, library)


def _placed_by(conditions: Sequence[Condition], focus: Focus) -> frozenset[str]:
    """The words of a question that are values of conditions."""
    values = [term for each in conditions if each.value for term in index_terms(each.value)]
    return frozenset(word.text for word in focus.asked if word.within(values) == 1.0)


def _filled(
    draft: Draft,
    defined: Sequence[Statement],
    dates: Sequence[ColumnOf],
    lacks: list[Lack],
    focus: Focus,
    library: Library,
) -> Filled:
    needed = list(dict.fromkeys((*draft.tables, *(each.table.name for each in dates))))
    joined = library.join(needed, focus.question) if len(needed) > 1 else None
    words = focus.lacking(needed)
    if _is_about_nothing(words, focus):
        return unknown(focus)
    unplaced = _unplaced(draft, focus) - frozenset(words)
    # What names a joined table is about what the join does, not about rows of the first one.
    others = (focus.matches[name].named for name in focus.main if name not in needed)
    besides = frozenset(word for named in others for word in named) if joined else frozenset[str]()
    near = _near(unplaced - besides, needed, focus)
    if joined is not None and not joined.path_found:
        names = listing(list(map(short_name, needed)))
        lacks.append(Lack(needed[0], "missing_information", f"no key joins {names}", blocks=True))
    lacks += _unsaid(draft, near, (unplaced - besides, words), focus)
    steps = (joined.path or []) if joined else []
    if joined is not None and (text := unclear_key(joined)):
        lacks.append(Lack(steps[0].from_table, "ambiguity", text))
    sql = None
    if not lacks and not words and not unplaced and all((each.confidence or 1.0) >= _SURE for each in steps):
        sql = draft.sql(joined)
        if sql is None:
            text = f"a join repeats the rows of {short_name(draft.base.name)}: sum them first"
            lacks.append(Lack(needed[0], "ambiguity", text))
        elif not library.fits(sql, draft.base.database):
            sql = None
    columns = dict.fromkeys(
        [*_columns(draft, dates)[:_MOST_SAID], *(ColumnOf(each.table, each.column) for each in near)]
    )
    said = [*defined, *([about_table(draft.base)] if is_described(draft.base) else [])]
    said += [about_column(each.table, each.column) for each in columns]
    said += [*map(step_statement, steps), *(alternative(joined) if joined else ())]
    if any(each.blocks for each in lacks):
        nearest = dict.fromkeys(said or [about_table(draft.base)])
        return not_said(Filled(list(nearest), needed, lacks))
    said += [lack_statement(each, draft.base) for each in lacks]
    return Filled(list(dict.fromkeys(said)), needed, lacks, sql=sql)


def _columns(draft: Draft, dates: Sequence[ColumnOf]) -> list[ColumnOf]:
    """The columns of a draft, or those that it may use, in the order of a query's parts."""
    first = [each for each in (draft.measure, draft.order) if each is not None]
    dated = [draft.date] if draft.date is not None else list(dates)
    return [*first, *(each.of for each in draft.conditions), *dated, *draft.groups]


def _near(words: frozenset[str], tables: Sequence[str], focus: Focus) -> list[ColumnMatch]:
    """The columns of some tables that have words which no part of a draft covers."""
    found = [each for each in focus.best_columns(words, tables=tables) if words and not is_own_key(each)]
    return [each for each in found if each.about - each.table_words][:_MOST_LEFT]


def _unsaid(
    draft: Draft, near: Sequence[ColumnMatch], words: tuple[frozenset[str], Sequence[str]], focus: Focus
) -> Iterator[Lack]:
    """What is not said of the rows and figures that a question asks for.

    Args:
        draft: the parts that are known.
        near: columns that have words which no part covers.
        words: those that no part covers, and those that nothing explains.
        focus: what the question is about.
    """
    unplaced, lacking = words
    for literal in focus.literals:
        if not _is_placed(literal, draft, focus):
            yield Lack(draft.base.name, "missing_information", f"nothing says which column holds “{literal}”")
    for each in near:
        if each.is_named:
            yield from lacking_codes(each.table, each.column, each.column)
    yield from _without_unit([each for each in (draft.measure, draft.order, *near) if each], focus)
    yield from alike(draft.base, states_asked(focus.question))
    yield from unclear_states(draft.base, draft.conditions, focus)
    explained = frozenset(word for each in near for word in each.about) - focus.denied
    if left := {*lacking, *unplaced} - explained:
        yield unclear(sorted(left), draft.base)


def _without_unit(columns: Iterable[ColumnOf | ColumnMatch], focus: Focus) -> Iterator[Lack]:
    """Say of numbers that nothing says in which unit they are, if a question wants or compares them in one."""
    asked = units_asked(focus.question)
    for each in columns if asked else ():
        if is_number(each.column) and not has_unit(each.column):
            name = short_column_name(each.table, each.column)
            text = f"nothing says whether {name} is in “{asked[0]}”"
            yield Lack(column_name(each.table, each.column), "missing_information", text)


def _unplaced(draft: Draft, focus: Focus) -> frozenset[str]:
    """The words of a question that the tables have, and that no part of a draft covers: a condition is missing."""
    used = [
        draft.measure,
        draft.order,
        draft.date,
        *draft.groups,
        *draft.shown,
        *(each.of for each in draft.conditions),
    ]
    placed = set(focus.slots.of("group")) | {*head_of(focus.question), *focus.slots.of("measure")}
    for name in draft.tables:
        placed |= focus.matches[name].named.keys() if name in focus.matches else set()
    for each in used:
        if each is not None and each.table.name in focus.matches:
            found = next((one for one in focus.matches[each.table.name].columns if one.column == each.column), None)
            placed |= found.about if found else set()
    literals = {word.text for each in focus.literals for word in question_words(each)}
    functions = {word.text for word in question_words(focus.question) if word.about_quantity or word.about_time}
    ordinary = {word.text for word in focus.asked if is_ordinary(word.text) or word.text in UNIT_WORDS}
    asked = {word.text for word in focus.asked} - (ordinary | focus.verbs) | states_asked(focus.question)
    asked |= {word.text for word in focus.asked if word.text in focus.denied}
    return frozenset(asked - placed - literals - functions)


def _is_about_nothing(words: Sequence[str], focus: Focus) -> bool:
    """Whether what is asked for is among the words that nothing explains."""
    head = head_of(focus.question)
    if head and set(head) <= set(words):
        return True
    return focus.is_mostly(word for word in words if not is_participle(word))


def _is_placed(literal: str, draft: Draft, focus: Focus) -> bool:
    """Whether a literal of a question is a condition, names something, or is part of the time."""
    words: Sequence[QuestionWord] = question_words(literal)
    named = {word for name in draft.tables for word in focus.matches[name].places} if draft.tables else set()
    known = {stem(value.casefold()) for each in draft.conditions if each.value for value in each.value.split()}
    return all(
        word.about_time or word.about_quantity or word.text in named or word.stem in known or is_ordinary(word.text)
        for word in words
    )


def _which_date(base: TableDocument, found: Sequence[ColumnOf]) -> Lack:
    if not found:
        return Lack(base.name, "missing_information", f"there is no date in {short_name(base.name)}", blocks=True)
    names = listing([short_column_name(each.table, each.column) for each in found], last="or")
    return Lack(found[0].table.name, "ambiguity", f"nothing says whether {names} is the date that counts")
