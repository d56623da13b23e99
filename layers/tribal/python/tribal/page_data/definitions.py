"""The part of the page's data for verified queries, metrics and terms, as declared in `page/src/data/types.ts`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tribal.capabilities.retrieval.toolbox import Toolbox
from tribal.identity.table_names import TableIdentity
from tribal.identity.table_states import change_text
from tribal.naming.mentions import OwnNames
from tribal.page_data.survey import Survey
from tribal.scoping.bounds import Bounds
from tribal_contracts import DefinedMetric, DefinedTerm, Definitions, VerifiedQuery

_STATUSES = ("current", "stale", "changed", "broken")
_NOTHING = Definitions(schema_version="1.0")
_WITHHELD = "It no longer fits the documented tables."

Item = DefinedMetric | DefinedTerm | VerifiedQuery


def visible_to(found: Survey, toolbox: Toolbox) -> Definitions:
    """Return the definitions that the caller may see.

    Raises:
        StoreError: when the store cannot be read.
    """
    return _NOTHING if toolbox.definitions is None else toolbox.definitions(found.opened.bounds)


def definitions_part(found: Survey, toolbox: Toolbox, *, with_unusable: bool = True) -> dict[str, Any]:
    """Return all definitions with state and tables, current ones first, and why others are not current, in sentences.

    Args:
        found: what the caller may see.
        toolbox: of the caller.
        with_unusable: whether to list files that cannot be used, for callers who see everything. A static site does
            not.
    """
    definitions, bounds = visible_to(found, toolbox), found.opened.bounds
    part: dict[str, Any] = {
        "queries": [_query(each, bounds) for each in sorted(definitions.queries, key=_place)],
        "metrics": [_metric(each, bounds) for each in sorted(definitions.metrics, key=_place)],
        "terms": [_term(each, bounds) for each in sorted(definitions.terms, key=_place)],
    }
    if with_unusable and bounds.is_open and definitions.unusable:
        part["unusable"] = [[each.file, each.line, each.message] for each in definitions.unusable]
    return part


def _place(item: Item) -> int:
    return _STATUSES.index(item.status)


def _query(query: VerifiedQuery, bounds: Bounds) -> dict[str, Any]:
    own = {"q": query.questions, "sql": query.sql, "st": query.status}
    return {**own, **_present({"ow": query.owner, "on": query.verified}), **_shared(query, bounds)}


def _metric(metric: DefinedMetric, bounds: Bounds) -> dict[str, Any]:
    own = {"n": metric.name, "s": metric.description, "x": metric.expression, "st": metric.status}
    return {**own, **_present({"fi": metric.filters, "ow": metric.owner}), **_shared(metric, bounds)}


def _term(term: DefinedTerm, bounds: Bounds) -> dict[str, Any]:
    own = {"n": term.name, "s": term.definition, "st": term.status}
    return {**own, **_present({"sy": term.synonyms, "c": term.columns}), **_shared(term, bounds)}


def _shared(item: Item, bounds: Bounds) -> dict[str, Any]:
    """The fields that all definitions have: tables, file, and why it is not current."""
    file = None if bounds.withholds(item.file) else item.file
    return {"t": item.tables, **_present({"f": file, "why": [*dict.fromkeys(_why(item, bounds))]})}


def _why(item: Item, bounds: Bounds) -> Iterator[str]:
    names = (TableIdentity.parse(name) for name in item.tables)
    own = OwnNames.of(part for each in names for part in (each.database, each.schema, each.table))
    for problem in item.problems:
        # A message may suggest or quote a hidden name.
        if not bounds.is_open and bounds.reveals_derived(problem.message, item.database or "", own):
            yield _WITHHELD
        else:
            yield f"Line {problem.line}: {problem.message}" if isinstance(item, VerifiedQuery) else problem.message
    if isinstance(item, VerifiedQuery):
        yield from (f"Since it was verified, {change_text(change)}." for change in item.changes)


def _present(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value}
