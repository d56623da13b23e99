"""Tables made by hand, and what the rules say of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tests.conformance.describer import context
from tribal.describing import RulesDescriber
from tribal.masking import MaskedSamples
from tribal.ports import TableContext
from tribal_contracts import (
    CatalogCheck,
    CatalogColumn,
    CatalogForeignKey,
    CatalogKey,
    CatalogTable,
    Description,
)


def make(
    name: str,
    *columns: CatalogColumn,
    key: Sequence[str] = (),
    unique: Sequence[Sequence[str]] = (),
    references: Mapping[str, tuple[Sequence[str], Sequence[str]]] | None = None,
    checks: Sequence[str] = (),
    **others: object,
) -> CatalogTable:
    """A table; `references` maps a parent to this table's and the parent's columns."""
    schema, _, short = name.partition(".")
    keys = [
        CatalogForeignKey(
            name=f"fk{position}",
            columns=list(mine),
            references_schema=parent.partition(".")[0],
            references_table=parent.partition(".")[2],
            references_columns=list(theirs),
        )
        for position, (parent, (mine, theirs)) in enumerate((references or {}).items())
    ]
    return CatalogTable(
        schema_name=schema,
        table_name=short,
        columns=list(columns),
        primary_key=CatalogKey(name="pk", columns=list(key)) if key else None,
        unique_keys=[CatalogKey(name="uk", columns=list(columns)) for columns in unique],
        foreign_keys=keys,
        checks=[CatalogCheck(name="c", expression=text) for text in checks],
        **{"kind": "table", "indexes": [], "selectable": True} | others,
    )


def say(table: CatalogTable, name: str, samples: Mapping[str, MaskedSamples] | None = None) -> Description:
    """What is said of a column."""
    whole = TableContext("shop", "postgres", "sales", table, 10, (), {}, samples or {})
    return RulesDescriber().describe_table(whole).columns[name]


def say_of(table: CatalogTable) -> Description:
    """What is said of a table."""
    return RulesDescriber().describe_table(context(table)).table


def notes(table: CatalogTable) -> str:
    """Its notes, a line each."""
    return "\n".join(RulesDescriber().describe_table(context(table)).notes)
