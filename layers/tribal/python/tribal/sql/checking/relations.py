"""What a query selects from, and the names that an expression in it can see."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from tribal.sql.checking.known import KnownColumn, KnownTable

Family = Literal["number", "text", "time", "boolean", "uuid"]
"""Kinds of values that PostgreSQL does not compare with those of another kind."""
Origin = tuple[KnownTable, KnownColumn]
"""The column of a table that a column passes on unchanged."""


@dataclass(frozen=True, slots=True)
class Repeat:
    """A table for each of whose rows a join has repeated a value.

    Attributes:
        by: how messages name the table.
        keys: places of the columns of the result that, together with the value's own row, identify a row of the table;
            `None` if the result lacks them.
    """

    by: str
    keys: frozenset[int] | None


@dataclass(eq=False, slots=True)
class Column:
    """A column of a relation.

    Attributes:
        family: of its values, if it is computed.
        repeats: what has repeated its values before, so that a sum over them is wrong.
    """

    name: str
    origin: Origin | None = None
    family: Family | None = None
    repeats: Sequence[Repeat] = ()

    def renamed(self, name: str) -> Column:
        """The same column with another name."""
        return replace(self, name=name)


@dataclass(eq=False, slots=True)
class Relation:
    """A table, subquery or function in FROM.

    Attributes:
        alias: the name before a dot; empty without one.
        is_open: it may have columns that are not known.
        keys: sets of its columns of which each identifies a row.
        table: which it is, if it is one.
        schema: with which the table was named without an alias.
        is_joined: it needs no condition: a function, or joined by CROSS JOIN or LATERAL.
        offset: where it is named in the text.
    """

    alias: str
    columns: Sequence[Column]
    is_open: bool = False
    keys: Sequence[frozenset[str]] = ()
    table: KnownTable | None = None
    schema: str | None = None
    has_system_columns: bool = False
    is_joined: bool = False
    offset: int = 0

    def find(self, name: str) -> list[Column]:
        """Its columns of that name."""
        return [each for each in self.columns if each.name == name]

    @property
    def shown(self) -> str:
        """How messages name it."""
        if self.table is None:
            return self.alias or "a subquery"
        plain = f"{self.table.schema}.{self.table.table}"
        return plain if self.alias in ("", self.table.table) else f"{self.alias} ({plain})"


Use = tuple[Relation, Column]
"""A column in the place where it is used."""


@dataclass(eq=False, slots=True)
class Item:
    """One or several relations that are joined.

    Attributes:
        relations: those that may be named before a dot.
        columns: those that may be named without one, in the order of `*`.
        every: all relations, also those that an alias of a join hides.
    """

    relations: list[Relation] = field(default_factory=list)
    columns: list[Use] = field(default_factory=list)
    every: list[Relation] = field(default_factory=list)

    @classmethod
    def of(cls, relation: Relation) -> Item:
        """One relation."""
        return cls([relation], [(relation, column) for column in relation.columns], [relation])

    def with_(self, other: Item) -> Item:
        """Both together."""
        return Item(self.relations + other.relations, self.columns + other.columns, self.every + other.every)

    @property
    def is_open(self) -> bool:
        """Whether a name that is not known may be a column."""
        return any(each.is_open for each in self.relations)

    def find(self, name: str) -> list[Use]:
        """The columns that a name without a qualifier means."""
        return [use for use in self.columns if use[1].name == name]


@dataclass(eq=False, slots=True)
class Level:
    """What expressions of a query can see: its own relations, then those of the queries around it.

    Attributes:
        outputs: aliases of the query that its expressions may use too.
    """

    item: Item
    outer: Level | None = None
    outputs: frozenset[str] = frozenset()

    def __iter__(self) -> Iterator[Level]:
        level: Level | None = self
        while level is not None:
            yield level
            level = level.outer
