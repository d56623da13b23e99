"""CASE expressions that label the values of one column: `CASE status WHEN 0 THEN 'draft' WHEN 1 THEN 'sent' END`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from tribal.sql.parsing import exp
from tribal.sql.references import ColumnName, ValueLabel

_MAX_CHARS = 120
"""A longer text is no label. Source: as comments in compact DDL (X8)."""
_WRAPPERS = (exp.Paren, exp.Cast, exp.TryCast)
_PARTIAL = (exp.Case, exp.If, exp.DecodeCase, exp.Binary, exp.Concat, exp.ConcatWs)
"""Around a CASE, they make its labels conditional, or parts of a longer text."""
_WORD = re.compile(r"[^\W\d_]{2}")


@dataclass(frozen=True, slots=True)
class LabelledValue:
    """A value that a column is compared with, and the label that the query shows instead."""

    value: exp.Literal
    label: exp.Literal

    @property
    def written(self) -> str:
        """The value as the column holds it."""
        return f"-{self.value.name}" if isinstance(self.value.parent, exp.Neg) else self.value.name


@dataclass(frozen=True, slots=True)
class LabelCase:
    """A CASE that labels values of a column."""

    node: exp.Expr
    column: exp.Column
    values: Sequence[LabelledValue]


def label_cases(tree: exp.Expr) -> Iterator[LabelCase]:
    """The CASE expressions in a tree that label values of one column each.

    A label that several values share groups them and is left out, and so is a single value next to an ELSE with a
    label of its own. A CASE that compares the column by anything but equality, or that returns anything but texts,
    labels nothing.
    """
    for node in tree.find_all(exp.Case, exp.DecodeCase):
        if not _is_partial(node) and (found := _labels_of(node)) is not None:
            yield found


def without_rivals(cases: Iterable[Sequence[ValueLabel]]) -> list[ValueLabel]:
    """The labels of several CASEs, each value of a column once.

    Where they contradict, the CASE that labels more values is the one that says what they mean, and others only group
    them for another purpose. Of two that label as many, neither counts.
    """
    found: dict[tuple[ColumnName, str], tuple[int, ValueLabel | None]] = {}
    for case in sorted(cases, key=len, reverse=True):
        for each in case:
            size, earlier = found.setdefault((each.column, each.value), (len(case), each))
            if earlier is not None and size == len(case) and normalized(earlier.text) != normalized(each.text):
                found[each.column, each.value] = (size, None)
    return [each for _, each in found.values() if each is not None]


def normalized(label: str) -> list[str]:
    """The words of a label, whatever separates them."""
    return re.findall(r"[^\W_]+", label.casefold())


def unwrapped(node: exp.Expr) -> exp.Expr:
    """An expression without casts and parentheses around it."""
    while isinstance(node, _WRAPPERS):
        node = node.this
    return node


def _is_partial(node: exp.Expr) -> bool:
    around = node.parent
    while around is not None and not isinstance(around, exp.Query):
        if isinstance(around, _PARTIAL):
            return True
        around = around.parent
    return False


def _labels_of(node: exp.Expr) -> LabelCase | None:
    found: list[tuple[exp.Column, LabelledValue]] = []
    others: list[exp.Expr] = []
    branches, default = _decoded(node) if isinstance(node, exp.DecodeCase) else _branches(node)
    for conditions, result in branches:
        label = unwrapped(result)
        if not isinstance(label, exp.Null) and not _is_text(label):
            return None
        for one, other in conditions:
            column, value = unwrapped(one), _literal(other)
            if not isinstance(column, exp.Column) or value is None:
                others.append(one)
            elif isinstance(label, exp.Literal):
                found.append((column, LabelledValue(value, label)))
    otherwise = exp.null() if default is None else unwrapped(default)
    if not found or any(one != other for (one, _), (other, _) in pairwise(found)):
        return None
    if any(found[0][0] in each.find_all(exp.Column) and not isinstance(each, exp.Is) for each in others):
        return None
    if not isinstance(otherwise, exp.Null) and not _is_text(otherwise) and otherwise != found[0][0]:
        return None
    shared = Counter(tuple(normalized(each.label.name)) for _, each in found)
    values = [each for _, each in found if shared[tuple(normalized(each.label.name))] == 1 and _is_telling(each)]
    has_other_label = _is_text(otherwise) and otherwise.name != ""
    return LabelCase(node, found[0][0], values) if len(values) > has_other_label else None


_Branches = list[tuple[Sequence[tuple[exp.Expr, exp.Expr]], exp.Expr]]
"""What must be equal, each pair enough, and the result."""


def _branches(case: exp.Expr) -> tuple[_Branches, exp.Expr | None]:
    """The branches of a CASE, and its ELSE; a condition that is no equality has the pair of itself and itself."""
    found: _Branches = [
        (_equalities(each.this) if case.this is None else [(case.this, each.this)], each.args["true"])
        for each in case.args["ifs"]
    ]
    return found, case.args.get("default")


def _decoded(decode: exp.Expr) -> tuple[_Branches, exp.Expr | None]:
    column, *rest = decode.expressions
    pairs = zip(rest[::2], rest[1::2], strict=False)
    return [([(column, value)], result) for value, result in pairs], rest[-1] if len(rest) % 2 else None


def _equalities(condition: exp.Expr) -> list[tuple[exp.Expr, exp.Expr]]:
    """What a condition equates: `a = 1`, `a IN (1, 2)`, `a = ANY (ARRAY[1, 2])`, or several of these with OR."""
    while isinstance(condition, exp.Paren):
        condition = condition.this
    if isinstance(condition, exp.Or):
        return [*_equalities(condition.this), *_equalities(condition.expression)]
    if isinstance(condition, exp.In) and condition.expressions:
        return [(condition.this, each) for each in condition.expressions]
    if isinstance(condition, exp.EQ):
        array = unwrapped(condition.expression.this) if isinstance(condition.expression, exp.Any) else None
        if isinstance(array, exp.Array):
            return [(condition.this, each) for each in array.expressions]
        return [(condition.this, condition.expression)]
    return [(condition, condition)]


def _literal(node: exp.Expr) -> exp.Literal | None:
    node = unwrapped(node)
    inner = unwrapped(node.this) if isinstance(node, exp.Neg) else node
    return inner if isinstance(inner, exp.Literal) else None


def _is_text(node: exp.Expr) -> bool:
    return isinstance(node, exp.Literal) and node.is_string


def _is_telling(each: LabelledValue) -> bool:
    label, value = each.label.name, each.value.name
    is_short = len(label) <= _MAX_CHARS and 0 < len(value) <= _MAX_CHARS and "\n" not in label
    return is_short and bool(_WORD.search(label)) and normalized(label) != normalized(value)
