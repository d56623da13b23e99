"""What a set operation, or a query with DISTINCT, may be ordered by."""

from __future__ import annotations

from collections.abc import Hashable

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
        ordered = [(each.this, self._form(each.this, node)) for each in order.expressions]
        if on is not None:
            self._check_first(on.expressions if isinstance(on, exp.Tuple) else [on], ordered, node)
        elif not node.is_star:
            selected = {self._grouping.form(each.unalias()) for each in node.selects}
            wrong = next((value for value, form in ordered if form not in selected), None)
            if wrong is not None:
                message = "with SELECT DISTINCT, the result is ordered by what is selected; select this too"
                self._names.notes.report(offset_of(wrong), "parse_error", message)

    def _check_first(self, listed: list[exp.Expr], ordered: list[tuple[exp.Expr, Hashable]], node: exp.Select) -> None:
        """Report an order that does not begin with what DISTINCT ON lists."""
        left = {self._form(each, node) for each in listed}
        wanted = frozenset(left)
        for value, form in ordered:
            if not left:
                return
            if form not in wanted:
                message = "ORDER BY must begin with what DISTINCT ON lists"
                self._names.notes.report(offset_of(value), "parse_error", message)
                return
            left.discard(form)

    def _form(self, value: exp.Expr, node: exp.Select) -> Hashable:
        """The form of what a number, an alias or an expression means."""
        value = value.unnest()
        output = output_at(value, node)
        if output is None and isinstance(value, exp.Column) and id(value) not in self._names.uses:
            name = self._names.stored(value.this)
            aliased = (each for each in node.selects if each.alias and self._names.stored(each.args["alias"]) == name)
            plain = (each for each in node.selects if isinstance(each, exp.Column) and each.name == value.name)
            output = next(aliased, None) or next(plain, None)
        return self._grouping.form((output or value).unalias())
