"""The keys of a database, by table, and which columns they equate."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tribal_contracts import KeyEdge

Pair = tuple[str, str]
"""A column of a table, and the column of another one that it is equal to."""
OfTable = tuple[str, str]
"""A column behind the fully qualified name of its table."""
Between = tuple[str, str, list[Pair]]
"""A key: the table from which, the table to which, and the pairs of their columns."""


class KeyIndex:
    """Declared and inferred keys.

    Args:
        edges: keys whose tables the caller may see.
    """

    def __init__(self, edges: Iterable[KeyEdge] = ()) -> None:
        self._by_table: dict[str, list[KeyEdge]] = {}
        self._above: dict[OfTable, OfTable] = {}
        for key in edges:
            for table in {key.from_table, key.to_table}:
                self._by_table.setdefault(table, []).append(key)
            for mine, their in zip(key.from_columns, key.to_columns, strict=False):
                one, other = self.class_of((key.from_table, mine)), self.class_of((key.to_table, their))
                if one != other:
                    self._above[one] = other

    def class_of(self, column: OfTable) -> OfTable:
        """One of the columns that keys equate with a column, the same for all of them."""
        root = column
        while (over := self._above.get(root, root)) != root:
            root = over
        if column != root:
            self._above[column] = root
        return root

    def between(self, one: str, other: str) -> Iterator[Between]:
        """The keys between two tables."""
        for key in self._by_table.get(one, ()):
            if {key.from_table, key.to_table} == {one, other}:
                yield key.from_table, key.to_table, list(zip(key.from_columns, key.to_columns, strict=False))

    def siblings(self, one: str, other: str) -> Iterator[Between]:
        """The keys of two tables to the same columns of a third one, as a key between the two."""
        for mine in self._by_table.get(one, ()):
            for their in self._by_table.get(other, ()):
                is_same = (mine.from_table, their.from_table) == (one, other) and mine.to_table == their.to_table
                if is_same and set(mine.to_columns) == set(their.to_columns):
                    by_parent = dict(zip(their.to_columns, their.from_columns, strict=False))
                    pairs = zip(mine.from_columns, mine.to_columns, strict=False)
                    yield one, other, [(column, by_parent[parent]) for column, parent in pairs]
