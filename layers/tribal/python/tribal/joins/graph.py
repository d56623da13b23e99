"""A graph of tables and keys, with how many tables reference each table; junction tables, and bridges between two."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Literal

from tribal.identity.table_names import TableIdentity
from tribal.sql.type_families import type_family
from tribal_contracts import DocumentedColumn, InferredKey, KeyEdge, TableDocument


def inferred_edge(key: InferredKey) -> KeyEdge:
    """An inferred key as an edge of the graph; its columns are assumed to be nullable."""
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
        identifies=key.identifies,
    )


FEW_CHILDREN = 4
"""A table is a hub only if more tables than this reference it, however small its schema. By judgement: in a schema of
ten tables, the main table is referenced by about as many."""
HUB = 0.5
"""Minimum `fan_in` of a hub: about that of a table that half of 32 tables reference. By judgement."""


Way = Literal["up", "down", "link", "across"]
"""Up is to a parent, down to a child. A link is down to a child that relates two tables: this key and one other
identify its rows. Across is between two tables where one row meets at most one, in either direction."""
WAYS: tuple[Way, ...] = ("up", "down", "link", "across")


def _way(key: KeyEdge, to_parent: bool) -> Way:
    if key.identifies == "alone":
        return "across"
    return "up" if to_parent else "link" if key.identifies else "down"


@dataclass(frozen=True, slots=True)
class Step:
    """One key, followed from child to parent (`to_parent`) or from parent to child."""

    key: KeyEdge
    to_parent: bool

    @property
    def source(self) -> str:
        """The table where the step starts."""
        return self.key.from_table if self.to_parent else self.key.to_table

    @property
    def target(self) -> str:
        """The table where the step ends."""
        return self.key.to_table if self.to_parent else self.key.from_table

    @property
    def source_columns(self) -> list[str]:
        """Columns of the table where the step starts."""
        return self.key.from_columns if self.to_parent else self.key.to_columns

    @property
    def target_columns(self) -> list[str]:
        """Columns of the table where the step ends, in pairs with `source_columns`."""
        return self.key.to_columns if self.to_parent else self.key.from_columns

    @property
    def way(self) -> Way:
        """How many rows one row meets, and how."""
        return _way(self.key, self.to_parent)

    @property
    def way_back(self) -> Way:
        """The `way` of the same key in the other direction."""
        return _way(self.key, not self.to_parent)

    @property
    def order(self) -> tuple[str, bool, str, tuple[str, ...], tuple[str, ...]]:
        """Sort key for steps of equal cost: names, beginning with the target table."""
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
    """Other tables with a key to it."""
    among: int = 0
    """Tables of its schema that have any key or are referenced by one."""
    share: float = 0.0
    """Share of the other tables of its schema that reference it."""
    parents: int = 0
    """Other tables that it references."""

    @property
    def fan_in(self) -> float:
        """How much of a hub the table is, by share and number of its children; 0 if it has few."""
        return self.share**2 * math.log2(self.children / FEW_CHILDREN) if self.children > FEW_CHILDREN else 0.0


_NO_TIES = Ties()


def _no_roles(_: KeyEdge) -> int:
    return 0


@dataclass(frozen=True, slots=True)
class JoinGraph:
    """Keys by the tables at both ends; a self-reference is followed from child to parent only."""

    steps: Mapping[str, tuple[Step, ...]] = field(default_factory=dict)
    """Every step from a table, in the order of the keys."""
    adjacent: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Tables one key away, in order of name, without the table itself."""
    ties: Mapping[str, Ties] = field(default_factory=dict)
    """By table, for tables that another table references."""
    role_words: Callable[[KeyEdge], int] = _no_roles
    """How many words in a key's column names are a role rather than the referenced table or key."""

    @classmethod
    def of(cls, keys: Iterable[KeyEdge], role_words: Callable[[KeyEdge], int] = _no_roles) -> JoinGraph:
        """Build the graph, without keys whose columns do not pair up.

        Args:
            keys: in any order.
            role_words: counts the role words in a key's column names; of several keys between two tables, one without
                role words is preferred.
        """
        leaving: defaultdict[str, list[Step]] = defaultdict(list)
        children: defaultdict[str, set[str]] = defaultdict(set)
        parents: defaultdict[str, set[str]] = defaultdict(set)
        for key in keys:
            if not key.from_columns or len(key.from_columns) != len(key.to_columns):
                continue
            leaving[key.from_table].append(Step(key, True))
            if key.to_table != key.from_table:
                leaving[key.to_table].append(Step(key, False))
                children[key.to_table].add(key.from_table)
                parents[key.from_table].add(key.to_table)
        return cls(
            steps={table: tuple(steps) for table, steps in leaving.items()},
            adjacent={
                table: tuple(sorted({step.target for step in steps} - {table})) for table, steps in leaving.items()
            },
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


_BOOKKEEPING = frozenset(("created", "updated", "inserted", "modified", "creation", "modification", "changed"))


def _is_bookkeeping(column: DocumentedColumn) -> bool:
    is_time = type_family(column.base_type or column.type) in ("date", "instant", "local_time")
    return is_time and not _BOOKKEEPING.isdisjoint(column.name.casefold().split("_"))


def is_junction(table: TableDocument) -> bool:
    """Whether a table has at least two declared foreign keys and no other column except its primary key.

    Times at which a row was created and changed do not count.
    """
    foreign = {column for key in table.foreign_keys for column in key.columns}
    own = [column.name for column in table.columns if column.name not in foreign and not _is_bookkeeping(column)]
    surrogate = table.primary_key.columns if table.primary_key else []
    return len(table.foreign_keys) > 1 and (not own or own == surrogate)


JOINED = 3
"""How many of the top tables to join."""
MOST_BRIDGES = 2
# Both by judgement. With 3 and 2, answers of five tables contain every needed table in 8 more cases on bird_mini and 13
# on beaver, and in 1 and 2 fewer. With 5 and 2, it is 18 and 13 more, and 10 and 7 fewer.


def bridges(
    best: Sequence[str], shown: Sequence[str], graph: JoinGraph, allowed: Callable[[str], bool]
) -> dict[str, tuple[str, str]]:
    """Tables between two of the best that no key joins: names of bridge tables with the two that each joins.

    Args:
        best: names of the tables to join, most likely first.
        shown: names of all tables of the answer.
        graph: the keys.
        allowed: whether the caller may see a table.
    """
    found: dict[str, tuple[str, str]] = {}
    for one, other in combinations(best, 2):
        between = _between(one, other, graph, allowed)
        if between is not None and between not in shown:
            found.setdefault(between, (one, other))
    return dict(list(found.items())[:MOST_BRIDGES])


def _between(one: str, other: str, graph: JoinGraph, allowed: Callable[[str], bool]) -> str | None:
    """The table with the fewest neighbours that joins two others; `None` if they are joined already or cannot be.

    A parent of both is not a bridge: it joins every row to every other one.
    """
    if other in graph.adjacent.get(one, ()):
        return None
    upward = {step.target: step.to_parent for step in graph.steps.get(one, ())}
    between = {
        step.target
        for step in graph.steps.get(other, ())
        if step.target in upward and not (step.to_parent and upward[step.target])
    }
    likely = sorted((len(graph.adjacent.get(table, ())), table) for table in between if allowed(table))
    return likely[0][1] if likely else None
