"""What the conditions of one SELECT say of its relations: which columns are equal, and which relations are linked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tribal.sql.checking.names import Names
from tribal.sql.checking.relations import Item, Relation, Use
from tribal.sql.checking.sources import Joined
from tribal.sql.parsing import conjuncts_of, exp

Place = tuple[Relation, str]
"""A column of a relation, by name."""


class Classes:
    """Columns that are equal in each row: disjoint sets."""

    def __init__(self) -> None:
        self._parents: dict[Place, Place] = {}

    def of(self, place: Place) -> Place:
        """The representative of all columns that are equal to one."""
        root = place
        while (above := self._parents.get(root, root)) != root:
            root = above
        while place != root:
            self._parents[place], place = root, self._parents.get(place, root)
        return root

    def unite(self, one: Place, other: Place) -> None:
        """Note that two columns are equal."""
        self._parents[self.of(one)] = self.of(other)


@dataclass(frozen=True, slots=True)
class Equality:
    """Two columns of different relations that are equal.

    Attributes:
        node: which says so; `None` for USING and NATURAL.
    """

    one: Use
    other: Use
    node: exp.Expr | None


@dataclass(slots=True)
class Selection:
    """A SELECT.

    Attributes:
        conjuncts: conditions that all hold for every row of its result.
        constant: places of columns that have one value in all rows.
        links: relations that a condition compares with each other.
    """

    node: exp.Select
    item: Item
    conjuncts: list[exp.Expr] = field(default_factory=list)
    equalities: list[Equality] = field(default_factory=list)
    classes: Classes = field(default_factory=Classes)
    constant: set[Place] = field(default_factory=set)
    links: list[set[Relation]] = field(default_factory=list)

    @classmethod
    def of(cls, node: exp.Select, item: Item, joined: Joined, names: Names) -> Selection:
        """Read the conditions of a query whose names are resolved."""
        found = cls(node, item)
        where = node.args.get("where")
        for condition in (*joined.conditions, *([where.this] if where is not None else [])):
            found.conjuncts += conjuncts_of(condition)
        for one, other in joined.merged:
            found._equate(Equality(one, other, None))
        for conjunct in found.conjuncts:
            found._read(conjunct, names)
        return found

    def is_constant(self, place: Place) -> bool:
        """Whether a column has one value in all rows."""
        return any(self.classes.of(each) == self.classes.of(place) for each in self.constant)

    def _read(self, conjunct: exp.Expr, names: Names) -> None:
        own = set(map(id, self.item.every))
        uses = [names.uses[id(each)] for each in conjunct.find_all(exp.Column) if id(each) in names.uses]
        self.links.append({relation for relation, _ in uses if id(relation) in own})
        if not isinstance(conjunct, exp.EQ | exp.NullSafeEQ):
            return
        one, other = column_of(conjunct.this, names), column_of(conjunct.expression, names)
        if one is not None and other is not None:
            if one[0] is not other[0]:
                self._equate(Equality(one, other, conjunct))
        elif one is not None and not list(conjunct.expression.find_all(exp.Column)):
            self.constant.add((one[0], one[1].name))
        elif other is not None and not list(conjunct.this.find_all(exp.Column)):
            self.constant.add((other[0], other[1].name))

    def _equate(self, equality: Equality) -> None:
        self.equalities.append(equality)
        one, other = equality.one, equality.other
        self.classes.unite((one[0], one[1].name), (other[0], other[1].name))
        self.links.append({one[0], other[0]})
        for mine, theirs in ((one, other), (other, one)):
            # A column of a query around this one has one value in all its rows.
            if theirs[0] not in self.item.every and mine[0] in self.item.every:
                self.constant.add((mine[0], mine[1].name))


def column_of(node: exp.Expr, names: Names) -> Use | None:
    """The column that an expression is, with or without casts and parentheses."""
    while isinstance(node, exp.Paren | exp.Cast):
        node = node.this
    return names.uses.get(id(node))


def uses_in(nodes: Sequence[exp.Expr], names: Names) -> Iterator[Use]:
    """The columns in expressions, without those of the queries in them."""
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        if id(node) in names.uses:
            yield names.uses[id(node)]
        elif not isinstance(node, exp.Query):
            waiting += node.iter_expressions()
