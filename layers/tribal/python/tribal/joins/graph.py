"""Keys as a graph of tables, and what its shape says about each table."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from tribal.identity.table_names import TableIdentity
from tribal_contracts import InferredKey, KeyEdge


def inferred_edge(key: InferredKey) -> KeyEdge:
    """An inferred key as an edge to walk along; nothing says that its columns are never null."""
    return KeyEdge(
        name=f"{', '.join(key.from_columns)} = {', '.join(key.to_columns)}",
        from_table=key.from_table,
        from_columns=key.from_columns,
        to_table=key.to_table,
        to_columns=key.to_columns,
        nullable=True,
        source="inferred",
        confidence=key.confidence,
        evidence=key.evidence,
    )


FEW_CHILDREN = 4
"""A table that no more tables reference is no hub, however small its schema. By judgement: of ten tables, the one that
they are about is referenced by about as many."""
HUB = 0.5
"""Hubness from which a table is said to be a hub: about that of one which half of 32 tables reference. By judgement."""


@dataclass(frozen=True, slots=True)
class Hop:
    """One key, walked from the child to the parent (`to_parent`) or the other way."""

    key: KeyEdge
    to_parent: bool

    @property
    def source(self) -> str:
        """The table that the hop leaves."""
        return self.key.from_table if self.to_parent else self.key.to_table

    @property
    def target(self) -> str:
        """The table that the hop reaches."""
        return self.key.to_table if self.to_parent else self.key.from_table

    @property
    def source_columns(self) -> list[str]:
        """Columns of the table that the hop leaves."""
        return self.key.from_columns if self.to_parent else self.key.to_columns

    @property
    def target_columns(self) -> list[str]:
        """Columns of the table that the hop reaches, in pairs with `source_columns`."""
        return self.key.to_columns if self.to_parent else self.key.from_columns

    @property
    def order(self) -> tuple[str, bool, str, tuple[str, ...], tuple[str, ...]]:
        """Sort key for hops of equal cost: names, beginning with the table that is reached."""
        return (
            self.target,
            not self.to_parent,
            self.key.name,
            tuple(self.key.from_columns),
            tuple(self.key.to_columns),
        )


@dataclass(frozen=True, slots=True)
class Ties:
    """How many tables reference a table."""

    children: int = 0
    """Tables with a key to it, itself left out."""
    among: int = 0
    """Tables of its schema that have any key or are referenced by one."""
    share: float = 0.0
    """Share of the other tables of its schema that reference it."""
    parents: int = 0
    """Tables that it references, itself left out."""

    @property
    def hubness(self) -> float:
        """How much of a hub it is, by share and number of its children; 0 with few of them."""
        return self.share**2 * math.log2(self.children / FEW_CHILDREN) if self.children > FEW_CHILDREN else 0.0


_NO_TIES = Ties()


def _no_roles(_: KeyEdge) -> int:
    return 0


@dataclass(frozen=True, slots=True)
class JoinGraph:
    """Keys by the tables at either end; a self-reference is walked from child to parent only."""

    hops: Mapping[str, tuple[Hop, ...]] = field(default_factory=dict)
    """Every hop that leaves a table, in the order of the keys."""
    adjacent: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Tables one key away, in order of name, without the table itself."""
    ties: Mapping[str, Ties] = field(default_factory=dict)
    """Of each table that is referenced by another one."""
    role_words: Callable[[KeyEdge], int] = _no_roles
    """How many words of a key's columns name a role and not what is referenced."""

    @classmethod
    def of(cls, keys: Iterable[KeyEdge], role_words: Callable[[KeyEdge], int] = _no_roles) -> JoinGraph:
        """Build the graph; a key whose columns do not pair up is left out, since nothing can be joined on it.

        Args:
            keys: in any order.
            role_words: counts the words of a key's columns that name a role; of several keys between two tables, one
                without any is preferred.
        """
        leaving: defaultdict[str, list[Hop]] = defaultdict(list)
        children: defaultdict[str, set[str]] = defaultdict(set)
        parents: defaultdict[str, set[str]] = defaultdict(set)
        for key in keys:
            if not key.from_columns or len(key.from_columns) != len(key.to_columns):
                continue
            leaving[key.from_table].append(Hop(key, True))
            if key.to_table != key.from_table:
                leaving[key.to_table].append(Hop(key, False))
                children[key.to_table].add(key.from_table)
                parents[key.from_table].add(key.to_table)
        return cls(
            hops={table: tuple(hops) for table, hops in leaving.items()},
            adjacent={table: tuple(sorted({hop.target for hop in hops} - {table})) for table, hops in leaving.items()},
            ties=_ties(leaving, children, parents),
            role_words=role_words,
        )

    def tied(self, table: str) -> Ties:
        """How many tables reference a table."""
        return self.ties.get(table, _NO_TIES)


def _ties(tables: Iterable[str], children: Mapping[str, set[str]], parents: Mapping[str, set[str]]) -> dict[str, Ties]:
    schemas = {table: _schema(table) for table in tables}
    sizes = Counter(schemas.values())
    found = {}
    for table, schema in schemas.items():
        by = children.get(table, ())
        near = sum(schemas[child] == schema for child in by)
        share = near / max(sizes[schema] - 1, 1)
        found[table] = Ties(len(by), sizes[schema], share, len(parents.get(table, ())))
    return found


def _schema(table: str) -> tuple[str, str]:
    try:
        identity = TableIdentity.parse(table)
    except ValueError:
        return "", ""
    return identity.database, identity.schema
