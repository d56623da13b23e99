"""The names of the columns of a query's result."""

from __future__ import annotations

from tribal.sql.parsing import exp

UNNAMED = "?column?"
_CALLS: dict[type[exp.Expr], str] = {
    exp.Coalesce: "coalesce",
    exp.Greatest: "greatest",
    exp.Least: "least",
    exp.Nullif: "nullif",
    exp.Exists: "exists",
    exp.Array: "array",
    exp.CurrentDate: "current_date",
    exp.CurrentTimestamp: "current_timestamp",
}


def output_name(node: exp.Expr, text: str) -> str | None:
    """The name that PostgreSQL gives to an unnamed output; `None` if that is not certain.

    Source: `FigureColname` in PostgreSQL's parse_target.c.
    """
    while isinstance(node, exp.Paren | exp.Collate | exp.Bracket | exp.Filter | exp.Window | exp.WithinGroup):
        node = node.this
    if isinstance(node, exp.Column | exp.Dot):
        return None if isinstance(node.parts[-1], exp.Star) else node.parts[-1].name
    if isinstance(node, exp.Cast):
        name = output_name(node.this, text)
        return None if name == UNNAMED else name
    if isinstance(node, exp.Case):
        default = node.args.get("default")
        name = output_name(default, text) if default is not None else UNNAMED
        return "case" if name == UNNAMED else name
    if isinstance(node, exp.Subquery):
        query = node.unnest()
        outputs = query.selects if isinstance(query, exp.Query) else []
        return (outputs[0].alias or output_name(outputs[0], text)) if len(outputs) == 1 else None
    if isinstance(node, exp.Func) and "start" in node.meta:
        return text[node.meta["start"] : node.meta["end"] + 1].lower()
    if type(node) in _CALLS:
        return _CALLS[type(node)]
    if isinstance(node, exp.Func) and not isinstance(node, exp.And | exp.Or | exp.DPipe):
        return None
    return UNNAMED if isinstance(node, exp.Literal | exp.Binary | exp.Unary | exp.Null) else None
