"""Everything that the rules use about a column, computed once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from tribal.identity.table_names import format_name
from tribal.masking import PLACEHOLDER, MaskedSamples
from tribal.naming import segment_all, singular, split_identifier
from tribal.ports import TableContext
from tribal.sql.checks import allowed_range, declared_values
from tribal.sql.references import ViewLineage
from tribal.sql.type_families import TypeFamily, type_family
from tribal_contracts import CatalogColumn, CatalogForeignKey


@dataclass(frozen=True, eq=False)
class ColumnFacts:
    """One column in its table."""

    context: TableContext
    column: CatalogColumn
    siblings: Sequence[ColumnFacts] = ()

    @property
    def others(self) -> Iterator[ColumnFacts]:
        """The other columns of the table."""
        return (facts for facts in self.siblings if facts is not self)

    @property
    def origin(self) -> str:
        """The column, `schema.table.column`, that a view passes through unchanged; empty if it passes none through."""
        return format_name(lineage_of(self.context).columns.get(self.column.name, ()))

    @cached_property
    def tokens(self) -> list[str]:
        """The words of the name as written."""
        return list(_tokens(self.column.name))

    @cached_property
    def own_tokens(self) -> list[str]:
        """The words of the name without those that repeat the table's name."""
        table = list(_tokens(self.context.table.table_name))
        for owner in (table, [*table[:-1], *map(singular, table[-1:])]):
            if owner and self.tokens[: len(owner)] == owner and len(self.tokens) > len(owner):
                return self.tokens[len(owner) :]
        return self.tokens

    @cached_property
    def family(self) -> TypeFamily:
        """The family of the type; a domain or an enum is `other`."""
        return type_family(self.column.type)

    @cached_property
    def key_columns(self) -> list[str]:
        """Columns of the primary key."""
        key = self.context.table.primary_key
        return key.columns if key else []

    @cached_property
    def foreign_keys(self) -> list[CatalogForeignKey]:
        """Foreign keys that the column is part of, the shortest first."""
        keys = [key for key in self.context.table.foreign_keys if self.column.name in key.columns]
        return sorted(keys, key=lambda key: (len(key.columns), key.name))

    @property
    def is_unique(self) -> bool:
        """Whether no two rows have the same value."""
        table = self.context.table
        indexes = [index.columns for index in table.indexes if index.unique and not index.predicate]
        return [self.column.name] in [*(key.columns for key in table.unique_keys), *indexes]

    @cached_property
    def values(self) -> tuple[str, ...]:
        """The values that the type or a check allows; none if some of them are hidden."""
        return declared_values(self.column, self.context.table.checks, PLACEHOLDER)[0]

    @cached_property
    def range(self) -> tuple[str | None, str | None]:
        """The lowest and highest number that checks allow."""
        return allowed_range(self.column.name, self.context.table.checks)

    @cached_property
    def samples(self) -> MaskedSamples:
        """The samples that may be shown."""
        return self.context.samples.get(self.column.name) or MaskedSamples()


def facts_of(context: TableContext) -> list[ColumnFacts]:
    """The facts of every column of a table."""
    facts: list[ColumnFacts] = []
    facts.extend(ColumnFacts(context, column, facts) for column in context.table.columns)
    return facts


def lineage_of(context: TableContext) -> ViewLineage:
    """What the definition of a view says for certain; nothing for a table."""
    query = context.table.view_query or context.table.view_definition
    if not query:
        return ViewLineage()
    # Loads sqlglot.
    from tribal.sql.lineage import view_lineage

    return view_lineage(query, context.database_type)


@lru_cache(maxsize=16_384)
def _tokens(name: str) -> tuple[str, ...]:
    return tuple(segment_all(split_identifier(name)))
