"""Which definitions use a table."""

from __future__ import annotations

from collections.abc import Iterable

from tribal_contracts import DefinedMetric, DefinedTerm, Definitions, VerifiedQuery


def definitions_using(found: Definitions, tables: Iterable[str]) -> list[DefinedMetric | DefinedTerm | VerifiedQuery]:
    """The metrics, terms and queries that use one of these tables, given by qualified name."""
    wanted = frozenset(tables)
    items: list[DefinedMetric | DefinedTerm | VerifiedQuery] = [*found.metrics, *found.terms, *found.queries]
    return [each for each in items if not wanted.isdisjoint(each.tables)]
