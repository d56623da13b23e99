"""The describer without a model: it uses the catalog, samples and clear names."""

from __future__ import annotations

from tribal.describing.rules.column_facts import facts_of
from tribal.describing.rules.columns import describe_columns
from tribal.describing.rules.domains import describe_domain
from tribal.describing.rules.notes import table_notes
from tribal.describing.rules.tables import describe_table
from tribal.ports import DomainContext, DomainDescription, TableContext, TableDescription
from tribal_contracts import ModelUsage

RULES_VERSION = "rules-4"
"""Change it whenever the rules would describe the same table differently."""


class RulesDescriber:
    """States only known facts, each with its evidence; does no I/O."""

    @property
    def version(self) -> str:
        """The version of the rules."""
        return RULES_VERSION

    @property
    def at_once(self) -> int:
        """One: rules need no concurrency."""
        return 1

    @property
    def longest_seconds(self) -> float:
        """Zero: rules take no time."""
        return 0.0

    def quote(self, _context: TableContext) -> None:
        """Nothing: no model is asked."""

    def requests(self, _context: TableContext) -> tuple[()]:
        """Nothing: no model is asked."""
        return ()

    def quote_domain(self, _context: DomainContext, *, changed: bool) -> None:
        """Nothing: no model is asked."""

    def describe_table(self, context: TableContext) -> TableDescription:
        """Describe a table and every column of it; the database's own comments win."""
        columns = facts_of(context)
        return TableDescription(
            table=describe_table(context), columns=describe_columns(columns), notes=table_notes(context, columns)
        )

    def describe_domain(self, context: DomainContext) -> DomainDescription:
        """Describe a domain; comments on its schemas come first."""
        return DomainDescription(describe_domain(context))


class RulesDescribers:
    """The rules for every database."""

    def __init__(self) -> None:
        self._rules = RulesDescriber()

    def of(self, _database: str, /) -> RulesDescriber:
        """The rules."""
        return self._rules

    @property
    def usage(self) -> ModelUsage:
        """Nothing: no model is asked."""
        return ModelUsage()

    def close(self) -> None:
        """Do nothing: there are no calls."""
