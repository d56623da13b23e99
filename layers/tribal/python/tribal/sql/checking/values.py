"""Compares literals with what the columns that they are compared with can hold."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tribal.sql.checking.names import Names, nearest, offset_of
from tribal.sql.checking.relations import Column, Use
from tribal.sql.checking.selection import column_of
from tribal.sql.parsing import exp

_EQUALITIES = (exp.EQ, exp.NEQ, exp.NullSafeEQ, exp.NullSafeNEQ)
_ORDERINGS = (exp.GT, exp.GTE, exp.LT, exp.LTE)
_MOST_VALUES = 12
_INTEGERS = frozenset(("smallint", "integer", "bigint"))
_NUMBERS = _INTEGERS | {"numeric", "real", "double precision"}
_TEXTS = frozenset(("text", "character varying", "character"))
_TIMES = frozenset(("date", "timestamp without time zone", "timestamp with time zone"))
_FAMILIES = {
    **dict.fromkeys(_NUMBERS, "number"),
    **dict.fromkeys(_TEXTS, "text"),
    **dict.fromkeys(_TIMES, "time"),
    "boolean": "boolean",
    "uuid": "uuid",
}
_LENGTH = re.compile(r"\([\d\s,]*\)")
_INTEGER = re.compile(r"\s*[+-]?(?:\d[\d_]*|0[xX][\da-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+)\s*")
_NUMBER = re.compile(
    r"\s*[+-]?(?:(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d+)?|0[xXoObB][\da-fA-F_]+|nan|inf(?:inity)?)\s*",
    re.IGNORECASE,
)
_TIME_WORDS = frozenset("now today tomorrow yesterday epoch allballs infinity -infinity +infinity".split())
_BOOLEANS = re.compile(r"\s*(?:t(?:r(?:ue?)?)?|f(?:a(?:l(?:se?)?)?)?|y(?:es?)?|no?|on|off?|[01])\s*", re.IGNORECASE)


class Values:
    """Checks the literals of a query whose names are resolved."""

    def __init__(self, names: Names) -> None:
        self._names = names

    def check(self, tree: exp.Expr) -> None:
        """Report literals that a column never equals, and comparisons that the server refuses."""
        for node in tree.find_all(*_EQUALITIES, *_ORDERINGS, exp.In, exp.Case, exp.Between, exp.Like, exp.ILike):
            for left, right in _comparisons(node):
                for one, other in ((left, right), (right, left)):
                    use = column_of(one, self._names)
                    literal = other.unnest()
                    is_cast = not isinstance(one.unnest(), exp.Column)
                    if use is not None and isinstance(literal, exp.Literal):
                        is_equality = not isinstance(node, (*_ORDERINGS, exp.Between, exp.Like, exp.ILike))
                        is_refused = not is_cast and self._check_type(use, literal, node)
                        if is_equality and not is_refused:
                            self._check_allowed(use, literal)
                if isinstance(left.unnest(), exp.Column) and isinstance(right.unnest(), exp.Column):
                    self._check_types(column_of(left, self._names), column_of(right, self._names), node)

        for node in tree.find_all(exp.Sum, exp.Avg):
            self._check_sum(node)

    def _check_sum(self, node: exp.Expr) -> None:
        """Report the sum of a column that holds no numbers."""
        use = self._names.uses.get(id(node.this))
        family = _FAMILIES.get(_type(use[1])) if use is not None else None
        if use is not None and family not in (None, "number") and self._names.known.dialect == "postgres":
            message = f"{use[1].name} is of type {_type(use[1])}: {node.key.upper()} takes numbers"
            self._names.notes.report(offset_of(node), "value_not_allowed", message)

    def _check_allowed(self, use: Use, literal: exp.Expr) -> None:
        _, column = use
        origin = column.origin
        if origin is None or not origin[1].allowed_values:
            return
        allowed = origin[1].allowed_values
        value = literal.name
        pads = _type(column) == "character"
        if value in allowed or (pads and value.rstrip(" ") in {each.rstrip(" ") for each in allowed}):
            return
        if _as_number(value) is not None and _as_number(value) in map(_as_number, allowed):
            return
        shown = ", ".join(map(repr, allowed[:_MOST_VALUES])) + (", ..." if len(allowed) > _MOST_VALUES else "")
        meant = nearest(value, allowed)
        self._names.notes.report(
            offset_of(literal),
            "value_not_allowed",
            f"{origin[0].schema}.{origin[0].table}.{origin[1].name} never holds this value; it may hold {shown}",
            _literal(meant) if meant is not None else None,
        )

    def _check_type(self, use: Use, literal: exp.Expr, node: exp.Expr) -> bool:
        """Report a literal that the type of a column refuses."""
        if self._names.known.dialect != "postgres":
            return False
        type_name = _type(use[1])
        family = _FAMILIES.get(type_name)
        if family is None:
            return False
        why, suggestion = None, None
        if isinstance(node, exp.Like | exp.ILike):
            why = "LIKE compares texts only" if family != "text" else None
        elif not literal.args.get("is_string"):
            if family != "number":
                why = "it cannot be compared with a number"
                suggestion = _literal(literal.name) if family == "text" else None
        elif not _is_of(literal.name, type_name, family):
            why = "this text is no such value"
        if why is None:
            return False
        message = f"{use[1].name} is of type {type_name}: {why}"
        self._names.notes.report(offset_of(literal), "value_not_allowed", message, suggestion)
        return True

    def _check_types(self, one: Use | None, other: Use | None, node: exp.Expr) -> None:
        """Report two columns that the server cannot compare."""
        if one is None or other is None or self._names.known.dialect != "postgres":
            return
        families = [_FAMILIES.get(_type(use[1])) for use in (one, other)]
        if None in families or families[0] == families[1]:
            return
        names = [f"{use[1].name} ({_type(use[1])})" for use in (one, other)]
        self._names.notes.report(
            offset_of(node),
            "value_not_allowed",
            f"{names[0]} cannot be compared with {names[1]}; cast one of them",
        )


def _comparisons(node: exp.Expr) -> Iterator[tuple[exp.Expr, exp.Expr]]:
    """The pairs of expressions that a condition compares."""
    if isinstance(node, exp.In):
        yield from ((node.this, each) for each in node.expressions)
    elif isinstance(node, exp.Between):
        yield from ((node.this, node.args[key]) for key in ("low", "high"))
    elif isinstance(node, exp.Case):
        if node.this is not None:
            yield from ((node.this, branch.this) for branch in node.args.get("ifs") or ())
    elif isinstance(node.expression, exp.Any | exp.All):
        listed = node.expression.this.unnest()
        if isinstance(listed, exp.Array):
            yield from ((node.this, each) for each in listed.expressions)
    else:
        yield node.this, node.expression


def _type(column: Column) -> str:
    return _LENGTH.sub("", column.origin[1].type.lower()).strip() if column.origin is not None else ""


def _is_of(text: str, type_name: str, family: str) -> bool:
    """Whether a type may hold the value that a text says; true if that is not certain."""
    if type_name in _INTEGERS:
        return _INTEGER.fullmatch(text) is not None
    if family == "number":
        return _NUMBER.fullmatch(text) is not None
    if family == "time":
        return any(map(str.isdigit, text)) or text.strip().casefold() in _TIME_WORDS
    if family == "boolean":
        return _BOOLEANS.fullmatch(text) is not None
    if family == "uuid":
        return len(re.findall(r"[0-9a-fA-F]", text)) == 32
    return True


def _as_number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _literal(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
