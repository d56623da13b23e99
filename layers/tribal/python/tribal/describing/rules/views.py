"""Where a view takes its columns from, as far as its definition says so in simple SQL."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from tribal.identity.table_names import format_name
from tribal_contracts import CatalogTable

_DEFINITION_CHARS = 50_000
_NAME = r'(?:"(?:[^"]|"")+"|[A-Za-z_][\w$]*)'
_SELECT = re.compile(r"\s*SELECT\s+(?!DISTINCT\b)", re.IGNORECASE)
_SOURCE = re.compile(rf"\b(?:FROM|JOIN)\s+\(*({_NAME})\.({_NAME})(?:\s+(?:AS\s+)?({_NAME}))?", re.IGNORECASE)
_ITEM = re.compile(rf"(?:({_NAME})\.)?({_NAME})(?:\s+AS\s+({_NAME}))?", re.IGNORECASE)
_SEVERAL = re.compile(r"\b(?:UNION|INTERSECT|EXCEPT|WITH)\b", re.IGNORECASE)
_NO_ALIAS = frozenset(
    """
    as on using where join left right inner full cross natural group order limit having window offset fetch for
    """.split()
)


@dataclass(frozen=True, slots=True)
class ViewOrigins:
    """The tables that a view reads, in order of its definition, and the columns that it passes through unchanged."""

    tables: tuple[tuple[str, str], ...] = ()
    columns: Mapping[str, str] = field(default_factory=dict)
    """`schema.table.column` by the view's column."""


def view_origins(table: CatalogTable) -> ViewOrigins:
    """Parse a view's definition as PostgreSQL prints it; whatever is not simple is left out."""
    text = (table.view_query or table.view_definition or "")[:_DEFINITION_CHARS]
    bare = re.sub(r"'(?:[^']|'')*'", "''", text)
    begun = _SELECT.match(bare)
    if begun is None or _SEVERAL.search(bare):
        return ViewOrigins()
    items, rest = _select_list(bare[begun.end() :])
    # A subquery has tables and columns of its own.
    if re.search(r"\bSELECT\b", rest, re.IGNORECASE):
        return ViewOrigins()
    sources: dict[str, tuple[str, str]] = {}
    for schema, name, alias in _SOURCE.findall(rest):
        known_as = alias if alias and alias.lower() not in _NO_ALIAS else name
        sources[_plain(known_as)] = (_plain(schema), _plain(name))
    wanted = {column.name for column in table.columns}
    columns = {name: origin for name, origin in _handed_on(items, sources) if name in wanted}
    return ViewOrigins(tuple(dict.fromkeys(sources.values())), columns)


def _handed_on(items: list[str], sources: Mapping[str, tuple[str, str]]) -> Iterator[tuple[str, str]]:
    for item in items:
        found = _ITEM.fullmatch(item.strip())
        if found is None:
            continue
        alias, column, name = (_plain(part) if part else "" for part in found.groups())
        source = sources.get(alias) if alias else next(iter(sources.values()), None) if len(sources) == 1 else None
        if source is not None:
            yield name or column, format_name((*source, column))


def _select_list(text: str) -> tuple[list[str], str]:
    """The items of the outermost SELECT, and what follows from its FROM on."""
    items, depth, start = [], 0, 0
    for found in re.finditer(r'"(?:[^"]|"")*"|[(),]|\bFROM\b', text, re.IGNORECASE):
        sign = found.group()
        depth += {"(": 1, ")": -1}.get(sign, 0)
        if depth == 0 and (sign == "," or sign.upper() == "FROM"):
            items.append(text[start : found.start()])
            start = found.end()
            if sign != ",":
                return items, text[found.start() :]
    return [], ""


def _plain(name: str) -> str:
    return name[1:-1].replace('""', '"') if name.startswith('"') else name
