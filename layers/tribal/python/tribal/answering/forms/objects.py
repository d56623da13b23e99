"""Forms about one thing: what it means, which values and columns it has, and where it is kept."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tribal.answering.explained import (
    UNIT_WORDS,
    code_columns,
    codes_without_meaning,
    family_of,
    has_unit,
    is_code,
    is_explained,
    says_what_it_holds,
    unit_of,
)
from tribal.answering.focus import Focus, is_date, is_own_key
from tribal.answering.forms.filled import Filled, Lack, Library
from tribal.answering.matches import SYNONYM, ColumnMatch, TableMatch
from tribal.answering.statements import (
    Statement,
    about_column,
    about_table,
    about_value,
    column_name,
    definitions,
    of_table,
    row_of,
    short_column_name,
    short_name,
)
from tribal.identity import locations
from tribal.identity.table_names import format_name, parse_name
from tribal.naming import split_identifier, stem
from tribal.rendering.markdown import one_line
from tribal.rendering.words import listing, number, shorten
from tribal_contracts import DefinedMetric, DefinedTerm, DocumentedColumn, TableDocument

_CLOSE = 0.92
"""The share of the best one's rank from which another place is named too. By judgement."""
_WITH_VALUES = 0.55
"""The share of the best column's score from which one that lists values is meant. By judgement."""
_MOST_PLACES = 3
_ASKS_UNIT = re.compile(r"\bunits?\b|\bcurrency\b|\bin (?P<one>\w+) or (?P<other>\w+)\b", re.IGNORECASE)


def meaning(focus: Focus, library: Library) -> Filled:
    """Say what something means: a definition, a value, a column or a table."""
    defined = [each for each in definitions(focus) if each.kind in ("term", "metric")]
    if defined:
        return Filled(defined, _tables_of(focus, defined))
    target = focus.slots.of("target")
    matches = focus.best_columns(target)
    table = named_table(focus, target)
    best = next((each for each in matches if not is_own_key(each)), None)
    is_target = best is not None and (not target or not focus.asked or best.about & target or best.values)
    if best is not None and is_target and not best.values and target and (value := _other_value(best, focus)):
        return _not_a_value(best, value)
    if asks_unit(focus.question):
        measured = [each for each in matches if family_of(each.column) in ("number", "text")]
        return _unit(measured[0] if measured else best, focus, library)
    if table is not None and (best is None or not _is_beyond(best, table)):
        return _table(table.table)
    if best is None or not is_target:
        return unknown(focus)
    others = [each for each in matches if each.table == best.table and each is not best and is_written(each, focus)]
    if others and is_written(best, focus):
        return _several([best, *others], focus, library)
    return _value(best) if best.values and not _is_called(best, target) else _column(best, focus, library)


def is_written(match: ColumnMatch, focus: Focus) -> bool:
    """Whether a question has the name of a column just as it is."""
    return re.search(rf"(?<!\w){re.escape(match.column.name)}(?!\w)", focus.question, re.IGNORECASE) is not None


def _several(matches: Sequence[ColumnMatch], focus: Focus, library: Library) -> Filled:
    """What several columns of a table hold."""
    each = [_column(match, focus, library) for match in matches[:_MOST_PLACES]]
    lacks = [lack for one in each for lack in one.lacks]
    said = [one for filled in each for one in filled.statements if not one.text.startswith(_NOT_DOCUMENTED)]
    found = Filled(said, [matches[0].table.name], lacks, is_answered=not lacks)
    return not_said(found) if lacks else found


def _other_value(match: ColumnMatch, focus: Focus) -> str:
    """A capital letter or a number in a question that is no value of the column that it names; empty without one."""
    column = match.column
    told = "" if column.description.source == "derived" else column.description.text
    if column.allowed_values_complete is False or family_of(column) not in ("text", "number", "other"):
        return ""
    codes = re.findall(r"(?<= )(?:[A-Z]{1,3}|\d{1,4})(?=[ ?.,]|$)", focus.question)
    own = frozenset(split_identifier(column.name))
    return next((each for each in codes if each != "I" and each.lower() not in own and each not in told), "")


def _not_a_value(match: ColumnMatch, value: str) -> Filled:
    name = short_column_name(match.table, match.column)
    why = (
        f"{value} is no value of {name}"
        if match.column.allowed_values
        else f"nothing says what {value} means in {name}"
    )
    lack = Lack(column_name(match.table, match.column), "missing_information", why)
    said = [about_column(match.table, match.column)]
    return not_said(Filled(said, [match.table.name], [lack], is_answered=False, words=frozenset([value.lower()])))


def _is_called(match: ColumnMatch, target: frozenset[str]) -> bool:
    """Whether the target of a question is the name of a column rather than one of its values."""
    return match.is_whole and bool(target) and target <= match.about


def _is_beyond(match: ColumnMatch, table: TableMatch) -> bool:
    """Whether a column has a word that the name of a table does not have."""
    return not match.about <= table.named.keys() or bool(match.values)


def named_table(focus: Focus, words: frozenset[str]) -> TableMatch | None:
    """The table whose whole name is among some words, or in the question without any; the longest name first."""
    whole = [each for each in focus.matches.values() if each.is_whole]
    if words:
        # A synonym in the rest of the question is no part of the name.
        whole = [each for each in whole if words >= {word for word, sure in each.named.items() if sure > SYNONYM}]
        whole = [each for each in whole if words & each.named.keys()]
    return max(whole, key=lambda each: (len(each.named), sum(each.named.values())), default=None)


def _table(table: TableDocument) -> Filled:
    said = [about_table(table), *filter(None, [row_of(table)])]
    return Filled(said, [table.name])


def _column(match: ColumnMatch, focus: Focus, library: Library) -> Filled:
    """What a column holds, and where else its name occurs."""
    table, column = match.table, match.column
    told = base_column(table, column, library)
    tables = [table.name, *([told[0].name] if told else [])]
    said = [about_column(table, column), *_taken_from(told), *_computed(table, column)]
    meant = told[1] if told else column
    if says_what_it_holds(meant, table.table) or len(said) > 1:
        lacks = list(_codes(table, column, meant))
        said += [of_table(table, each.target, f"{each.text[0].upper()}{each.text[1:]}.") for each in lacks]
        return Filled([*said, *_other_places(match, focus)], tables, lacks)
    return not_said(Filled(said, tables, [_vague(table, column)], is_answered=False))


def _codes(table: TableDocument, column: DocumentedColumn, meant: DocumentedColumn) -> Iterator[Lack]:
    """What is not said of the codes of a column."""
    if not code_columns([meant]) or is_explained(meant.description, column.name, table.table) or meant.value_meanings:
        return
    name = short_column_name(table, column)
    if not meant.allowed_values:
        text = f"nothing says which values {name} has, and what they mean"
        yield Lack(column_name(table, column), "missing_information", text)
    elif codes := codes_without_meaning(meant):
        named = listing([one_line(each) for each in codes], limit=len(codes))
        text = f"nothing says what {named} {'means' if len(codes) == 1 else 'mean'} in {name}"
        yield Lack(column_name(table, column), "missing_information", text)


def _computed(table: TableDocument, column: DocumentedColumn) -> Iterator[Statement]:
    """The expression by which a view computes a column."""
    is_read = any(each.column == column.name and each.via != "direct" for each in table.lineage or ())
    if not table.view_definition or not is_read or column.description.source != "derived":
        return
    from tribal.sql.view_expressions import expression_of

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
    """What a value of a column stands for."""
    table, column = match.table, match.column
    meanings = column.value_meanings or {}
    said = [about_value(table, column, value) for value in match.values if value in meanings]
    told = "" if column.description.source == "derived" else column.description.text
    unknown_codes = [
        value
        for value in match.values
        if value not in meanings and is_code(value) and not re.search(rf"(?<!\w){re.escape(value)}(?!\w)", told)
    ]
    lacks = []
    if unknown_codes:
        codes = listing([one_line(each) for each in unknown_codes])
        text = f"nothing says what {codes} means in {short_column_name(table, column)}"
        lacks.append(Lack(column_name(table, column), "missing_information", text))
    said.append(about_column(table, column))
    filled = Filled(said, [table.name], lacks, is_answered=not lacks)
    return filled if filled.is_answered else not_said(filled)


def _unit(match: ColumnMatch | None, focus: Focus, library: Library) -> Filled:
    """In which unit a column is."""
    if match is None:
        return unknown(focus)
    table, column = match.table, match.column
    told = base_column(table, column, library)
    said = [about_column(table, column), *_taken_from(told)]
    tables = [table.name, *([told[0].name] if told else [])]
    words = focus.slots.of("target") or frozenset(word.text for word in focus.asked)
    asked_for = frozenset(map(stem, words)) & frozenset(map(stem, UNIT_WORDS))
    meant = told[1] if told else column
    if has_unit(meant):
        lead = f"{short_column_name(table, column)} is in {unit_of(meant)}."
        return Filled([of_table(table, column_name(table, column), lead), *said], tables, words=words)
    text = f"nothing says in which {'currency' if asked_for & _MONEY else 'unit'} {short_column_name(table, column)} is"
    lack = Lack(column_name(table, column), "missing_information", text)
    return not_said(Filled(said, tables, [lack], is_answered=False, words=words))


_MONEY = frozenset(map(stem, "currency euro euros dollar dollars eur usd gbp chf cent cents pound pounds".split()))


def asks_unit(question: str) -> bool:
    """Whether a question asks in which unit something is."""
    found = _ASKS_UNIT.search(question)
    if found is None:
        return False
    one, other = found["one"], found["other"]
    return one is None or {stem(one.lower()), stem(other.lower())} <= {stem(each) for each in UNIT_WORDS}


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
        return not_said(Filled([about_column(table, column)], [table.name], [lack], is_answered=False))
    said = [about_column(table, column, every_value=True)]
    lacks = list(_codes(table, column, column))
    said += [of_table(table, each.target, f"{each.text[0].upper()}{each.text[1:]}.") for each in lacks]
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
    matches = focus.best_columns()
    table = named_table(focus, frozenset())
    if table is not None and all(word.text in table.named for word in focus.asked):
        return _table(table.table)
    reference = matches[0] if matches else None
    if reference is not None and (parent := _referred(reference, focus)):
        return _table(parent.table)
    matches = [each for each in matches if not is_own_key(each) and not _referred(each, focus)]
    if not matches:
        return unknown(focus)
    first = matches[0]
    said = [*_described(first, library)]
    tables = [first.table.name]
    for other in matches[1:]:
        if len(tables) < _MOST_PLACES and _is_close(other, first) and other.table.name not in tables:
            said += _described(other, library)
            tables.append(other.table.name)
    return Filled(said, tables)


def _referred(match: ColumnMatch, focus: Focus) -> TableMatch | None:
    """The table that a key is only named after."""
    if not match.column.is_foreign_key:
        return None
    key = next((each for each in match.table.foreign_keys if match.column.name in each.columns), None)
    parent = focus.matches.get(key.references_table) if key else None
    if focus.matches[match.table.name].named.keys() - match.about:
        # "The language of a film" is the key that a film has.
        return None
    return parent if parent and parent.is_whole and match.about <= parent.named.keys() else None


def _is_close(other: ColumnMatch, first: ColumnMatch) -> bool:
    named = not first.table_words or bool(other.table_words)
    return named and other.score >= _CLOSE * first.score and other.about >= first.about


def _described(match: ColumnMatch, library: Library) -> Iterator[Statement]:
    yield about_column(match.table, match.column)
    yield from _taken_from(base_column(match.table, match.column, library))


_TYPES: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"\b(?:dates?|times?|timestamps?)\b", re.IGNORECASE), "date"),
    (re.compile(r"\b(?:numbers?|numeric|amounts?)\b", re.IGNORECASE), "number"),
    (re.compile(r"\b(?:texts?|strings?)\b", re.IGNORECASE), "text"),
    (re.compile(r"\b(?:booleans?|flags?)\b", re.IGNORECASE), "boolean"),
    (re.compile(r"\b(?:optional|nullable|empty|null)\b", re.IGNORECASE), "nullable"),
    (re.compile(r"\b(?:mandatory|required|not null)\b", re.IGNORECASE), "required"),
    (re.compile(r"\b(?:sensitive|personal|private)\b", re.IGNORECASE), "sensitive"),
    (re.compile(r"\b(?:unique|keys?)\b", re.IGNORECASE), "key"),
)


def columns(focus: Focus, library: Library) -> Filled:
    """List the columns of a table, one statement each; those of a kind if the question names one."""
    del library
    match = named_table(focus, frozenset()) or next((focus.matches[name] for name in focus.main), None)
    if match is None:
        return unknown(focus)
    table = match.table
    asked = next((kind for pattern, kind in _TYPES if _asks_kind(pattern, focus, match)), "")
    chosen = [each for each in table.columns if not asked or _is_of_kind(each, asked, table)]
    if not chosen:
        text = f"None of the {number(len(table.columns), 'column')} of {short_name(table.name)} is like that."
        return Filled([of_table(table, table.name, text)], [table.name])
    kind_of = f" of this kind, of {len(table.columns)}" if asked else ""
    head = of_table(table, table.name, f"{short_name(table.name)} has {number(len(chosen), 'column')}{kind_of}.")
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


def base_column(
    table: TableDocument, column: DocumentedColumn, library: Library
) -> tuple[TableDocument, DocumentedColumn] | None:
    """The column that a view takes unchanged, if the view has no text of its own for it."""
    if column.description.source != "derived":
        return None
    for edge in table.lineage or ():
        if edge.column == column.name and edge.via == "direct" and (base := library.table(edge.from_table)):
            found = next((each for each in base.columns if each.name == edge.from_column), None)
            if found is not None:
                return base_column(base, found, library) or (base, found)
    return None


def _taken_from(told: tuple[TableDocument, DocumentedColumn] | None) -> Iterator[Statement]:
    if told is not None:
        yield about_column(*told)


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


def unknown(focus: Focus) -> Filled:
    """Say that a question is not documented, and which tables are nearest."""
    words = [f"“{one_line(word)}”" for word in focus.uncovered]
    text = f"nothing explains {listing(words)}" if words else "no table holds this"
    columns = [each for each in focus.best_columns(tables=focus.main) if each.is_named and not is_own_key(each)]
    nearest = [about_table(each) for each in list(focus.main.values())[:2]]
    nearest += [about_column(each.table, each.column) for each in columns[:1]]
    return not_said(Filled(nearest, list(focus.main), [Lack("", "missing_information", text)], is_answered=False))


_NOT_DOCUMENTED = "This is not documented"


def _how(lacks: Sequence[Lack]) -> str:
    """How to document what is missing."""
    target = next((each.target for each in lacks if each.target), "")
    if not target:
        return ""
    names = parse_name(target)
    where = f" under {format_name(names[1:3])}" if len(names) > 1 else ""
    return f" To document it, describe it in {locations.annotations_file(names[0])}{where}."


def not_said(filled: Filled) -> Filled:
    """Begin with what is not documented, from the source that should say it."""
    if not filled.statements or not filled.lacks:
        return filled
    nearest = filled.statements[0]
    text = "; ".join(each.text for each in filled.lacks)
    first = Statement(
        f"{_NOT_DOCUMENTED}: {text}.{_how(filled.lacks)}", nearest.about, nearest.kind, nearest.source, nearest.uri
    )
    return Filled(
        [first, *filled.statements], filled.tables, filled.lacks, filled.sql, is_answered=False, words=filled.words
    )
