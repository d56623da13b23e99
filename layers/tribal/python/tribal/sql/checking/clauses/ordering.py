"""What a set operation, or a query with DISTINCT, may be ordered by."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

from tribal.sql.checking.findings import Notes
from tribal.sql.checking.grouping import Grouping, output_at
from tribal.sql.checking.names import Names, offset_of
from tribal.sql.checking.selection import Selection
from tribal.sql.parsing import exp


def check_order_of_set(node: exp.SetOperation, notes: Notes) -> None:
    """Report what the result of a set operation cannot be ordered by: anything but its columns."""
    order = node.args.get("order")
    for each in order.expressions if order is not None else ():
        value = each.this.unnest()
        if not isinstance(value, exp.Literal) and not (isinstance(value, exp.Column) and not value.table):
            kind = node.key.upper()
            message = f"the result of {kind} is ordered by names or numbers of its columns; select from it to compute"
            notes.report(offset_of(value), "parse_error", message)


class Ordering:
    """Checks what a query with DISTINCT is ordered by."""

    def __init__(self, names: Names, grouping: Grouping) -> None:
        self._names = names
        self._grouping = grouping

    def check(self, selection: Selection) -> None:
        """Report an order by what DISTINCT leaves undefined."""
        node = selection.node
        distinct, order = node.args.get("distinct"), node.args.get("order")
        if distinct is None or order is None:
            return
        on = distinct.args.get("on")
        outputs: dict[str, exp.Expr] = {
            self._names.stored(each.this): each
            for each in node.selects
            if isinstance(each, exp.Column) and not each.is_star
        }
        outputs.update((self._names.stored(each.args["alias"]), each) for each in node.selects if each.alias)
        ordered = [(each.this, self._form(each.this, node, outputs)) for each in order.expressions]
        if on is not None:
            listed = on.expressions if isinstance(on, exp.Tuple) else [on]
            self._check_first({self._form(each, node, outputs) for each in listed}, ordered)
        elif not node.is_star:
            selected = {self._grouping.form(each.unalias()) for each in node.selects}
            wrong = next((value for value, form in ordered if form not in selected), None)
            if wrong is not None:
                message = "with SELECT DISTINCT, the result is ordered by what is selected; select this too"
                self._names.notes.report(offset_of(wrong), "parse_error", message)

    def _check_first(self, listed: set[Hashable], ordered: list[tuple[exp.Expr, Hashable]]) -> None:
        """Report an order that does not begin with what DISTINCT ON lists."""
        left = set(listed)
        for value, form in ordered:
            if not left:
                return
            if form not in listed:
                message = "ORDER BY must begin with what DISTINCT ON lists"
                self._names.notes.report(offset_of(value), "parse_error", message)
                return
            left.discard(form)

    def _form(self, value: exp.Expr, node: exp.Select, outputs: Mapping[str, exp.Expr]) -> Hashable:
        """The form of what a number, an alias or an expression means."""
        value = value.unnest()
        output = output_at(value, node)
        if output is None and isinstance(value, exp.Column) and id(value) not in self._names.uses:
            output = outputs.get(self._names.stored(value.this))
        return self._grouping.form((output or value).unalias())
