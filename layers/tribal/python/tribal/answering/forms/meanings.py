"""The form about what something means: a definition, a value, a column or a table."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from tribal.answering.explained import (
    MEASURED_WORDS,
    MONEY_WORDS,
    UNIT_WORDS,
    family_of,
    has_unit,
    is_code,
    numeric,
    says_what_it_holds,
    unit_of,
    words_of,
)
from tribal.answering.focus import Focus, is_own_key
from tribal.answering.forms.common import (
    NOT_DOCUMENTED,
    about_whole_table,
    base_column,
    lack_statement,
    lacking_codes,
    lacking_meaning,
    named_table,
    not_said,
    taken_from,
    unknown,
)
from tribal.answering.forms.filled import Filled, Lack, Library
from tribal.answering.matches import ColumnMatch, TableMatch, match_column
from tribal.answering.statements import (
    Statement,
    about_column,
    about_value,
    column_name,
    definitions,
    of_table,
    short_column_name,
)
from tribal.naming import split_identifier, stem
from tribal.rendering.markdown import one_line
from tribal.rendering.words import informative_text, listing, shorten
from tribal_contracts import DefinedMetric, DefinedTerm, DocumentedColumn, TableDocument

_MOST_PLACES = 3
_ASKS_UNIT = re.compile(
    r"\bunits?\b|\b(?:which|what|the) currency\b|\bin (?P<one>\w+) or (?:in )?(?P<other>\w+)\b", re.IGNORECASE
)
_YEAR = re.compile(r"(?:19|20)\d\d")
_MONEY = frozenset(map(stem, "currency euro euros dollar dollars eur usd gbp chf cent cents pound pounds".split()))


def meaning(focus: Focus, library: Library) -> Filled:
    """Say what something means: a definition, a value, a column or a table."""
    target = focus.slots.of("target")
    matches = focus.best_columns(target)
    defined = [each for each in definitions(focus) if each.kind in ("term", "metric")]
    if defined and not (matches and focus.is_written(matches[0].column.name)):
        return Filled(defined, _tables_of(focus, defined))
    table = named_table(focus, target)
    best = next((each for each in matches if not is_own_key(each)), None)
    is_target = best is not None and (not target or not focus.asked or best.about & target or best.values)
    if best is not None and is_target and not best.values and target and (value := _other_value(best, focus)):
        return _not_a_value(best, value)
    if asks_unit(focus.question):
        return _unit(_measured(matches, focus), focus, library)
    if table is not None and (best is None or not _is_beyond(best, table)):
        return about_whole_table(table.table)
    if best is None or not is_target:
        return unknown(focus)
    others = [
        each for each in matches if each.table == best.table and each is not best and focus.is_written(each.column.name)
    ]
    others = [each for each in others if each.about & target]
    if others and focus.is_written(best.column.name):
        return _several([best, *others], focus, library)
    return _value(best) if best.values and not _is_called(best, target) else _column(best, focus, library)


def _several(matches: Sequence[ColumnMatch], focus: Focus, library: Library) -> Filled:
    """What several columns of a table hold."""
    each = [_column(match, focus, library) for match in matches[:_MOST_PLACES]]
    lacks = [lack for one in each for lack in one.lacks]
    said = [one for filled in each for one in filled.statements if not one.text.startswith(NOT_DOCUMENTED)]
    return not_said(Filled(said, [matches[0].table.name], lacks))


def _other_value(match: ColumnMatch, focus: Focus) -> str:
    """A capital letter or a number in a question that is no value of the column that it names; empty without one."""
    column = match.column
    told = informative_text(column.description)
    if column.allowed_values_complete is False or family_of(column) not in ("text", "number", "other"):
        return ""
    codes = re.findall(r"(?<= )(?:[A-Z]{1,3}|\d{1,4})(?=[ ?.,]|$)", focus.question)
    own = frozenset(split_identifier(column.name))
    codes = [each for each in codes if each != "I" and not _YEAR.fullmatch(each)]
    return next((each for each in codes if each.lower() not in own and each not in told), "")


def _not_a_value(match: ColumnMatch, value: str) -> Filled:
    table, column = match.table, match.column
    lack = lacking_meaning(table, column, [value])
    if column.allowed_values:
        lack = replace(lack, text=f"{value} is no value of {short_column_name(table, column)}")
    return not_said(Filled([about_column(table, column)], [table.name], [lack], words=frozenset([value.lower()])))


def _is_called(match: ColumnMatch, target: frozenset[str]) -> bool:
    """Whether the target of a question is the name of a column rather than one of its values."""
    return match.is_whole and bool(target) and target <= match.about


def _is_beyond(match: ColumnMatch, table: TableMatch) -> bool:
    """Whether a column has a word that the name of a table does not have."""
    return not match.about <= table.named.keys() or bool(match.values)


def _column(match: ColumnMatch, focus: Focus, library: Library) -> Filled:
    """What a column holds, and where else its name occurs."""
    table, column = match.table, match.column
    told = base_column(table, column, library)
    tables = [table.name, *([told[0].name] if told else [])]
    said = [about_column(table, column), *taken_from(told), *_computed(table, column)]
    meant = told[1] if told else column
    if says_what_it_holds(meant, table.table) or len(said) > 1:
        lacks = list(lacking_codes(table, column, meant))
        if lacks and meant.allowed_values:
            return not_said(Filled(said, tables, lacks))
        said += [lack_statement(each, table) for each in lacks]
        return Filled([*said, *_other_places(match, focus)], tables, lacks)
    return not_said(Filled(said, tables, [_vague(table, column)]))


def _computed(table: TableDocument, column: DocumentedColumn) -> Iterator[Statement]:
    """The expression by which a view computes a column."""
    is_read = any(each.column == column.name and each.via != "direct" for each in table.lineage or ())
    if not table.view_definition or not is_read or column.description.source != "derived":
        return
    from tribal.answering.forms.view_expressions import expression_of

    expression = expression_of(table.view_definition, column.name, table.database_type)
    if expression:
        name = short_column_name(table, column)
        yield of_table(
            table, column_name(table, column), one_line(f"{name} is computed as {shorten(expression, 300)}.")
        )


def _vague(table: TableDocument, column: DocumentedColumn) -> Lack:
    text = f"only the name of {short_column_name(table, column)} says what it holds"
    return Lack(column_name(table, column), "vagueness", text)


def _value(match: ColumnMatch) -> Filled:
    """What a value of a column means."""
    table, column = match.table, match.column
    meanings = column.value_meanings or {}
    said = [about_value(table, column, value) for value in match.values if value in meanings]
    text = informative_text(column.description)
    # A question that names the column already knows where the value is: without a text, that answers nothing.
    needs_text = match.is_whole and not text
    unexplained = [
        value
        for value in match.values
        if value not in meanings
        and (needs_text or is_code(value))
        and not re.search(rf"(?<!\w){re.escape(value)}(?!\w)", text)
    ]
    lacks = [lacking_meaning(table, column, unexplained)] if unexplained else []
    return not_said(Filled([*said, about_column(table, column)], [table.name], lacks))


def _measured(matches: Sequence[ColumnMatch], focus: Focus) -> ColumnMatch | None:
    """The column whose unit a question asks for: one that it names, else the first of the table that has a unit."""
    target = focus.slots.of("target")
    named = [each for each in matches if family_of(each.column) in ("number", "text")]
    named = [each for each in named if not (each.column.is_primary_key or each.column.is_foreign_key)]
    named = [each for each in named if not target or each.about & target - each.table_words]
    table = named_table(focus, frozenset())
    if named or table is None:
        return next(iter(named), None)
    is_money = "currency" in focus.question.casefold()
    words = MONEY_WORDS if is_money else MEASURED_WORDS
    return next(
        (match_column(table, each) for each in numeric(table.table.columns) if words_of(each.name) & words), None
    )


def _unit(match: ColumnMatch | None, focus: Focus, library: Library) -> Filled:
    """In which unit a column is."""
    if match is None:
        return unknown(focus)
    table, column = match.table, match.column
    told = base_column(table, column, library)
    said = [about_column(table, column), *taken_from(told)]
    tables = [table.name, *([told[0].name] if told else [])]
    words = focus.slots.of("target") or frozenset(word.text for word in focus.asked)
    asked_for = frozenset(map(stem, words)) & frozenset(map(stem, UNIT_WORDS))
    meant = told[1] if told else column
    if has_unit(meant):
        by_name = "" if {*unit_of(meant).split()} <= words_of(meant.description.text) else ", by its name"
        lead = f"{short_column_name(table, column)} is in {unit_of(meant)}{by_name}."
        return Filled([of_table(table, column_name(table, column), lead), *said], tables, words=words)
    wanted = "currency" if asked_for & _MONEY else "unit"
    text = f"no {wanted} is documented for {short_column_name(table, column)}"
    lack = Lack(column_name(table, column), "missing_information", text)
    return not_said(Filled(said, tables, [lack], words=words))


def asks_unit(question: str) -> bool:
    """Whether a question asks in which unit something is."""
    found = _ASKS_UNIT.search(question)
    if found is None:
        return False
    one, other = found["one"], found["other"]
    return one is None or {stem(one.lower()), stem(other.lower())} <= {stem(each) for each in UNIT_WORDS}


def _other_places(match: ColumnMatch, focus: Focus) -> Iterator[Statement]:
    """Where else the name of a column occurs, other than as a key."""
    if match.column.is_foreign_key or match.column.is_primary_key:
        return
    own = match.column.name.casefold()
    others = [
        (each.table, column)
        for each in focus.matches.values()
        if each.table.name != match.table.name
        for column in each.table.columns
        if column.name.casefold() == own
    ]
    if others:
        names = listing([short_column_name(table, column) for table, column in others], limit=_MOST_PLACES)
        first = others[0][0]
        yield of_table(first, column_name(*others[0]), f"The same name is in {names}.")


def _tables_of(focus: Focus, said: Sequence[Statement]) -> list[str]:
    defined = focus.context.defined
    about = {each.about for each in said}
    every: list[DefinedMetric | DefinedTerm] = [*defined.metrics, *defined.terms]
    named = [name for each in every if each.name in about for name in each.tables]
    return [name for name in dict.fromkeys(named) if name in focus.matches] or list(focus.main)
