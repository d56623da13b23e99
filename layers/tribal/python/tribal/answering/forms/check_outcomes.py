"""Whether a check rules out what a question describes, as far as that follows from columns that are empty or negative.

It needs syntax trees, so it is imported where a check decides.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

from tribal.answering.matches import AskedWord, ColumnMatch, NamedThing, TableMatch
from tribal.naming import STOP_WORDS, singular, split_identifier
from tribal.questions.words import question_words
from tribal.sql.parsing import NotParsed, exp, parse_query
from tribal_contracts import DatabaseType

_NEGATIVE = re.compile(r"\bnegative\b|\b(?:below|under|less than) (?:zero|0)\b", re.IGNORECASE)
_COMPARED = re.compile(
    r"\b(?:(?P<less>before|earlier than|less than|lower than|smaller than|below|under)"
    r"|after|later than|more than|greater than|higher than|larger than|above|exceeds?|over)\b",
    re.IGNORECASE,
)
_ZERO = re.compile(r"\bzero\b|\b0\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Row:
    """What a question says of a row: which columns are empty, which are filled, and their number."""

    empty: Set[str]
    filled: Set[str]
    values: Mapping[str, Sequence[str]]
    """The values that the question names, by column."""
    number: float | None
    order: Mapping[str, int]
    """Of columns that the question compares: their place from the least."""


def is_ruled_out(
    expression: str, question: str, match: TableMatch, negated: Set[str] = frozenset(), number_of: str = ""
) -> bool:
    """Whether no row as a question describes it can meet a check.

    Args:
        expression: the condition of the check.
        question: as it was asked.
        match: the table, with the words of the question in it.
        negated: the words that the question denies, such as "departed" in "without having departed".
        number_of: the column whose number the question is about, if it names none.
    """
    condition = _parsed(expression, match.table.database_type)
    if condition is None:
        return False
    read = {each.name for each in condition.find_all(exp.Column)}
    named = {each.column.name: each for each in match.columns if each.is_named and each.column.name in read}
    empty = {name for name, each in named.items() if each.about & negated}
    values = {each.column.name: each.values for each in match.columns if each.values}
    filled = (named.keys() | {number_of}) - empty
    return _value(condition, _Row(empty, filled, values, number_asked(question), _order(question, named))) is False


def number_asked(question: str) -> float | None:
    """The number that a question asks about: less than zero, or zero; `None` without one."""
    return -1.0 if _NEGATIVE.search(question) else 0.0 if _ZERO.search(question) else None


def _order(question: str, named: Mapping[str, ColumnMatch]) -> dict[str, int]:
    """The order of two columns of which a question says that one comes before or after the other."""
    found = _COMPARED.search(question)
    if found is None:
        return {}
    parts = question.split(found[0], 1)
    # "An order" names the table; that it was ordered names a column.
    tables = {singular(word) for each in named.values() for word in split_identifier(each.table.table)}
    sides = [
        [AskedWord.of(each.text, {}) for each in question_words(part) if each.text not in tables | STOP_WORDS]
        for part in parts
    ]
    first, second = ([name for name in named if NamedThing.of(name).found(side)] for side in sides)
    first, second = [each for each in first if each not in second], [each for each in second if each not in first]
    if len(first) != 1 or len(second) != 1:
        return {}
    pair = (first[0], second[0]) if found["less"] else (second[0], first[0])
    return {name: place for place, name in enumerate(pair)}


def _parsed(expression: str, kind: DatabaseType) -> exp.Expr | None:
    try:
        query = parse_query(f"SELECT 1 FROM t WHERE {expression}", kind)  # noqa: S608 - it is parsed, and never run
    except NotParsed:
        return None
    where = query.find(exp.Where)
    return None if where is None else where.this


def _value(node: exp.Expr, row: _Row) -> bool | None:
    """The value of a condition; `None` if it is unknown, or NULL."""
    if isinstance(node, exp.Paren):
        return _value(node.this, row)
    if isinstance(node, exp.Not):
        inner = _value(node.this, row)
        return None if inner is None else not inner
    if isinstance(node, (exp.And, exp.Or)):
        both = (_value(node.left, row), _value(node.right, row))
        decides = isinstance(node, exp.Or)
        return decides if decides in both else None if None in both else not decides
    if isinstance(node, exp.Is) and isinstance(node.expression, exp.Null):
        return _is_empty(node.this, row)
    if isinstance(node, exp.Binary):
        return _compared(node, row)
    return None


def _is_empty(node: exp.Expr, row: _Row) -> bool | None:
    name = node.name if isinstance(node, exp.Column) else ""
    return True if name in row.empty else False if name in row.filled else None


_COMPARISONS: Mapping[type[exp.Expr], tuple[bool, bool, bool]] = {
    exp.GT: (False, False, True),
    exp.GTE: (False, True, True),
    exp.LT: (True, False, False),
    exp.LTE: (True, True, False),
    exp.EQ: (False, True, False),
    exp.NEQ: (True, False, True),
}
"""What each comparison says where its left side is less, equal and greater."""


def _compared(node: exp.Binary, row: _Row) -> bool | None:
    outcomes = _COMPARISONS.get(type(node))
    one, other = _bare(node.left), _bare(node.right)
    if isinstance(one, exp.Column) and isinstance(other, exp.Literal) and one.name in row.values:
        values = row.values[one.name]
        equal = other.name in values
        return equal if isinstance(node, exp.EQ) else not equal if isinstance(node, exp.NEQ) else None
    if isinstance(node, (exp.EQ, exp.NEQ)) and isinstance(one, (exp.Is, exp.Not, exp.And, exp.Or)):
        states = (_value(one, row), _value(other, row))
        return None if None in states else (states[0] == states[1]) == isinstance(node, exp.EQ)
    if {one.name, other.name} <= row.order.keys() and outcomes is not None:
        return outcomes[_sign(row.order[one.name] - row.order[other.name]) + 1]
    left, right = _number(one, row), _number(other, row)
    if outcomes is None or left is None or right is None:
        return None
    return outcomes[_sign(left - right) + 1]


def _sign(number: float) -> int:
    return (number > 0) - (number < 0)


def _bare(node: exp.Expr) -> exp.Expr:
    while isinstance(node, (exp.Paren, exp.Cast)):
        node = node.this
    return node


def _number(node: exp.Expr, row: _Row) -> float | None:
    if isinstance(node, exp.Column):
        return row.number if node.name in row.filled else None
    if isinstance(node, exp.Anonymous) and node.name.lower() in ("num_nonnulls", "num_nulls"):
        states = [_is_empty(each, row) for each in node.expressions]
        if None in states:
            return None
        return float(states.count(node.name.lower() == "num_nulls"))
    sign = -1.0 if isinstance(node, exp.Neg) else 1.0
    literal = node.this if isinstance(node, exp.Neg) else node
    return sign * float(literal.name) if isinstance(literal, exp.Literal) and not literal.is_string else None
