"""Whether joins follow keys, declared or inferred, and follow all columns of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from tribal.sql.checking.keys import KeyIndex, OfTable, Pair
from tribal.sql.checking.known import KnownTables
from tribal.sql.checking.names import Names, offset_of, written
from tribal.sql.checking.relations import Relation, Use
from tribal.sql.checking.selection import Equality, Selection, column_of
from tribal.sql.parsing import exp


class JoinKeys:
    """Checks the joins of queries.

    Args:
        known: has the keys.
        names: the columns that names mean.
        results: of the queries that are read already, by the id of their node.
    """

    def __init__(self, known: KnownTables, names: Names, results: Mapping[int, Relation]) -> None:
        self._known = known
        self._names = names
        self._results = results

    @cached_property
    def _keys(self) -> KeyIndex:
        return self._known.keys()

    def check(self, selection: Selection) -> None:
        """Report joins without a key, with a part of one, and without any condition."""
        between: dict[tuple[Relation, Relation], list[Equality]] = {}
        for each in (*selection.equalities, *self._memberships(selection)):
            one, other = sorted((each.one[0], each.other[0]), key=id)
            between.setdefault((one, other), []).append(each)
        for equalities in between.values():
            followed = [each for each in equalities if self._follows_key(each)]
            for each in [] if followed else equalities:
                self._report_without_key(each)
            if followed:
                self._check_parts(followed, selection)
        self._check_unlinked(selection)

    def _memberships(self, selection: Selection) -> Iterator[Equality]:
        """What `x IN (SELECT y ...)` equates."""
        for node in selection.conjuncts:
            if isinstance(node, exp.Not):
                node = node.this
            query = node.args.get("query") if isinstance(node, exp.In) else None
            result = self._results.get(id(query)) if query is not None else None
            one = column_of(node.this, self._names) if result is not None else None
            if one is not None and result is not None and len(result.columns) == 1 and not result.is_open:
                yield Equality(one, (result, result.columns[0]), node)

    def _follows_key(self, equality: Equality) -> bool:
        one, other = _origin(equality.one), _origin(equality.other)
        if one is None or other is None:
            return True
        return one == other or self._keys.class_of(one) == self._keys.class_of(other)

    def _report_without_key(self, equality: Equality) -> None:
        names = [self._shown(use) for use in (equality.one, equality.other)]
        suggestion = self._suggestion(equality)
        self._names.notes.report(
            offset_of(equality.node) if equality.node is not None else equality.other[0].offset,
            "join_without_key",
            f"no declared or inferred key joins {names[0]} with {names[1]}",
            suggestion,
        )

    def _suggestion(self, equality: Equality) -> str | None:
        """The columns of a key between both tables."""
        one, other = equality.one[0].table, equality.other[0].table
        if one is None or other is None:
            return None
        relations = {one.name: equality.one[0], other.name: equality.other[0]}
        for from_, to, pairs in self._keys.between(one.name, other.name):
            if len(relations) == 2:
                return " AND ".join(
                    f"{self._column(relations[from_], mine)} = {self._column(relations[to], their)}"
                    for mine, their in pairs
                )
        return None

    def _check_parts(self, followed: Sequence[Equality], selection: Selection) -> None:
        """Report a composite key of which only some columns are joined, if no key is joined as a whole."""
        first = followed[0]
        origins = [_origin(first.one), _origin(first.other)]
        if origins[0] is None or origins[1] is None or first.one[0].table is None or first.other[0].table is None:
            return
        sides = {origins[0][0]: first.one[0], origins[1][0]: first.other[0]}
        if len(sides) < 2:
            return
        keys = list(self._keys.between(*sides)) or list(self._keys.siblings(*sides))
        joined = [
            [self._is_joined(sides[from_], sides[to], pair, selection) for pair in pairs] for from_, to, pairs in keys
        ]
        if any(map(all, joined)):
            return
        used = {frozenset((origin, other)) for origin, other in map(_pair_of, followed)}
        for (from_, to, pairs), is_joined in zip(keys, joined, strict=True):
            if any(frozenset(((from_, mine), (to, their))) in used for mine, their in pairs):
                left = [
                    f"{self._column(sides[from_], mine)} = {self._column(sides[to], their)}"
                    for (mine, their), done in zip(pairs, is_joined, strict=True)
                    if not done
                ]
                self._names.notes.report(
                    offset_of(first.node) if first.node is not None else first.other[0].offset,
                    "partial_key",
                    f"{sides[from_].shown} and {sides[to].shown} are joined by a part of their key only:"
                    f" {' and '.join(left)} is missing, so rows are combined that do not belong together",
                    f"AND {' AND '.join(left)}",
                )
                return

    def _is_joined(self, one: Relation, other: Relation, pair: Pair, selection: Selection) -> bool:
        mine, theirs = (one, pair[0]), (other, pair[1])
        classes = selection.classes
        return classes.of(mine) == classes.of(theirs) or (selection.is_constant(mine) and selection.is_constant(theirs))

    def _check_unlinked(self, selection: Selection) -> None:
        """Report relations that no condition compares with the others."""
        groups: list[set[Relation]] = []
        for link in selection.links:
            touched = [each for each in groups if each & link]
            groups = [each for each in groups if not each & link] + [link.union(*touched)]
        free = [each for each in selection.item.every if self._needs_condition(each, selection)]
        if len(free) < 2 or any(each.is_open for each in selection.item.every):
            return
        first = next((group for group in groups if free[0] in group), {free[0]})
        # Two relations that are each compared with one value are linked by it.
        fixed = {relation for relation, _ in selection.constant}
        for each in free[1:]:
            if each not in first and not (each in fixed and first & fixed):
                self._names.notes.report(
                    each.offset,
                    "join_without_key",
                    f"no condition joins {each.shown} with {free[0].shown}: every row meets every row",
                )
                return

    def _needs_condition(self, relation: Relation, selection: Selection) -> bool:
        if relation.is_joined or not relation.columns or relation not in selection.item.relations:
            return False
        return not any(all(selection.is_constant((relation, name)) for name in key) for key in relation.keys)

    def _shown(self, use: Use) -> str:
        relation, column = use
        if relation.alias or column.origin is None:
            return self._column(relation, column.name)
        return f"{column.origin[0].schema}.{column.origin[0].table}.{column.name}"

    def _column(self, relation: Relation, column: str) -> str:
        return written([relation.alias, column] if relation.alias else [column], self._known.dialect)


def _origin(use: Use) -> OfTable | None:
    origin = use[1].origin
    return (origin[0].name, origin[1].name) if origin is not None else None


def _pair_of(equality: Equality) -> Iterable[OfTable | None]:
    return _origin(equality.one), _origin(equality.other)
