"""Aggregates and window functions in places where PostgreSQL allows none."""

from __future__ import annotations

from collections.abc import Iterator

from tribal.sql.checking.grouping import grouped, is_aggregate, output_at
from tribal.sql.checking.names import Names, offset_of
from tribal.sql.checking.selection import Selection
from tribal.sql.checking.sources import Joined
from tribal.sql.parsing import exp

_OF_WINDOWS = (
    *(exp.RowNumber, exp.Rank, exp.DenseRank, exp.PercentRank, exp.CumeDist, exp.Ntile),
    *(exp.Lag, exp.Lead, exp.FirstValue, exp.LastValue, exp.NthValue),
)
"""Functions that need OVER, or WITHIN GROUP."""


class Placement:
    """Checks where a query aggregates."""

    def __init__(self, names: Names) -> None:
        self._names = names

    def check(self, selection: Selection, joined: Joined) -> None:
        """Report aggregates and window functions that the clause around them cannot have."""
        node = selection.node
        where, having = node.args.get("where"), node.args.get("having")
        for what, part in (
            *([("WHERE", where)] if where is not None else []),
            *(("JOIN conditions", condition) for condition in joined.conditions),
            *(("GROUP BY", each) for each in self._groups(node)),
            *((key.upper(), node.args[key]) for key in ("limit", "offset") if node.args.get(key) is not None),
        ):
            self._report_within(part, what, selection, with_aggregates=True)
        if having is not None:
            self._report_within(having, "HAVING", selection, with_aggregates=False)
        self._check_nesting(selection)

    def _groups(self, node: exp.Select) -> Iterator[exp.Expr]:
        aliases = {each.alias: each for each in node.selects if each.alias}
        for each in grouped(node):
            is_alias = isinstance(each, exp.Column) and not each.table and id(each) not in self._names.uses
            yield (aliases.get(each.name) if is_alias else None) or output_at(each, node) or each

    def _report_within(self, part: exp.Expr, what: str, selection: Selection, *, with_aggregates: bool) -> None:
        for node in _own_nodes(part):
            if isinstance(node, exp.Window):
                self._report(node, f"window functions cannot be in {what}; compute them in a query around or inside")
            elif with_aggregates and is_aggregate(node) and self._is_own(node, selection):
                instead = "; write the condition into HAVING" if what == "WHERE" else ""
                self._report(node, f"aggregates cannot be in {what}{instead}")

    def _check_nesting(self, selection: Selection) -> None:
        node = selection.node
        parts = [*node.expressions, *(node.args[key] for key in ("having", "order") if node.args.get(key))]
        for outer in (each for part in parts for each in _own_nodes(part)):
            if isinstance(outer, exp.Window):
                self._check_window(outer)
            elif isinstance(outer, _OF_WINDOWS) and not isinstance(
                outer.parent, exp.Window | exp.WithinGroup | exp.IgnoreNulls | exp.RespectNulls | exp.Filter
            ):
                self._report(outer, "this function needs OVER (...)")
            elif is_aggregate(outer):
                self._check_aggregate(outer, selection)
            elif isinstance(outer, exp.Filter):
                for inner in _own_nodes(outer.expression):
                    if is_aggregate(inner) and self._is_own(inner, selection):
                        self._report(inner, "aggregates cannot be in FILTER")

    def _check_window(self, outer: exp.Window) -> None:
        if isinstance(outer.this, exp.AggFunc) and isinstance(outer.this.this, exp.Distinct):
            self._report(outer, "window functions do not take DISTINCT")
        for inner in (each for part in outer.iter_expressions() for each in _own_nodes(part)):
            if isinstance(inner, exp.Window):
                self._report(inner, "window functions cannot be in one another; use a subquery")

    def _check_aggregate(self, outer: exp.Expr, selection: Selection) -> None:
        for inner in (each for part in outer.iter_expressions() for each in _own_nodes(part)):
            if isinstance(inner, exp.Window):
                self._report(inner, "an aggregate cannot contain a window function; use a subquery")
            elif is_aggregate(inner) and self._is_own(inner, selection):
                self._report(inner, "aggregates cannot be in one another; use a subquery")

    def _is_own(self, aggregate: exp.Expr, selection: Selection) -> bool:
        """Whether it aggregates rows of this query, and not of one around it."""
        uses = [self._names.uses.get(id(each)) for each in aggregate.find_all(exp.Column)]
        known = [use[0] in selection.item.every for use in uses if use is not None]
        return any(known) or not known

    def _report(self, node: exp.Expr, message: str) -> None:
        self._names.notes.report(offset_of(node), "parse_error", message)


def _own_nodes(part: exp.Expr) -> Iterator[exp.Expr]:
    """The nodes of an expression, without those of the queries in it."""
    waiting = [part]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += [each for each in node.iter_expressions() if not isinstance(each, exp.Query)]
