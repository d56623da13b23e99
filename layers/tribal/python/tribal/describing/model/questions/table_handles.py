"""The handles in questions about a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from tribal.describing.rules.column_facts import ColumnFacts, facts_of, lineage_of
from tribal.identity.table_names import TableIdentity
from tribal.ports import TableContext
from tribal.text_checks import Handle

MAX_TABLES = 16
"""The most other tables in a question; the first by kind and name."""
MAX_LABELS = 20
"""The most values of a column in a question."""
OWN = "t1"
"""The handle of the described table."""

Place = tuple[str, str]
"""Schema and table."""


@dataclass(frozen=True, eq=False)
class TableHandles:
    """The handles of one table; they do not depend on the question, so all slices share them."""

    context: TableContext

    @cached_property
    def facts(self) -> Sequence[ColumnFacts]:
        """The columns, in order; number n is at n - 1."""
        return facts_of(self.context)

    @cached_property
    def columns(self) -> Mapping[str, str]:
        """Handle by name."""
        return {fact.column.name: f"c{number}" for number, fact in enumerate(self.facts, 1)}

    @cached_property
    def tables(self) -> Mapping[Place, str]:
        """Handle by schema and table."""
        own = (self.context.table.schema_name, self.context.table.table_name)
        others = dict.fromkeys(place for group in self._others() for place in sorted(set(group)) if place != own)
        return {own: OWN} | {place: f"t{number}" for number, place in enumerate(list(others)[:MAX_TABLES], 2)}

    @cached_property
    def values(self) -> Mapping[str, Mapping[str, str]]:
        """By column, the value by its handle."""
        found: dict[str, dict[str, str]] = {}
        number = 0
        for fact in self.facts:
            for value in fact.values[:MAX_LABELS]:
                number += 1
                found.setdefault(fact.column.name, {})[f"v{number}"] = value
        return found

    @cached_property
    def all(self) -> Mapping[str, Handle]:
        """What each handle refers to."""
        return {
            **{handle: Handle("table", place) for place, handle in self.tables.items()},
            **{handle: Handle("column", (name,)) for name, handle in self.columns.items()},
            **{key: Handle("value", (value,)) for values in self.values.values() for key, value in values.items()},
        }

    @cached_property
    def joined(self) -> frozenset[Place]:
        """The other tables that declared or likely keys join to this table."""
        referenced, _, *others = self._others()
        return frozenset(place for group in (referenced, *others) for place in group)

    def of(self, fully_qualified_name: str) -> str | None:
        """The handle of a table."""
        return self.tables.get(place_of(fully_qualified_name))

    def _others(self) -> Iterator[list[Place]]:
        """Tables that are referenced, read, reference, and likely do either."""
        context, own = self.context, (self.context.table.schema_name, self.context.table.table_name)
        yield [(key.references_schema, key.references_table) for key in context.table.foreign_keys]
        yield list(lineage_of(context).tables)
        yield [place_of(key.from_table) for key in context.incoming]
        yield [place_of(key.to_table) for key in context.inferred_keys if place_of(key.from_table) == own]
        yield [place_of(key.from_table) for key in context.inferred_keys if place_of(key.to_table) == own]


def place_of(fully_qualified_name: str) -> Place:
    """Schema and table of a fully qualified name."""
    identity = TableIdentity.parse(fully_qualified_name)
    return identity.schema, identity.table
