"""A table and its keys in DBML, the language of dbdiagram.io."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tribal.identity.table_names import TableIdentity
from tribal.joins.outline import row_keys
from tribal_contracts import DocumentedForeignKey, DocumentedIndex, TableDocument

# Control characters, and marks that change the direction of writing, are escaped too: DBML reads them back.
_ESCAPED = re.compile(r"[\\\"'\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]")
_NOT_IN_EXPRESSION = re.compile(r"[`\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]")
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


@dataclass(frozen=True, slots=True)
class DbmlRef:
    """A key of a table; `line` is a comment if the key is likely, but not declared."""

    other: str
    """Full name of the table that it refers to."""
    line: str


def dbml_table(document: TableDocument) -> str:
    """Return the block of a table: columns, keys, indexes and descriptions; DBML has no views, so the note says it."""
    name = _path(document.schema_, document.table)
    if not document.columns:
        return f"// Table {name} has no columns, which DBML does not allow."
    alone = {key.columns[0] for key in document.unique_keys if len(key.columns) == 1}
    primary = document.primary_key.columns if document.primary_key else []
    lines = [f"Table {name} {{"]
    for column in document.columns:
        settings = [
            *(["pk"] if primary == [column.name] else []),
            *(["unique"] if column.name in alone else []),
            *([] if column.nullable else ["not null"]),
            *([f"default: {_expression(column.default_value)}"] if column.default_value else []),
            *([f"note: {_string(column.description.text)}"] if column.description.text else []),
        ]
        lines.append(f"  {_name(column.name)} {_name(column.type)}{_in_brackets(settings)}")
    if indexes := _indexes(document, primary):
        lines += ["", "  indexes {", *(f"    {line}" for line in indexes), "  }"]
    if note := _note(document):
        lines += ["", f"  Note: {_string(note)}"]
    return "\n".join([*lines, "}"])


def dbml_refs(document: TableDocument) -> list[DbmlRef]:
    """Return the keys of a table to others and itself. DBML allows only one between the same columns."""
    found: dict[tuple[str, frozenset[tuple[str, str]]], DbmlRef] = {}
    rows = [frozenset(columns) for columns in row_keys(document)]
    for key in document.foreign_keys:
        pairs = frozenset(zip(key.columns, key.references_columns, strict=False))
        is_itself = key.references_table == document.name and key.columns == key.references_columns
        if is_itself or _is_stated_by_the_other(document, key) or not pairs:
            continue
        one = any(row <= frozenset(key.columns) for row in rows)
        rule = (key.on_delete or "").lower()
        settings = [f"delete: {rule}"] if rule in {"cascade", "restrict", "set null", "set default"} else []
        line = _ref(document, key.columns, key.references_table, key.references_columns, one=one)
        found.setdefault((key.references_table, pairs), DbmlRef(key.references_table, line + _in_brackets(settings)))
    declared = list(found.values())
    likely = [
        DbmlRef(key.to_table, f"// likely: {_ref(document, key.from_columns, key.to_table, key.to_columns)}")
        for key in document.inferred_keys
        if key.from_table == document.name
    ]
    return declared + likely


def _is_stated_by_the_other(document: TableDocument, key: DocumentedForeignKey) -> bool:
    """Whether two tables refer to each other by the same columns; the first by name then has the line."""
    if key.references_table >= document.name:
        return False
    pairs = set(zip(key.columns, key.references_columns, strict=False))
    return any(
        relation.relationship == "referenced_by"
        and relation.name == key.references_table
        and set(zip(relation.via_columns, relation.other_columns, strict=False)) == pairs
        for relation in document.relations
    )


def _ref(
    document: TableDocument, columns: Sequence[str], other: str, others: Sequence[str], *, one: bool = False
) -> str:
    parent = TableIdentity.parse(other)
    start = f"{_path(document.schema_, document.table)}.{_columns(columns)}"
    return f"Ref: {start} {'-' if one else '>'} {_path(parent.schema, parent.table)}.{_columns(others)}"


def _indexes(document: TableDocument, primary: Sequence[str]) -> Iterable[str]:
    names = {column.name for column in document.columns}
    keys = [key for key in document.unique_keys if len(key.columns) > 1]
    lines = [f"{_members(primary, names)} [pk]"] if len(primary) > 1 else []
    lines += [f"{_members(key.columns, names)} [unique, name: {_string(key.name)}]" for key in keys]
    taken = {tuple(primary), *(tuple(key.columns) for key in document.unique_keys)}
    return lines + [_index(index, names) for index in document.indexes if not _repeats(index, taken)]


def _repeats(index: DocumentedIndex, keys: set[tuple[str, ...]]) -> bool:
    return not index.columns or (index.unique and not index.predicate and tuple(index.columns) in keys)


def _index(index: DocumentedIndex, names: set[str]) -> str:
    # A partial index says nothing of the rows that are not in it.
    is_unique = index.unique and not index.predicate
    terms = f"{'unique ' if index.unique and index.predicate else ''}{index.terms}"
    settings = [
        *(["unique"] if is_unique else []),
        f"name: {_string(index.name)}",
        *([f"note: {_string(terms)}"] if terms else []),
    ]
    return f"{_members(index.columns, names)}{_in_brackets(settings)}"


def _members(columns: Sequence[str], names: set[str]) -> str:
    return f"({', '.join(_name(each) if each in names else _as_expression(each) for each in columns)})"


def _note(document: TableDocument) -> str:
    kind = "" if document.kind == "table" else f"A {document.kind.replace('_', ' ')}."
    return " ".join(filter(None, (kind, document.description.text)))


def _in_brackets(settings: Sequence[str]) -> str:
    return f" [{', '.join(settings)}]" if settings else ""


def _columns(columns: Sequence[str]) -> str:
    return _name(columns[0]) if len(columns) == 1 else f"({', '.join(map(_name, columns))})"


def _path(schema: str, table: str) -> str:
    return f"{_name(schema)}.{_name(table)}"


def _name(text: str) -> str:
    return f'"{_escaped(text)}"'


def _string(text: str) -> str:
    return f"'{_escaped(text)}'"


def _escaped(text: str) -> str:
    return _ESCAPED.sub(_escape, text)


def _escape(found: re.Match[str]) -> str:
    mark = found.group()
    return _SHORT.get(mark) or (f"\\{mark}" if mark in "\\\"'" else f"\\u{ord(mark):04x}")


def _expression(text: str) -> str:
    """Write an expression, or a string where it contains a backquote or breaks the line: those cannot be escaped."""
    return _string(text) if _NOT_IN_EXPRESSION.search(text) else f"`{text}`"


def _as_expression(text: str) -> str:
    return f"`{_NOT_IN_EXPRESSION.sub(' ', text)}`"
