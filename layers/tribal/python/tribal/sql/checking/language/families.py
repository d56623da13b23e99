"""What kind of value an expression has, and operators that PostgreSQL lacks for such values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from tribal.sql.checking.names import Names, offset_of
from tribal.sql.checking.relations import Column, Family, Relation
from tribal.sql.parsing import exp

INTEGERS = frozenset("smallint integer bigint int int2 int4 int8".split())
_NUMBERS = INTEGERS | frozenset(("numeric", "decimal", "real", "double precision", "float", "float4", "float8"))
_TEXTS = frozenset(("text", "character varying", "character", "varchar", "char", "bpchar"))
_TIMES = frozenset(("date", "timestamp without time zone", "timestamp with time zone", "timestamp", "timestamptz"))
_FAMILIES: dict[str, Family] = {
    **dict.fromkeys(_NUMBERS, "number"),
    **dict.fromkeys(_TEXTS, "text"),
    **dict.fromkeys(_TIMES, "time"),
    "boolean": "boolean",
    "uuid": "uuid",
}
_LENGTH = re.compile(r"\([\d\s,]*\)")
_CONDITIONS = (
    *(exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.NullSafeEQ, exp.NullSafeNEQ, exp.Is),
    *(exp.In, exp.Between, exp.Like, exp.ILike, exp.Exists, exp.And, exp.Or, exp.Not, exp.Boolean),
)
_GIVING_TEXT = (
    *(exp.Upper, exp.Lower, exp.Initcap, exp.Trim, exp.Concat, exp.GroupConcat, exp.Replace, exp.TimeToStr),
    *(exp.JSONExtractScalar, exp.JSONBExtractScalar),
)
_GIVING_NUMBERS = (exp.Count, exp.Length, exp.Extract, exp.RowNumber, exp.Rank, exp.DenseRank)
_GIVING_TIMES = (exp.CurrentDate, exp.CurrentTimestamp)
_ARITHMETIC = (exp.Add, exp.Sub, exp.Mul, exp.Div)
_OF_TEXT = (exp.Upper, exp.Lower, exp.Initcap, exp.Trim, exp.Length, exp.Replace)
_OF_NUMBERS = (exp.Abs, exp.Round, exp.Ceil, exp.Floor, exp.Sqrt, exp.Ln, exp.Exp, exp.Sum, exp.Avg)
_COMMON = (exp.Coalesce, exp.Nullif, exp.Greatest, exp.Least)


def type_name(column: Column) -> str:
    """The type of a column of a table, without its length; empty if it is not known."""
    return plain_type(column.origin[1].type) if column.origin is not None else ""


def plain_type(name: str) -> str:
    """A type without its length."""
    return _LENGTH.sub("", name.lower()).strip()


def family_of_type(name: str) -> Family | None:
    """The family of a type that is without its length."""
    return _FAMILIES.get(name)


def alternatives(node: exp.Expr) -> list[exp.Expr]:
    """The expressions of which a CASE, COALESCE or the like returns one, so that they have one type."""
    if isinstance(node, exp.Case):
        results = [branch.args.get("true") for branch in node.args.get("ifs") or ()]
        return [each for each in (*results, node.args.get("default")) if each is not None]
    if isinstance(node, exp.Nullif):
        return [node.this, node.expression]
    return [node.this, *node.expressions] if isinstance(node, _COMMON) else []


class Types:
    """Infers families; `None` wherever that is not certain.

    Args:
        names: the columns that names mean.
        results: of the queries that are read already, by the id of their node.
    """

    def __init__(self, names: Names, results: Mapping[int, Relation]) -> None:
        self._names = names
        self._results = results
        self._known: dict[int, Family | None] = {}

    def infer(self, tree: exp.Expr) -> Family | None:
        """The family of an expression whose names are resolved; inner parts first, so that nothing recurses deeply."""
        for node in reversed(list(tree.walk())):
            self.family(node)
        return self.family(tree)

    def family(self, node: exp.Expr) -> Family | None:
        """The family of the values of an expression."""
        node = node.unnest()
        if id(node) not in self._known:
            self._known[id(node)] = self._infer(node)
        return self._known[id(node)]

    def _infer(self, node: exp.Expr) -> Family | None:
        if isinstance(node, exp.Column | exp.Dot):
            use = self._names.uses.get(id(node))
            return None if use is None else self.family_of(use[1])
        if isinstance(node, exp.Cast):
            return _FAMILIES.get(plain_type(node.to.sql("postgres")))
        if isinstance(node, exp.Literal):
            return None if node.is_string else "number"
        if isinstance(node, _CONDITIONS):
            return "boolean"
        if isinstance(node, exp.Alias | exp.Window | exp.Filter | exp.Min | exp.Max):
            return self.family(node.this)
        if isinstance(node, _ARITHMETIC):
            both = {self.family(node.this), self.family(node.expression)}
            return "number" if both == {"number"} else None
        if isinstance(node, exp.DPipe):
            return "text" if "text" in (self.family(node.this), self.family(node.expression)) else None
        if isinstance(node, exp.Query):
            result = self._results.get(id(node))
            return self.family_of(result.columns[0]) if result is not None and len(result.columns) == 1 else None
        if parts := alternatives(node):
            return next(filter(None, map(self.family, parts)), None)
        return self._of_call(node)

    def family_of(self, column: Column) -> Family | None:
        """The family of the values of a column."""
        return column.family or _FAMILIES.get(type_name(column))

    def _of_call(self, node: exp.Expr) -> Family | None:
        if isinstance(node, _GIVING_TEXT):
            return "text"
        if isinstance(node, _GIVING_TIMES):
            return "time"
        if isinstance(node, exp.Sum | exp.Avg | exp.Abs | exp.Round):
            return "number" if self.family(node.this) == "number" else None
        return "number" if isinstance(node, _GIVING_NUMBERS) else None

    def check(self, tree: exp.Expr) -> None:
        """Report operators, functions and conditions over values that they do not take."""
        self.infer(tree)
        for node in tree.walk():
            if isinstance(node, _ARITHMETIC):
                self._check_arithmetic(node)
            elif isinstance(node, exp.Max | exp.Min) and self.family(node.this) == "boolean":
                self._report(node, f"{node.key.upper()} takes no booleans; use bool_or or bool_and")
            elif parts := alternatives(node):
                families = {family for each in parts if (family := self.family(each)) is not None}
                if len(families) > 1:
                    self._report(node, f"{node.key.upper()} must have results of one type; cast them")
            elif isinstance(node, exp.DPipe):
                self._check_concatenation(node)
            elif isinstance(node, _OF_TEXT):
                self._check_argument(node, "text", "texts")
            elif isinstance(node, _OF_NUMBERS):
                self._check_argument(node, "number", "numbers")
            elif isinstance(node, exp.Neg) and self.family(node.this) not in (None, "number"):
                self._report(node, "only numbers and intervals have a sign")
            elif isinstance(node, exp.Extract) and self.family(node.expression) not in (None, "time"):
                self._report(node.expression, "EXTRACT takes a date or a time; cast this to one")
            elif isinstance(node, exp.TimeToStr) and self.family(node.this) not in (None, "time", "number"):
                self._report(node.this, "TO_CHAR takes a date, a time or a number; cast this to one")
            for condition in _conditions(node):
                self._check_condition(condition)

    def check_union(self, node: exp.SetOperation, one: Relation, other: Relation) -> None:
        """Report columns of two queries on top of each other whose values cannot be of one type."""
        for place, (mine, theirs) in enumerate(zip(one.columns, other.columns, strict=False), 1):
            families = self.family_of(mine), self.family_of(theirs)
            if None not in families and families[0] != families[1] and not (one.is_open or other.is_open):
                message = (
                    f"both sides of {node.key.upper()} must have the same types, but column {place} of them differs"
                )
                self._names.notes.report(offset_of(node.expression), "parse_error", message)

    def _check_arithmetic(self, node: exp.Expr) -> None:
        families = [self.family(node.this), self.family(node.expression)]
        if all(
            isinstance(each.unnest(), exp.Literal) and each.unnest().is_string for each in (node.this, node.expression)
        ):
            families.append("text")
        # A key or an element is taken from JSON by `-`.
        if "text" in families and (not isinstance(node, exp.Sub) or families[0] == "text"):
            if isinstance(node, exp.Add):
                self._report(node, "texts are not added by +; write ||, or cast the text to a number")
            else:
                self._report(node, "this operator takes no texts; cast the text to a number")
        elif "boolean" in families:
            self._report(node, "this operator takes no booleans; use CASE, or cast the condition to integer")

    def _check_concatenation(self, node: exp.Expr) -> None:
        families = [self.family(node.this), self.family(node.expression)]
        if None not in families and "text" not in families:
            self._report(node, "|| takes a text on one side at least; cast one of them to text")

    def _check_argument(self, node: exp.Expr, wanted: Family, shown: str) -> None:
        if isinstance(node.this, exp.Expr) and not isinstance(node.parent, exp.Dot):
            family = self.family(node.this)
            if family not in (None, wanted):
                self._report(node.this, f"{node.key.upper()} takes {shown}: this is of another type")

    def _check_condition(self, node: exp.Expr) -> None:
        if self.family(node) not in (None, "boolean"):
            self._report(node, "this is no condition: it is not true or false")

    def _report(self, node: exp.Expr, message: str) -> None:
        self._names.notes.report(offset_of(node), "value_not_allowed", message)


def _conditions(node: exp.Expr) -> Iterator[exp.Expr]:
    """The operands of a node that must be conditions."""
    if isinstance(node, exp.Where | exp.Having | exp.Not):
        yield node.this
    elif isinstance(node, exp.And | exp.Or):
        yield from (node.this, node.expression)
    elif isinstance(node, exp.Join) and node.args.get("on") is not None:
        yield node.args["on"]
    elif isinstance(node, exp.Is) and isinstance(node.expression, exp.Boolean):
        yield node.this
    elif isinstance(node, exp.Case) and node.this is None:
        yield from (branch.this for branch in node.args.get("ifs") or ())
