"""Entity-relationship diagrams in Mermaid."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tribal_contracts import InferredKey, Relationship

DIAGRAM_TABLES = 20
"""The most tables that a diagram shows; with more, it is unreadable."""

_NOT_IN_NAME = re.compile(r"[^\w.\- ]+")
# Mermaid parses these as statements even inside quotes.
_DIRECTION = re.compile(r"(?<=direction)\s+(?=tb|bt|rl|lr)", re.IGNORECASE)
# Labels are Markdown, where `_a_` becomes italic and loses its underscores; Mermaid keeps those written as `#95;`.
_LONE_UNDERSCORE = re.compile(r"(?<![^\W_])_|_(?![^\W_])")
_ENTITY = re.compile(r' {4}"[^"]*"(?: \{)?')
_KEY_MARKS = frozenset({"PK", "FK", "UK"})
_NOT_IN_ATTRIBUTE = re.compile(r"[^A-Za-z0-9_]+")


@dataclass(frozen=True, slots=True)
class ErColumn:
    """A key column of a diagram."""

    name: str
    type: str
    is_primary_key: bool = False
    is_foreign_key: bool = False


@dataclass(frozen=True, slots=True)
class ErTable:
    """A table of a diagram: relationships refer to `name`, and `label` is drawn."""

    name: str
    label: str
    columns: tuple[ErColumn, ...] = ()


def er_diagram(
    tables: Iterable[ErTable],
    relationships: Sequence[Relationship],
    limit: int = DIAGRAM_TABLES,
    *,
    likely: Sequence[InferredKey] = (),
) -> str:
    """A diagram of at most `limit` tables, most connected first, with their key columns; empty without keys.

    Tables without a relationship are left out: Mermaid would draw all of them in one row, wider than any screen. A
    comment says how many tables are missing. Keys that are likely, but not declared, are dotted and say so.
    """
    by_name = {table.name: table for table in tables}
    inner = [key for key in relationships if key.from_table in by_name and key.to_table in by_name]
    guessed = [key for key in likely if key.from_table in by_name and key.to_table in by_name]
    shown = _most_connected(inner, guessed, limit)
    if not shown:
        return ""
    labels = _labels([by_name[name] for name in shown])
    lines = ["erDiagram"]
    if missing := len(by_name) - len(shown):
        lines.append(f"    %% {missing} more {'table is' if missing == 1 else 'tables are'} left out")
    for name in shown:
        lines.extend(_entity(labels[name], by_name[name].columns))
    for key in sorted(inner, key=lambda key: (key.from_table, key.to_table, key.name, key.from_columns)):
        lines.extend(_edge(key, labels, "--o|" if key.nullable else "--||"))
    for each in sorted(guessed, key=lambda key: (key.from_table, key.to_table, key.from_columns)):
        lines.extend(_edge(each, labels, "..o|", "likely "))
    return "\n".join(lines) + "\n"


def _edge(key: Relationship | InferredKey, labels: Mapping[str, str], line: str, label: str = "") -> list[str]:
    if key.from_table not in labels or key.to_table not in labels:
        return []
    over = label + _plain(", ".join(key.from_columns), keep_comma=True)
    return [f'    "{labels[key.from_table]}" }}o{line} "{labels[key.to_table]}" : "{over}"']


def drawn_tables(diagram: str) -> int:
    """Number of tables in a diagram made by `er_diagram`."""
    return sum(_ENTITY.fullmatch(line) is not None for line in diagram.splitlines())


def _most_connected(keys: Sequence[Relationship], likely: Sequence[InferredKey], limit: int) -> list[str]:
    """Tables by the number of their keys; likely keys break ties between declared ones."""
    declared, guessed = _degrees(keys), _degrees(likely)
    ranked = sorted(declared | guessed, key=lambda name: (-declared[name], -guessed[name], name))
    return sorted(ranked[:limit])


def _degrees(keys: Iterable[Relationship | InferredKey]) -> Counter[str]:
    degree: Counter[str] = Counter()
    for key in keys:
        degree.update({key.from_table, key.to_table})
    return degree


def _plain(text: str, *, keep_comma: bool = False) -> str:
    """Reduce a text to characters that are safe in any quoted Mermaid name: letters, digits, `_`, `.`, `-`, spaces."""
    parts = text.split(",") if keep_comma else [text]
    words = (" ".join(_NOT_IN_NAME.sub(" ", part.replace('"', "")).split()) or "_" for part in parts)
    return _LONE_UNDERSCORE.sub("#95;", _DIRECTION.sub("_", ", ".join(words)))


def _labels(tables: Sequence[ErTable]) -> dict[str, str]:
    labels: dict[str, str] = {}
    taken: Counter[str] = Counter()
    for table in tables:
        label = _plain(table.label)
        taken[label] += 1
        while taken[label] > 1:
            label = f"{label} {taken[label]}"
            taken[label] += 1
        labels[table.name] = label
    return labels


def _entity(label: str, columns: Sequence[ErColumn]) -> list[str]:
    if not columns:
        return [f'    "{label}"']
    lines = [f'    "{label}" {{']
    taken: Counter[str] = Counter()
    for column in columns:
        name = _attribute(column.name)
        taken[name] += 1
        while taken[name] > 1:
            name = f"{name}_{taken[name]}"
            taken[name] += 1
        marks = [mark for mark, on in (("PK", column.is_primary_key), ("FK", column.is_foreign_key)) if on]
        type_name = _attribute(column.type.partition("(")[0])
        lines.append(" ".join(["       ", type_name, name, ", ".join(marks)]).rstrip())
    return [*lines, "    }"]


def _attribute(text: str) -> str:
    word = _NOT_IN_ATTRIBUTE.sub("_", text).strip("_") or "x"
    return f"c_{word}" if word in _KEY_MARKS or not word[0].isalpha() else word
