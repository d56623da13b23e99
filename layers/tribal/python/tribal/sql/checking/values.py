"""Compares literals with what the columns that they are compared with can hold."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tribal.sql.checking.language.families import INTEGERS, Types, alternatives, plain_type, type_name
from tribal.sql.checking.names import Names, nearest, offset_of
from tribal.sql.checking.relations import Family, Use
from tribal.sql.checking.selection import column_of
from tribal.sql.parsing import exp

_EQUALITIES = (exp.EQ, exp.NEQ, exp.NullSafeEQ, exp.NullSafeNEQ)
_ORDERINGS = (exp.GT, exp.GTE, exp.LT, exp.LTE)
_LIKES = (exp.Like, exp.ILike)
_MOST_VALUES = 12
_INTEGER = re.compile(r"\s*[+-]?(?:\d[\d_]*|0[xX][\da-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+)\s*")
_NUMBER = re.compile(
    r"\s*[+-]?(?:(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d+)?|0[xXoObB][\da-fA-F_]+|nan|inf(?:inity)?)\s*",
    re.IGNORECASE,
)
_TIME_WORDS = frozenset("now today tomorrow yesterday epoch allballs infinity -infinity +infinity".split())
_BOOLEANS = re.compile(r"\s*(?:t(?:r(?:ue?)?)?|f(?:a(?:l(?:se?)?)?)?|y(?:es?)?|no?|on|off?|[01])\s*", re.IGNORECASE)


class Values:
    """Checks the literals of a query whose names are resolved."""

    def __init__(self, names: Names, types: Types) -> None:
        self._names = names
        self._is_postgres = names.known.dialect == "postgres"
        self._types = types
        self._labels: dict[str, Sequence[str]] = {}
        """Of the enums that are known, by type."""

    def check(self, tree: exp.Expr) -> None:
        """Report literals that a column never equals, and comparisons that the server refuses."""
        if self._is_postgres:
            self._labels = {
                plain_type(column.type): column.allowed_values
                for _, used in self._names.uses.values()
                for column in (used.origin[0].columns if used.origin is not None else ())
                if column.is_enum and column.allowed_values
            }
            self._labels |= {name.removeprefix("public."): labels for name, labels in self._labels.items()}
            self._types.check(tree)
        for node in tree.find_all(*_EQUALITIES, *_ORDERINGS, *_LIKES, exp.In, exp.Case, exp.Between):
            for left, right in _comparisons(node):
                self._check_pair(left, right, node)
        if self._is_postgres:
            self._check_common_types(tree)

    def _check_pair(self, left: exp.Expr, right: exp.Expr, node: exp.Expr) -> None:
        for one, other in ((left, right), (right, left)):
            use, literal = column_of(one, self._names), other.unnest()
            if use is None or not isinstance(literal, exp.Literal):
                continue
            is_plain = isinstance(one.unnest(), exp.Column)
            is_refused = is_plain and self._check_type(use, literal, is_like=isinstance(node, _LIKES))
            if not is_refused and not isinstance(node, (*_ORDERINGS, exp.Between, *_LIKES)):
                self._check_allowed(use, literal, is_error=is_plain and _keeps_equal_rows(node))
        kinds = {type(each.unnest()) for each in (left, right)}
        if self._is_postgres and kinds != {exp.Column, exp.Literal}:
            self._check_families(left, right, node)
            self._check_texts((left, right))

    def _check_common_types(self, tree: exp.Expr) -> None:
        """Report literals that cannot be of the type of a column, where both must have one type."""
        for node in tree.find_all(exp.Case, exp.Coalesce, exp.Nullif, exp.Greatest, exp.Least):
            parts = [each.unnest() for each in alternatives(node)]
            use = next((self._names.uses[id(each)] for each in parts if id(each) in self._names.uses), None)
            if use is None:
                self._check_texts(parts)
            for each in parts if use is not None else ():
                if use is not None and isinstance(each, exp.Literal):
                    self._check_type(use, each)
        for listed in tree.find_all(exp.In):
            if listed.args.get("query") is not None:
                self._check_families(listed.this, listed.args["query"], listed)
        for cast in tree.find_all(exp.Cast):
            self._check_cast(cast)
        for choice in tree.find_all(exp.Any):
            self._check_any(choice)

    def _check_texts(self, parts: Sequence[exp.Expr]) -> None:
        """Report texts that are no value of the type of the expressions next to them."""
        families = [each for each in map(self._types.family, parts) if each is not None]
        for each in (part.unnest() for part in parts):
            if families and isinstance(each, exp.Literal) and each.is_string and not _is_of(each.name, "", families[0]):
                message = f"this text is no {families[0]}, as the expression next to it is; cast one of them"
                self._names.notes.report(offset_of(each), "value_not_allowed", message)

    def _check_cast(self, node: exp.Cast) -> None:
        """Report labels that the enum of a cast lacks."""
        labels = self._labels.get(node.to.sql("postgres").removesuffix("[]"))
        value = node.this.unnest()
        for each in value.expressions if isinstance(value, exp.Array) else [value]:
            if labels is not None and isinstance(each, exp.Literal) and each.is_string:
                self._check_label(each, labels, node.to.sql("postgres").removesuffix("[]"))

    def _check_any(self, node: exp.Any) -> None:
        """Report literals that an array of an enum lacks, and an array of texts that an enum is compared with."""
        above, listed = node.parent, node.this.unnest()
        other = above.this.unnest() if above is not None and above.expression is node else None
        if isinstance(other, exp.Literal) and (use := self._names.uses.get(id(listed))) is not None:
            labels = self._labels.get(type_name(use[1]).removesuffix("[]"))
            if labels is not None and type_name(use[1]).endswith("[]"):
                self._check_label(other, labels, type_name(use[1]))
        elif isinstance(listed, exp.Array) and (use := self._names.uses.get(id(other))) is not None:
            first, name = next(iter(listed.expressions), None), type_name(use[1])
            is_other = name in self._labels or self._types.family_of(use[1]) not in (None, "text")
            if is_other and isinstance(first, exp.Literal) and first.is_string:
                message = f"{use[1].name} is no text: cast the array, as in ARRAY[...]::{name}[]"
                self._names.notes.report(offset_of(first), "value_not_allowed", message)

    def _check_label(self, literal: exp.Expr, labels: Sequence[str], of: str) -> bool:
        if literal.args.get("is_string") and literal.name in labels:
            return False
        meant = nearest(literal.name, labels)
        self._names.notes.report(
            offset_of(literal),
            "value_not_allowed",
            f"the enum {of} has no such value: PostgreSQL refuses it; there is {_listed(labels)}",
            _literal(meant) if meant is not None else None,
        )
        return True

    def _check_allowed(self, use: Use, literal: exp.Expr, *, is_error: bool) -> None:
        _, column = use
        origin = column.origin
        if origin is None or not origin[1].allowed_values:
            return
        allowed = origin[1].allowed_values
        value = literal.name
        pads = type_name(column) == "character"
        if value in allowed or (pads and value.rstrip(" ") in {each.rstrip(" ") for each in allowed}):
            return
        if _as_number(value) is not None and _as_number(value) in map(_as_number, allowed):
            return
        meant = nearest(value, allowed)
        self._names.notes.report(
            offset_of(literal),
            "value_not_allowed" if is_error else "unlisted_value",
            f"{origin[0].schema}.{origin[0].table}.{origin[1].name} never holds this value;"
            f" it may hold {_listed(allowed)}",
            _literal(meant) if meant is not None else None,
        )

    def _check_type(self, use: Use, literal: exp.Expr, *, is_like: bool = False) -> bool:
        """Report a literal that the type of a column refuses."""
        if not self._is_postgres:
            return False
        name = type_name(use[1])
        if name in self._labels and not is_like:
            return self._check_label(literal, self._labels[name], name)
        family = self._types.family_of(use[1])
        if family is None and name not in self._labels:
            return False
        why, suggestion = None, None
        if is_like:
            why = "LIKE compares texts only" if family != "text" else None
        elif not literal.args.get("is_string"):
            if family != "number":
                why = "it cannot be compared with a number"
                suggestion = _literal(literal.name) if family == "text" else None
        elif not _is_of(literal.name, name, family):
            why = "this text is no such value"
        if why is None:
            return False
        message = f"{use[1].name} is of type {name or family}: {why}"
        self._names.notes.report(offset_of(literal), "value_not_allowed", message, suggestion)
        return True

    def _check_families(self, left: exp.Expr, right: exp.Expr, node: exp.Expr) -> None:
        """Report two expressions that the server cannot compare."""
        families = [self._types.family(each) for each in (left, right)]
        if None in families or families[0] == families[1]:
            return
        names = [self._shown(each, family) for each, family in zip((left, right), families, strict=True)]
        self._names.notes.report(
            offset_of(node), "value_not_allowed", f"{names[0]} cannot be compared with {names[1]}; cast one of them"
        )

    def _shown(self, node: exp.Expr, family: str | None) -> str:
        use = self._names.uses.get(id(node.unnest()))
        return f"{use[1].name} ({type_name(use[1]) or family})" if use is not None else f"a value of type {family}"


def _keeps_equal_rows(node: exp.Expr) -> bool:
    """Whether a condition is `=` or IN, and not negated: with a value that never occurs, it is never true."""
    above: exp.Expr | None = node.parent
    while isinstance(above, exp.Paren):
        above = above.parent
    return isinstance(node, exp.EQ | exp.In) and not isinstance(above, exp.Not)


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


def _is_of(text: str, name: str, family: Family | None) -> bool:
    """Whether a type may hold the value that a text says; true if that is not certain."""
    if name in INTEGERS:
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


def _listed(values: Sequence[str]) -> str:
    return ", ".join(map(repr, values[:_MOST_VALUES])) + (", ..." if len(values) > _MOST_VALUES else "")


def _literal(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
