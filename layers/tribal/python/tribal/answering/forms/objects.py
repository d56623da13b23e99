"""Forms about one thing: which values and columns it has, and where it is kept."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from tribal.answering.explained import family_of
from tribal.answering.focus import Focus, is_date, is_own_key
from tribal.answering.forms.common import (
    about_whole_table,
    base_column,
    lack_statement,
    lacking_codes,
    named_table,
    not_said,
    taken_from,
    unknown,
)
from tribal.answering.forms.filled import Filled, Lack, Library
from tribal.answering.matches import ColumnMatch, TableMatch
from tribal.answering.statements import (
    Statement,
    about_column,
    column_name,
    of_table,
    short_column_name,
    short_name,
)
from tribal.naming import stem
from tribal.rendering.words import number
from tribal_contracts import DocumentedColumn, TableDocument

_MOST_PLACES = 3
_CLOSE = 0.92
"""The share of the best one's rank from which another place is named too. By judgement."""
_OF_KIND = 0.5
"""The share of the best column's score from which one of the kind that is asked for is meant. By judgement."""
_KINDS_ASKED: Mapping[str, Callable[[DocumentedColumn], bool]] = {
    "who": lambda column: column.is_foreign_key or column.name.casefold().endswith("by"),
    "when": is_date,
}
_WITH_VALUES = 0.55
"""The share of the best column's score from which one that lists values is meant. By judgement."""


def values(focus: Focus, library: Library) -> Filled:
    """List the values of a column, what they mean, and whether there can be others."""
    matches = [each for each in focus.best_columns(focus.slots.of("target")) if not is_own_key(each)]
    if not matches:
        return unknown(focus)
    listed = [each for each in matches if each.column.allowed_values and each.score >= _WITH_VALUES * matches[0].score]
    match = listed[0] if listed else matches[0]
    table, column = match.table, match.column
    told = base_column(table, column, library)
    if told and not column.allowed_values and told[1].allowed_values:
        table, column = told
    if not column.allowed_values and family_of(column) != "boolean":
        text = f"nothing lists the values of {short_column_name(table, column)}"
        lack = Lack(column_name(table, column), "missing_information", text)
        return not_said(Filled([about_column(table, column)], [table.name], [lack]))
    said = [about_column(table, column, every_value=True)]
    lacks = list(lacking_codes(table, column, column))
    said += [lack_statement(each, table) for each in lacks]
    alike = (each for each in listed[1:] if each.table.view_definition is None)
    same = [each for each in alike if each.column.allowed_values == column.allowed_values]
    said += _same_values(same[:_MOST_PLACES])
    return Filled(said, [table.name], lacks)


def _same_values(others: Sequence[ColumnMatch]) -> Iterator[Statement]:
    for each in others:
        name = short_column_name(each.table, each.column)
        yield of_table(each.table, column_name(each.table, each.column), f"{name} has the same values.")


def where(focus: Focus, library: Library) -> Filled:
    """Say which column or table holds something, and a close second."""
    matches = focus.best_columns(word.text for word in focus.asked)
    table = named_table(focus, frozenset())
    if table is not None and all(word.text in table.named for word in focus.asked):
        return about_whole_table(table.table)
    reference = matches[0] if matches else None
    parent = _referred(reference, focus) if reference else None
    if parent is not None and all(word.text in parent.named for word in focus.asked):
        return about_whole_table(parent.table)
    matches = [each for each in matches if not is_own_key(each) and not _referred(each, focus)]
    if not matches:
        return unknown(focus)
    first = _of_kind_asked(matches, focus.question)
    said = [*_described(first, library)]
    tables = [first.table.name]
    for other in (each for each in matches if each is not first):
        if len(tables) < _MOST_PLACES and _is_close(other, first) and other.table.name not in tables:
            said += _described(other, library)
            tables.append(other.table.name)
    return Filled(said, tables)


def _of_kind_asked(matches: Sequence[ColumnMatch], question: str) -> ColumnMatch:
    """The first column; for "who" and "when" the first that refers to someone, or is a date, if it is near."""
    asked = next(
        (fits for word, fits in _KINDS_ASKED.items() if re.search(rf"\b{word}\b", question, re.IGNORECASE)), None
    )
    near = (each for each in matches if each.score >= _OF_KIND * matches[0].score)
    return next((each for each in near if asked and asked(each.column)), matches[0])


def _referred(match: ColumnMatch, focus: Focus) -> TableMatch | None:
    """The table that a key is only named after."""
    if not match.column.is_foreign_key:
        return None
    key = next((each for each in match.table.foreign_keys if match.column.name in each.columns), None)
    parent = focus.matches.get(key.references_table) if key else None
    if match.table_words - match.about:
        # "The language of a film" is the key that a film has.
        return None
    return parent if parent and parent.is_whole and match.about <= parent.named.keys() else None


def _is_close(other: ColumnMatch, first: ColumnMatch) -> bool:
    named = not first.table_words or bool(other.table_words)
    return named and other.score >= _CLOSE * first.score and other.about >= first.about


def _described(match: ColumnMatch, library: Library) -> Iterator[Statement]:
    yield about_column(match.table, match.column)
    yield from taken_from(base_column(match.table, match.column, library))


_TYPES: tuple[tuple[re.Pattern[str], str, str], ...] = (
    (re.compile(r"\b(?:dates?|times?|timestamps?)\b", re.IGNORECASE), "date", "dates or times"),
    (re.compile(r"\b(?:numbers?|numeric|amounts?)\b", re.IGNORECASE), "number", "numbers"),
    (re.compile(r"\b(?:texts?|strings?)\b", re.IGNORECASE), "text", "texts"),
    (re.compile(r"\b(?:booleans?|flags?)\b", re.IGNORECASE), "boolean", "flags"),
    (re.compile(r"\b(?:optional|nullable|empty|null)\b", re.IGNORECASE), "nullable", "optional"),
    (re.compile(r"\b(?:mandatory|required|not null)\b", re.IGNORECASE), "required", "mandatory"),
    (re.compile(r"\b(?:sensitive|personal|private)\b", re.IGNORECASE), "sensitive", "possibly personal"),
    (re.compile(r"\b(?:unique|keys?)\b", re.IGNORECASE), "key", "keys"),
)


def columns(focus: Focus, library: Library) -> Filled:
    """List the columns of a table, one statement each; those of a kind if the question names one."""
    del library
    match = named_table(focus, frozenset()) or next((focus.matches[name] for name in focus.main), None)
    if match is None:
        return unknown(focus)
    table = match.table
    kinds = ((kind, name) for pattern, kind, name in _TYPES if _asks_kind(pattern, focus, match))
    asked, called = next(kinds, ("", ""))
    chosen = [each for each in table.columns if not asked or _is_of_kind(each, asked, table)]
    name, every = short_name(table.name), number(len(table.columns), "column")
    if asked:
        text = f"{len(chosen) or 'None'} of the {every} of {name} {'is' if len(chosen) == 1 else 'are'} {called}."
    else:
        text = f"{name} has {every}."
    head = of_table(table, table.name, text)
    return Filled([head, *(about_column(table, each) for each in chosen)], [table.name])


def _asks_kind(pattern: re.Pattern[str], focus: Focus, match: TableMatch) -> bool:
    found = pattern.search(focus.question)
    return found is not None and stem(found[0].lower()) not in {stem(word) for word in match.named}


def _is_of_kind(column: DocumentedColumn, kind: str, table: TableDocument) -> bool:
    if kind == "date":
        return is_date(column)
    if kind == "nullable":
        return column.nullable
    if kind == "required":
        return not column.nullable
    if kind == "sensitive":
        return bool(column.sensitive or column.marked)
    if kind == "key":
        unique = (key.columns for key in (table.primary_key, *table.unique_keys) if key)
        return column.is_foreign_key or any(column.name in names for names in unique)
    return family_of(column) == kind
