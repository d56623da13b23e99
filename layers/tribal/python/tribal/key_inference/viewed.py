"""Keys that the joins of views show."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from tribal.key_inference.guesses import Guess, guess
from tribal.key_inference.overlap import KeyPair
from tribal.key_inference.references import is_polymorphic
from tribal.key_inference.tables import KeyTable
from tribal.sql.references import TableName
from tribal_contracts import DatabaseType

IN_A_VIEW = 0.9
"""Confidence if a view joins a column to the key of another table. A label by judgement."""
_MAY_JOIN = re.compile(r"\bFROM\b.*?(?:,|\b(?:FROM|JOIN)\b)", re.IGNORECASE | re.DOTALL)
"""A definition without a second source is not parsed."""
Viewed = Sequence[tuple[str, KeyTable, KeyTable, frozenset[tuple[str, str]]]]
"""The view, two tables, and the pairs of columns on which it joins them."""


def read_views(tables: Iterable[KeyTable], by_name: Mapping[TableName, KeyTable], dialect: DatabaseType) -> Viewed:
    """The joins of all views between tables that are known."""
    views = [view for view in tables if _MAY_JOIN.search(view.outline.view_definition or "")]
    if not views:
        return []
    # Loads sqlglot.
    from tribal.sql.lineage import view_lineage

    found = []
    for view in views:
        for join in view_lineage(view.outline.view_definition or "", dialect).joins:
            here, there = by_name.get(join.one), by_name.get(join.other)
            if here is None or there is None or here.is_view or there.is_view:
                continue
            if all(_fit(here, there, pair) for pair in join.columns):
                found.append((view.name, here, there, join.columns))
    return found


def viewed_references(viewed: Viewed) -> Iterator[Guess]:
    """What views join to a key, whole; if both sides are keys, the direction is unknown."""
    for view, here, there, pairs in viewed:
        backwards = frozenset((other, own) for own, other in pairs)
        forth, back = _referenced(here, there, pairs), _referenced(there, here, backwards)
        if bool(forth) != bool(back):
            for pair in (*forth, *back):
                yield guess(pair, IN_A_VIEW, "view", view)


def _referenced(child: KeyTable, parent: KeyTable, pairs: frozenset[tuple[str, str]]) -> list[KeyPair]:
    """The key of the parent that all of these columns make up."""
    own = {other: column for column, other in sorted(pairs)}
    if child is parent or len(own) != len(pairs) or any(is_polymorphic(child, column) for column in own.values()):
        return []
    keys = [(column,) for column in parent.singles] if len(pairs) == 1 else parent.composites
    found = [key for key in keys if set(key) == set(own)]
    if not found or not child.declared.isdisjoint(own.values()):
        return []
    return [KeyPair(child.name, tuple(own[column] for column in key), parent.name, tuple(key)) for key in found[:1]]


def _fit(here: KeyTable, there: KeyTable, pair: tuple[str, str]) -> bool:
    own, other = here.families.get(pair[0]), there.families.get(pair[1])
    return own is not None and own == other
