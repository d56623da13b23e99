"""Columns that a grouped query selects without grouping by them, which the server refuses."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator

from tribal.sql.checking.names import Names, offset_of, written
from tribal.sql.checking.relations import Use
from tribal.sql.checking.selection import Selection
from tribal.sql.parsing import exp

_GROUPINGS = (exp.Paren, exp.Tuple, exp.GroupingSets, exp.Rollup, exp.Cube)
_NOT_BARE = (exp.Query, exp.Anonymous, exp.Exists, exp.WithinGroup, exp.Filter)
"""Subqueries; and what may be in an aggregate, or be one that sqlglot does not know."""


def grouped(node: exp.Select) -> Iterator[exp.Expr]:
    """What a query groups by, without the brackets around it."""
    group = node.args.get("group")
    waiting = [*reversed(group.expressions)] if group is not None else []
    for key in ("grouping_sets", "cube", "rollup"):
        listed = group.args.get(key) if group is not None else None
        waiting += [each for each in listed if isinstance(each, exp.Expr)] if isinstance(listed, list) else []
    while waiting:
        each = waiting.pop()
        if isinstance(each, _GROUPINGS):
            waiting += reversed([*each.iter_expressions()])
        else:
            yield each


def output_at(node: exp.Expr, select: exp.Select) -> exp.Expr | None:
    """The output that a number in GROUP BY or ORDER BY means."""
    number = int(node.name) if isinstance(node, exp.Literal) and node.name.isdecimal() and len(node.name) < 5 else 0
    return select.selects[number - 1] if 0 < number <= len(select.selects) else None


def aggregates_in(nodes: Collection[exp.Expr]) -> Iterator[exp.Expr]:
    """The aggregates of a query that are not window functions."""
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        if is_aggregate(node):
            yield node
        elif not isinstance(node, exp.Query):
            waiting += node.iter_expressions()


def is_aggregate(node: exp.Expr) -> bool:
    """Whether a node is an aggregate, and not a window function."""
    above = node.parent
    while isinstance(above, exp.Filter | exp.WithinGroup | exp.IgnoreNulls | exp.RespectNulls):
        above = above.parent
    if isinstance(above, exp.Window) and above.this.find(type(node)) is node:
        return False
    return isinstance(node, exp.AggFunc) or (isinstance(node, exp.Func) and node.key.endswith("agg"))


def grouped_parts(node: exp.Select) -> list[exp.Expr]:
    """The parts of a query that are evaluated after grouping."""
    return [*node.expressions, *(node.args[key] for key in ("having", "order", "qualify") if node.args.get(key))]


class Grouping:
    """Checks that each column after grouping is grouped by, or is in an aggregate."""

    def __init__(self, names: Names) -> None:
        self._names = names

    def check(self, selection: Selection) -> None:
        """Report the first column that is neither; nothing if it is not certain what the query groups by."""
        node = selection.node
        group = node.args.get("group")
        parts = grouped_parts(node)
        if group is None and not any(True for _ in aggregates_in(parts)):
            return
        if (group is not None and group.args.get("all")) or any(each.is_open for each in selection.item.every):
            return
        forms = self._forms(selection)
        if forms is None:
            return
        if (starred := self._starred(selection, forms)) is not None:
            self._report(*starred)
            return
        aliases = {self._names.stored(each.args["alias"]) for each in node.selects if each.alias}
        ordered = node.args.get("order")
        for part in parts:
            for column in self._bare(part, forms):
                use = self._names.uses.get(id(column))
                is_alias = part is ordered and not column.table and self._names.stored(column.this) in aliases
                if use is not None and not is_alias and not self._is_determined(use, selection, forms):
                    self._report(column, use)
                    return

    def _report(self, node: exp.Expr, use: Use) -> None:
        shown = written([use[0].alias, use[1].name] if use[0].alias else [use[1].name], "postgres")
        message = f"the column {shown} must be in GROUP BY or in an aggregate, because the query groups its rows"
        self._names.notes.report(offset_of(node), "parse_error", message)

    def _starred(self, selection: Selection, forms: set[Hashable]) -> tuple[exp.Expr, Use] | None:
        """The first `*` that means a column that is not grouped by, and that column."""
        for star in (each for each in selection.node.selects if each.is_star):
            alias = self._names.stored(star.args["table"]) if star.args.get("table") else None
            for use in selection.item.columns:
                is_grouped = (id(use[0]), use[1].name) in forms or self._is_determined(use, selection, forms)
                if alias in (None, use[0].alias) and not is_grouped:
                    return star, use
        return None

    def _forms(self, selection: Selection) -> set[Hashable] | None:
        """What the query groups by; `None` if that is not certain."""
        select = selection.node
        forms: set[Hashable] = set()
        aliases = {self._names.stored(each.args["alias"]): each.this for each in select.selects if each.alias}
        for each in grouped(select):
            value = output_at(each, select) or each
            if isinstance(value, exp.Column) and id(value) not in self._names.uses:
                value = aliases.get(self._names.stored(value.this), value) if not value.table else value
            value = value.unalias().unnest()
            if isinstance(value, exp.Star) or (isinstance(value, exp.Column) and id(value) not in self._names.uses):
                return None
            forms.add(self.form(value))
        for equality in selection.equalities:
            if equality.node is None:
                places = [(id(use[0]), use[1].name) for use in (equality.one, equality.other)]
                forms |= set(places) if forms & set(places) else set()
        return forms

    def _bare(self, part: exp.Expr, forms: set[Hashable]) -> Iterator[exp.Column]:
        """The columns of a part that are neither in an aggregate nor in what is grouped by."""
        waiting = [part]
        while waiting:
            node = waiting.pop()
            if is_aggregate(node) or isinstance(node, _NOT_BARE):
                continue
            if not isinstance(node, exp.Alias | exp.Ordered | exp.Order | exp.Having) and self.form(node) in forms:
                continue
            if isinstance(node, exp.Column):
                yield node
            else:
                waiting += node.iter_expressions(reverse=True)

    def _is_determined(self, use: Use, selection: Selection, forms: set[Hashable]) -> bool:
        """Whether the relation's key is grouped by, or the column is one of a query around this one."""
        relation = use[0]
        if relation not in selection.item.every:
            return True
        return any(key and all((id(relation), name) in forms for name in key) for key in relation.keys)

    def form(self, node: exp.Expr) -> Hashable:
        """Equal for expressions that mean the same, however their columns are qualified."""
        node = node.unnest()
        use = self._names.uses.get(id(node))
        if use is not None:
            return id(use[0]), use[1].name
        parts = []
        for key, value in sorted(node.args.items()):
            if isinstance(value, exp.Expr):
                parts.append((key, self.form(value)))
            elif isinstance(value, list):
                parts.append((key, tuple(self.form(each) if isinstance(each, exp.Expr) else each for each in value)))
            elif value:
                parts.append((key, value))
        return type(node), tuple(parts)
