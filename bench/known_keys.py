"""What is known of inferred keys that no schema declares, so that precision is not only a lower bound.

Nothing here is shown to what infers them: declared keys are hidden from it, and questions are read afterwards.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from tribal.identity.table_names import TableIdentity
from tribal.joins.outline import TableOutline
from tribal.sql.type_families import key_family

Key = tuple[str, str, frozenset[tuple[str, str]]]
"""A table, the one that it references, and the pairs of columns."""
ColumnPair = frozenset[str]
"""Two columns that are joined, as `schema.table.column` in lower case, or one that is joined with itself."""


@dataclass(frozen=True, slots=True)
class Decided:
    """How many of some inferred pairs of columns are known to be joined, and of how many that could be said at all."""

    pairs: int
    joined: int
    """Those that some question's SQL joins by; over `pairs` it is the strict precision, a lower bound."""
    implied: int
    """Others that such joins imply: of `a = b` and `b = c`, `a = c`."""
    declared: int
    """Others that a schema declares: the same, where its keys were hidden, or another edition of it."""
    decidable: int
    """Pairs whose two tables some question joins, by these columns or others."""
    decided_right: int
    """Those of them that are joined or implied; others may be true too, such as a second key to the same table."""

    @property
    def strict(self) -> float:
        """Share that questions join by."""
        return self.joined / max(1, self.pairs)

    @property
    def known(self) -> float:
        """Share that is joined by, implied or declared: a lower bound still."""
        return (self.joined + self.implied + self.declared) / max(1, self.pairs)

    @property
    def decidable_precision(self) -> float:
        """Share of the decidable ones that are joined or implied; says nothing of pairs between other tables."""
        return self.decided_right / max(1, self.decidable)


def decided(
    inferred: Collection[ColumnPair], joined: Collection[ColumnPair], declared: Collection[ColumnPair]
) -> Decided:
    """Compare inferred pairs with those that questions join by and schemas declare."""
    implied = set(_implied(inferred, joined))
    tables = set(map(_tables, joined))
    decidable = {pair for pair in inferred if _tables(pair) in tables}
    right = {pair for pair in inferred if pair in joined}
    return Decided(
        pairs=len(inferred),
        joined=len(right),
        implied=len(implied),
        declared=sum(pair in declared for pair in inferred if pair not in right | implied),
        decidable=len(decidable),
        decided_right=len(decidable & (right | implied)),
    )


def column_pairs(keys: Iterable[Key], schema: str | None = None) -> Iterator[tuple[str, str]]:
    """The referencing and the referenced column of each key, with the name of its schema or this one."""
    for child, parent, columns in keys:
        here, there = TableIdentity.parse(child), TableIdentity.parse(parent)
        for own, other in columns:
            yield (
                f"{schema or here.schema}.{here.table}.{own}".lower(),
                f"{schema or there.schema}.{there.table}.{other}".lower(),
            )


def evident(found: Iterable[Key], declared: Collection[Key], tables: Sequence[TableOutline]) -> set[Key]:
    """The undeclared keys for which the declared ones speak.

    Either another table of the schema declares that a column of the same name and type references the same column, or
    the table declares a key of several columns that has this pair among them.
    """
    families = {(table.name, column.name): key_family(column.type) for table in tables for column in table.columns}

    def sayings(key: Key) -> Iterator[tuple[object, ...]]:
        child, parent, columns = key
        for own, other in columns:
            yield TableIdentity.parse(child).schema, own.lower(), families.get((child, own)), parent, other

    single = {saying for key in declared if len(key[2]) == 1 for saying in sayings(key)}
    parts = {(child, parent, pair) for child, parent, columns in declared if len(columns) > 1 for pair in columns}
    return {
        key
        for key in found
        if key not in declared
        and len(key[2]) == 1
        and (single.issuperset(sayings(key)) or all((key[0], key[1], pair) in parts for pair in key[2]))
    }


def _implied(inferred: Collection[ColumnPair], joined: Iterable[ColumnPair]) -> Iterator[ColumnPair]:
    """The pairs that are equal wherever the joined ones are, but are none of them."""
    joined = set(joined)
    equal: dict[str, set[str]] = {}
    for pair in joined:
        together = set(pair).union(*(equal.get(column, ()) for column in pair))
        equal.update(dict.fromkeys(together, together))
    for pair in inferred:
        one, *others = sorted(pair)
        if pair not in joined and others and others[0] in equal.get(one, ()):
            yield pair


def _tables(pair: ColumnPair) -> frozenset[str]:
    return frozenset(column.rpartition(".")[0] for column in pair)
